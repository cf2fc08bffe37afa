import { z } from 'zod'
import { parseDomainName } from '../lib/domain-name.ts'
import { isCurrency, MAX_CENTS } from '../lib/money.ts'

/** The field types that operations share, each with its issue text. */

/** A domain name in any case, as A-labels or U-labels; read as lower-case A-labels. */
export const domainField = z.string().transform((text, context) => {
  const name = parseDomainName(text)
  if (name) return name.domain
  context.addIssue({
    code: 'custom',
    message: 'is not a domain name such as example.com',
    input: text,
  })
  return z.NEVER
})

/** What follows the first dot of a domain, in any case, as A-labels or U-labels: `com`, `co.uk`. */
export const tldField = z.string().transform((text, context) => {
  const name = parseDomainName(`name.${text.replace(/^\./, '')}`)
  if (name) return name.tld
  context.addIssue({
    code: 'custom',
    message: 'is not a top-level domain such as com',
    input: text,
  })
  return z.NEVER
})

/** Minor currency units. */
export const centsField = z
  .int('must be a whole number of cents')
  .min(1, 'must be at least 1 cent')
  .max(MAX_CENTS, `must be at most ${MAX_CENTS} cents`)

export const currencyField = z
  .string()
  .regex(/^[A-Za-z]{3}$/, 'must be a currency code such as USD')
  .transform((code) => code.toUpperCase())
  .refine(isCurrency, 'must be a currency code such as USD')

const MAX_EMAIL = 254
export const emailField = z.email('must be an e-mail address').max(MAX_EMAIL)

/** Browsers and `URL` drop a line break in an address, so that it would say something else to them. */
export const webUrlField = z
  .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' })
  .max(2048)
  .refine((url) => !/[\s\p{Cc}]/u.test(url), 'must not hold spaces or line breaks')

/** RFC 3339 UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 })

/** Beyond them databases and programs disagree on how to write a date. */
const FIRST_YEAR = 1_000
const LAST_YEAR = 9_998

/** One end of a window: a date (midnight UTC) or an RFC 3339 moment. */
export const momentField = z.string().transform((sent, context) => {
  // RFC 3339 writes T and Z in either case.
  const text = sent.toUpperCase()
  const isDate = z.iso.date().safeParse(text).success
  const isMoment = isDate || z.iso.datetime({ offset: true }).safeParse(text).success
  const moment = new Date(isMoment ? text : Number.NaN)
  const year = moment.getUTCFullYear()
  if (year >= FIRST_YEAR && year <= LAST_YEAR) return moment
  const message = isMoment
    ? `must be between the years ${FIRST_YEAR} and ${LAST_YEAR}`
    : 'must be a date or an RFC 3339 time'
  context.addIssue({ code: 'custom', message, input: sent })
  return z.NEVER
})

const DEFAULT_PAGE = 50
const MAX_PAGE = 100
export const limitField = z.int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE)

const DEFAULT_PUBLIC_PAGE = 20

/** How every list of the public API is paged: by cursor, or by offset. */
export const publicPaging = {
  limit: z.int().min(1).max(MAX_PAGE).default(DEFAULT_PUBLIC_PAGE),
  offset: z.int().min(0).max(2_147_483_647).default(0),
  cursor: z.string().max(1_000).optional(),
}

export const publicPage = z.object({
  limit: z.int(),
  /** How many rows came before this page. */
  offset: z.int(),
  total: z.int(),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
})

/** Text that people wrote: no longer than asked, and without control characters but line breaks. */
export function textField(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine((text) => !CONTROL.test(text), 'must not hold control characters')
}

/** The same of one line, such as a name. */
export function lineField(maxLength: number) {
  return textField(maxLength).refine((text) => !/[\r\n]/.test(text), 'must be one line')
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/u

/** A text as a part of a pattern for LIKE, where it stands for itself alone. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

export function iso(moment: Date): string
export function iso(moment: Date | null): string | null
export function iso(moment: Date | null): string | null {
  return moment?.toISOString() ?? null
}

/** The UTC date of a moment, as the database writes it. */
export function dateOf(moment: Date): string {
  return iso(moment).slice(0, 10)
}

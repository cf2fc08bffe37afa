import { z } from 'zod'
import { parseDomainName } from '../lib/domain-name.ts'
import { isCurrency, MAX_CENTS } from '../lib/money.ts'

// The field types that operations share, each with its issue text.

/** For `transform`: what `read` makes of a text; where that is undefined, the text is refused with the message. */
export function readAs(read: (text: string) => string | undefined, message: string) {
  return (text: string, context: z.core.$RefinementCtx<string>): string => {
    const found = read(text)
    if (found !== undefined) return found
    context.addIssue({ code: 'custom', message, input: text })
    return z.NEVER
  }
}

/** A domain name in any case, as A-labels or U-labels; read as lower-case A-labels. */
export const domainField = z
  .string()
  .transform(
    readAs((text) => parseDomainName(text)?.domain, 'is not a domain name such as example.com'),
  )

/** What follows the first dot of a domain, in any case, as A-labels or U-labels: `com`, `co.uk`. */
export const tldField = z
  .string()
  .max(80)
  .transform(
    readAs(
      (text) => parseDomainName(`name.${text.replace(/^\./, '')}`)?.tld,
      'is not a top-level domain such as com or co.uk',
    ),
  )

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

/** ISO 3166-1 alpha-2, in capitals. */
export const countryField = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'must be a two-letter country code')
  .transform((code) => code.toUpperCase())

export const MAX_EMAIL = 254
export const emailField = z.email('must be an e-mail address').max(MAX_EMAIL, tooLong(MAX_EMAIL))

/** Browsers and `URL` drop a line break in an address, so that it would say something else to them. */
export const webUrlField = z
  .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' })
  .max(2048, tooLong(2048))
  .refine((url) => !/[\s\p{Cc}]/u.test(url), 'must not hold spaces or line breaks')

/** RFC 3339 UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 })

/** Beyond them databases and programs disagree on how to write a date, and nothing has happened here. */
const FIRST_MOMENT = Date.parse('1000-01-01')
const LAST_MOMENT = Date.parse('9999-01-01')

/** A fraction of a second that goes beyond the milliseconds, which `Date` would drop. */
const FINER = /\.\d{3}\d*[1-9]/

/**
 * One end of a window: a date (midnight UTC) or an RFC 3339 moment. What happens here happens at whole
 * milliseconds, so a finer moment parts them as the next of these does.
 */
export const momentField = z.string().transform((sent, context) => {
  // RFC 3339 writes T and Z in either case.
  const text = sent.toUpperCase()
  const isDate = z.iso.date().safeParse(text).success
  const isMoment = isDate || z.iso.datetime({ offset: true }).safeParse(text).success
  const moment = isMoment ? Date.parse(text) + (FINER.test(text) ? 1 : 0) : Number.NaN
  if (!Number.isNaN(moment)) return new Date(Math.min(Math.max(moment, FIRST_MOMENT), LAST_MOMENT))
  const message = 'must be a date or an RFC 3339 time, such as 2026-11-23 or 2026-11-23T09:00:00Z'
  context.addIssue({ code: 'custom', message, input: sent })
  return z.NEVER
})

const DEFAULT_PAGE = 50
const MAX_PAGE = 100
export const limitField = z.int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE)

/** How lists are paged. */
export const paging = { limit: limitField, cursor: z.string().optional() }

const DEFAULT_PUBLIC_PAGE = 20

/** How every list of the public API is paged: by cursor, or by offset. */
export const publicPaging = {
  limit: z
    .int()
    .min(1)
    .max(MAX_PAGE)
    .default(DEFAULT_PUBLIC_PAGE)
    .describe('How many a page holds at most.'),
  offset: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .default(0)
    .describe(
      'How many to pass over. Only a cursor keeps its place when names are sold meanwhile.',
    ),
  cursor: z
    .string()
    .max(1_000)
    .optional()
    .describe('The `page.next_cursor` of the page before, with the same filters and sort.'),
}

export const publicPage = z.object({
  limit: z.int(),
  /** How many rows came before this page. */
  offset: z.int(),
  total: z.int(),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
})

function tooLong(maxLength: number): string {
  return `must have at most ${maxLength} characters`
}

/** Text that people wrote: no longer than asked, and without control characters but line breaks. */
export function textField(maxLength: number) {
  return z
    .string()
    .max(maxLength, tooLong(maxLength))
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

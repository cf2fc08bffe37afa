import { parseDomainName } from 'domain-marketplace-domain-names'
import { z } from 'zod'
import type { IdPrefix } from '../lib/ids.ts'
import { isCurrency, MAX_CENTS } from '../lib/money.ts'

// The field types that operations share, each with its issue text, and the words and the example of the documents.
// An operation that means something else by one describes it itself.

/** The domain that is for sale in every example. */
const EXAMPLE_DOMAIN = 'petpantry.test'

/** For `transform`: what `read` makes of a text; where that is undefined, the text is rejected with the message. */
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
  .meta({
    description: 'A domain name, in any case, as A-labels or U-labels.',
    example: EXAMPLE_DOMAIN,
  })

const EMOJI_ALONE =
  /^(?=.*(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F))[^\p{L}\p{N}]*$/su

/** What somebody looks for, in words or as a name. */
export const queryField = z
  .string()
  .trim()
  .min(1, { error: 'must say what to look for', abort: true })
  .max(500)
  .refine(
    (text) => !EMOJI_ALONE.test(text),
    'must contain letters or digits: names are not found by emoji',
  )

/** A domain as responses show it. */
export const domainView = z.string().meta({
  description: 'The domain name, in lower-case A-labels.',
  example: EXAMPLE_DOMAIN,
})

/** An id that begins with the prefix and an underscore, or the part of a path or query that names one. */
export function idField(prefix: IdPrefix) {
  return z.string().meta({ example: `${prefix}_01k8zd6y3vj5r2m4n6p8q0s1t3` })
}

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
  .meta({
    description:
      'A top-level domain or public suffix, such as com or co.uk. A leading dot is ignored.',
    example: 'test',
  })

/** The part of a domain after its first dot, as responses show it. */
export const tldView = z.string().meta({
  description: 'The part of the name after its first dot, in lower-case A-labels.',
  example: 'test',
})

/** Minor currency units. */
export const centsField = z
  .int('must be a whole number of cents')
  .min(1, 'must be at least 1 cent')
  .max(MAX_CENTS, `must be at most ${MAX_CENTS} cents`)
  .meta({ example: 129_500 })

/** An amount of minor currency units as responses show it. */
export function centsView(example: number) {
  return z.int().meta({ example })
}

export const currencyField = z
  .string()
  .regex(/^[A-Za-z]{3}$/, 'must be a currency code such as USD')
  .transform((code) => code.toUpperCase())
  .refine(isCurrency, 'must be a currency code such as USD')
  .meta({ description: 'An ISO 4217 currency code, in any case.', example: 'USD' })

export const currencyView = z.string().meta({
  description: 'The ISO 4217 code of the currency that the amounts are in.',
  example: 'USD',
})

/** ISO 3166-1 alpha-2, in capitals. */
export const countryField = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'must be a two-letter country code')
  .transform((code) => code.toUpperCase())
  .meta({ description: 'An ISO 3166-1 alpha-2 country code, in any case.', example: 'DE' })

export const MAX_EMAIL = 254
export const emailField = z
  .email('must be an e-mail address')
  .max(MAX_EMAIL, tooLong(MAX_EMAIL))
  .meta({ description: 'An e-mail address.', example: 'buyer@example.com' })

/** Browsers and `URL` drop a line break in an address, so that it would say something else to them. */
export const webUrlField = z
  .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' })
  .max(2048, tooLong(2048))
  .refine((url) => !/[\s\p{Cc}]/u.test(url), 'must not hold spaces or line breaks')

/** RFC 3339 UTC with milliseconds. */
export const timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ example: '2026-01-05T09:30:00.000Z' })
export const createdAt = timestamp.describe('When it was created, in UTC.')
export const updatedAt = timestamp.describe('When it last changed, in UTC.')

/** Beyond them databases and programs disagree on how to write a date, and nothing has happened here. */
const FIRST_TIMESTAMP = Date.parse('1000-01-01')
const LAST_TIMESTAMP = Date.parse('9999-01-01')

/** A fraction of a second that goes beyond the milliseconds, which `Date` would drop. */
const FINER = /\.\d{3}\d*[1-9]/

/**
 * One end of a window: a date (midnight UTC) or an RFC 3339 moment. What happens here happens at whole
 * milliseconds, so a finer moment parts them as the next of these does.
 */
export const timestampField = z.string().transform((sent, context) => {
  // RFC 3339 writes T and Z in either case.
  const text = sent.toUpperCase()
  const isDate = z.iso.date().safeParse(text).success
  const isTimestamp = isDate || z.iso.datetime({ offset: true }).safeParse(text).success
  const moment = isTimestamp ? Date.parse(text) + (FINER.test(text) ? 1 : 0) : Number.NaN
  if (!Number.isNaN(moment))
    return new Date(Math.min(Math.max(moment, FIRST_TIMESTAMP), LAST_TIMESTAMP))
  const message = 'must be a date or an RFC 3339 time, such as 2026-11-23 or 2026-11-23T09:00:00Z'
  context.addIssue({ code: 'custom', message, input: sent })
  return z.NEVER
})

const DEFAULT_PAGE = 50
const MAX_PAGE = 100
export const limitField = z
  .int()
  .min(1)
  .max(MAX_PAGE)
  .default(DEFAULT_PAGE)
  .describe('The largest number of items to return on one page.')

/** How lists are paged. */
export const paging = {
  limit: limitField,
  cursor: z
    .string()
    .optional()
    .describe(
      'The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page.',
    ),
}

export const nextCursor = z.string().nullable().meta({
  description: 'The `cursor` of the next page, or null on the last page.',
  example: null,
})

/** What a list of things holds between two moments, by when they were created. */
export const createdWithin = {
  from: timestampField
    .optional()
    .describe(
      'Only those created at or after this time: a date (midnight UTC) or an RFC 3339 time.',
    ),
  to: timestampField
    .optional()
    .describe('Only those created before this time: a date (midnight UTC) or an RFC 3339 time.'),
}

const DEFAULT_PUBLIC_PAGE = 20

/** How every list of the public API is paged: by cursor, or by offset. */
export const publicPaging = {
  limit: z
    .int()
    .min(1)
    .max(MAX_PAGE)
    .default(DEFAULT_PUBLIC_PAGE)
    .describe('The largest number of items to return on one page.'),
  offset: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .default(0)
    .describe(
      'The number of items to skip. Prefer `cursor`, which keeps its place when names are sold between two pages.',
    ),
  cursor: z
    .string()
    .max(1_000)
    .optional()
    .describe('The `page.next_cursor` of the previous page, sent with the same filters and sort.'),
}

export const publicPage = z
  .object({
    limit: z.int().describe('The largest number of items that the page could hold.'),
    offset: z.int().describe('The number of items before this page.'),
    total: z.int().describe('The number of items on all pages together.'),
    has_more: z.boolean().describe('Whether more items follow this page.'),
    next_cursor: z
      .string()
      .nullable()
      .describe('The `cursor` of the next page, or null on the last page.'),
  })
  .meta({ id: 'Page', description: 'The place of a page in its list.' })

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

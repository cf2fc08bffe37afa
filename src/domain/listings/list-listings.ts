import { z } from 'zod'
import { seesPrices } from '../../core/caller.ts'
import { readPlace, writePlace } from '../../core/cursor.ts'
import { invalid, tokenNeeded } from '../../core/errors.ts'
import {
  centsField,
  domainView,
  iso,
  publicPage,
  publicPaging,
  timestamp,
  tldField,
  tldView,
} from '../../core/fields.ts'
import { publicRead } from '../../core/operation.ts'
import { countMarket, isSelective, MARKET_SORTS, placeOf, readMarket, wordsOf } from './market.ts'
import { publicPrice, publicPriceView } from './public-price.ts'

const CACHE_SECONDS = 10
const MAX_WORDS = 10
/** A count may be some seconds old, in which so many more may have been listed. */
const SLACK = 100_000
/** In a millisecond. */
const MICROSECONDS = 1_000

const listingsPage = z.object({
  items: z
    .array(
      z
        .object({
          domain: domainView,
          tld: tldView,
          ...publicPriceView,
          listed_at: timestamp.describe('When it was listed, in UTC.'),
        })
        .meta({ id: 'Listing', description: 'A domain that is for sale on this marketplace.' }),
    )
    .describe('The listings on this page.'),
  page: publicPage,
})

export type ListingsPage = z.output<typeof listingsPage>

export const listListings = publicRead({
  name: 'list_listings',
  summary: 'Domains for sale on this marketplace',
  description:
    'Lists the domains that this marketplace sells, a page at a time. Use it to browse or filter what is ' +
    'on offer; to ask about one name, use search_domain. Follow page.next_cursor until it is null. ' +
    'Prices are null without an access token.',
  method: 'GET',
  path: '/api/market/listings',
  rate: 'public',
  cacheSeconds: CACHE_SECONDS,
  input: z.object({
    q: z
      .string()
      .max(100)
      .refine((q) => wordsOf(q).length > 0, 'must hold letters or digits of a name')
      .refine((q) => wordsOf(q).length <= MAX_WORDS, `must hold ${MAX_WORDS} words at most`)
      .optional()
      .describe(
        'Words that the name must contain before its first dot. A word of one or two characters must begin it.',
      ),
    tld: tldField
      .optional()
      .describe('Only names on this top-level domain or public suffix, such as com.'),
    min: centsField
      .optional()
      .describe(
        'The lowest price, in cents. Requires an access token, since prices are hidden without.',
      ),
    max: centsField
      .optional()
      .describe('The highest price, in cents. Requires an access token, as `min` does.'),
    max_length: z
      .int()
      .min(1)
      .max(63)
      .optional()
      .describe('The greatest length of the name before its first dot, in A-label characters.'),
    sort: z.enum(MARKET_SORTS).default('newest').describe('The order of the list.'),
    ...publicPaging,
  }),
  output: listingsPage,
  status: 200,
  errors: ['validation_error', 'invalid_cursor', 'unauthorized'],
  aliases: { q: ['query'], min: ['min_price_cents'], max: ['max_price_cents'] },
  example: {
    input: { tld: 'com', sort: 'newest', limit: 1 },
    output: {
      items: [
        {
          domain: 'petpantry.com',
          tld: 'com',
          price_cents: null,
          price_masked: true,
          currency: 'USD',
          listed_at: '2026-01-05T09:30:00.000Z',
        },
      ],
      page: {
        limit: 1,
        offset: 0,
        total: 212,
        has_more: true,
        next_cursor: 'kq3v0cJm8xk2nQ',
      },
    },
  },
  async handler({ now, app, caller }, input) {
    const { q, tld, min, max, max_length, sort, limit, offset, cursor } = input
    if ((min ?? max) !== undefined && !seesPrices(caller)) {
      const field = max === undefined ? 'min' : 'max'
      throw tokenNeeded(
        `${field}: needs an access token, since it would tell prices that are masked.`,
      )
    }
    if (min !== undefined && max !== undefined && min > max) {
      throw invalid({ field: 'min', issue: 'is above max' })
    }
    if (cursor !== undefined && offset > 0) {
      throw invalid({ field: 'offset', issue: 'cannot be given together with a cursor' })
    }
    const filters = {
      q: q ?? null,
      tld: tld ?? null,
      min: min ?? null,
      max: max ?? null,
      maxLength: max_length ?? null,
    }
    const bound = { list: 'listings', ...filters, sort }
    const after = cursor === undefined ? null : readPlace(app.secrets, cursor, bound)
    const start = after?.offset ?? offset
    const skip = after ? 0 : offset
    const read = (total: number) =>
      readMarket(app, { filters, sort, after, skip, count: limit + 1 }, total)
    const counting = countMarket(app, filters, now)
    // How what may be rare is looked for depends on how rare it is. Nothing follows the last row, and finding
    // that out would read them all.
    const readRows = async () => {
      if (!isSelective(filters) && skip === 0) return await read(0)
      const total = await counting
      return skip > total + SLACK ? [] : await read(total)
    }
    const [total, rows] = await Promise.all([counting, readRows()])
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const has_more = rows.length > limit
    return {
      items: shown.map((row) => ({
        domain: row.domain,
        tld: row.tld,
        ...publicPrice(caller, row),
        listed_at: iso(new Date(row.listed_at_us / MICROSECONDS)),
      })),
      page: {
        limit,
        offset: start,
        total,
        has_more,
        next_cursor:
          has_more && last
            ? writePlace(app.secrets, placeOf(last, sort, start + shown.length), bound)
            : null,
      },
    }
  },
})

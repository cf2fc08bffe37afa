import { z } from 'zod'
import { seesPrices } from '../../core/caller.ts'
import { tokenNeeded } from '../../core/errors.ts'
import { centsField, domainView, queryField, tldField } from '../../core/fields.ts'
import { publicRead } from '../../core/operation.ts'
import { findLiveListing } from '../listings/listing.ts'
import { publicPrice, publicPriceView } from '../listings/public-price.ts'
import { marketplaceIn } from '../partners/partner.ts'
import { findListings } from '../search/search-domains.ts'
import { SellersWords, sellersWords } from './sellers-words.ts'

/** The market by what somebody wants, in words. */
export const searchNames = publicRead({
  name: 'search_names',
  summary: 'Domains for sale here that fit a description',
  description:
    'Finds the domains of this marketplace that fit best what somebody wants, in words of their own or by parts of a name: ' +
    '"a name for a dog food shop". Returns five at most, the best first; every one can be bought here. To ask whether one ' +
    'name is free to register, use search_domain. Prices are in minor units (129500 USD is 1,295.00 US dollars), and null ' +
    'with `price_masked: true` without an access token. Nothing is bought or reserved.',
  method: 'GET',
  path: '/api/agent/names',
  rate: 'public',
  cacheSeconds: 0,
  input: z.object({
    q: queryField.describe('What the buyer looks for, in words, or a name.'),
    tld: tldField.optional().describe('Only names on this top-level domain, such as com.'),
    max_price_cents: centsField
      .optional()
      .describe('Only names at this price or less, in minor units. Requires an access token.'),
  }),
  output: z.object({
    query: z.string().describe('The query as it was read.'),
    results: z
      .array(
        z
          .object({
            domain: domainView,
            ...publicPriceView,
            available: z
              .boolean()
              .describe('Whether it can be bought now: false while it is reserved.'),
            why: z.string().describe('What of the query it matches.'),
            seller_words: SellersWords,
          })
          .meta({ id: 'FoundName', description: 'A domain that is for sale and fits the query.' }),
      )
      .describe('The best match first.'),
  }),
  status: 200,
  errors: ['validation_error', 'unauthorized'],
  aliases: { q: ['query'], max_price_cents: ['max'] },
  example: {
    input: { q: 'dog food' },
    output: {
      query: 'dog food',
      results: [
        {
          domain: 'petpantry.test',
          price_cents: null,
          price_masked: true,
          currency: 'USD',
          available: true,
          why: 'matches pet for dog, pantry for food',
          seller_words: null,
        },
      ],
    },
  },
  async handler({ db, now, app, caller }, { q, tld, max_price_cents }) {
    if (max_price_cents !== undefined && !seesPrices(caller)) {
      throw tokenNeeded(
        'max_price_cents: needs an access token, since it would tell prices that are masked.',
        'pricing:read',
      )
    }
    const filter = { tld, maxPriceCents: max_price_cents }
    const found = await findListings({ db, now, app }, marketplaceIn('live'), q, filter)
    const results = await Promise.all(
      found.map(async ({ domain, available, why, price_cents, currency }) => {
        const listing = await findLiveListing(db, domain)
        return {
          domain,
          ...publicPrice(caller, { price_cents, currency }),
          available,
          why,
          seller_words: listing ? sellersWords(listing) : null,
        }
      }),
    )
    return { query: q, results }
  },
})

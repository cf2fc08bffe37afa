import { sql } from 'kysely'
import { z } from 'zod'
import { userRead } from '../../core/operation.ts'
import { stringify } from '../../lib/csv.ts'
import { HOME_CURRENCY, unitsOf } from '../../lib/money.ts'
import { type Claim, txtOf } from '../claims/claim.ts'
import { MAX_ROWS } from './seller-csv.ts'

export const SELLER_CSV_COLUMNS = [
  'domain',
  'price',
  'floor',
  'min_offer',
  'offers',
  'currency',
  'status',
  'txt_name',
  'txt_value',
] as const

const STATUSES = ['for_sale', 'not_for_sale', 'waiting_for_proof'] as const
const dollars = (what: string) => z.string().nullable().describe(what)

const SellerDomain = z
  .object({
    domain: z.string().describe('The domain.'),
    price: dollars('Its price, or what is asked for it once it is proven; null is none.'),
    floor: dollars('The lowest price that you accept.'),
    min_offer: dollars('The least that an offer may be; null is any amount.'),
    offers: z.enum(['open', 'off']).nullable().describe('Whether buyers may offer less.'),
    currency: z.string().nullable().describe('The currency of the price.'),
    status: z.enum(STATUSES).describe('Whether it is for sale.'),
    txt_name: z.string().nullable().describe('The TXT record that proves it, where it is not.'),
    txt_value: z.string().nullable().describe('What that record has to hold.'),
  })
  .meta({ id: 'SellerDomain', description: "A domain of a seller's list." })

/** What a seller has and asks for it, in the form in which `sell_domains` takes it. */
export const listSellerDomains = userRead({
  name: 'list_seller_domains',
  summary: 'Your domains with their prices, as CSV',
  description:
    'Lists your domains and those that you have claimed, by name, with what you ask for each. With `Accept: text/csv` ' +
    'it is a file that you can change in a spreadsheet and send back to `POST /api/domains/csv`; the columns from ' +
    '`status` on are not read there. It has up to 50,000 domains: for those after them, pass the last one as `after`. ' +
    'Domains that are sold and being delivered are left out.',
  method: 'GET',
  path: '/api/domains/csv',
  rate: 'public',
  scope: 'domains:manage',
  cacheSeconds: 0,
  input: z.object({
    after: z.string().max(253).default('').describe('Only domains after this one.'),
    limit: z
      .int()
      .min(1)
      .max(MAX_ROWS)
      .default(MAX_ROWS)
      .describe('The largest number of domains to return.'),
  }),
  output: z.object({ domains: z.array(SellerDomain).describe('By name.') }),
  csv: ({ domains }) => stringify(SELLER_CSV_COLUMNS, domains),
  status: 200,
  errors: ['validation_error', 'unauthorized', 'forbidden', 'insufficient_scope'],
  example: {
    input: { limit: 1 },
    output: {
      domains: [
        {
          domain: 'petpantry.com',
          price: '2500.00',
          floor: '2000.00',
          min_offer: '1000.00',
          offers: 'open',
          currency: 'USD',
          status: 'for_sale',
          txt_name: null,
          txt_value: null,
        },
      ],
    },
  },
  async handler({ db, userId }, { after, limit }) {
    const { rows } = await sql<SellerRow>`
      select * from (
        select o.domain, null as token, case when l.domain is null then 'not_for_sale' else 'for_sale' end as status,
          l.price_cents, l.floor_price_cents, l.min_offer_cents, l.offers, l.currency
        from owned_domains o left join listings l on l.environment = 'live' and l.domain = o.domain
          and l.status = 'listed' and l.seller_id = o.user_id
        where o.user_id = ${userId} and not exists (select from listings s where s.environment = 'live'
          and s.domain = o.domain and s.status = 'sold' and s.seller_id = o.user_id)
        union all
        select domain, token, 'waiting_for_proof', price_cents, floor_price_cents, min_offer_cents, offers,
          ${HOME_CURRENCY} from claims where user_id = ${userId} and status = 'pending'
      ) as d where domain > ${after} order by domain limit ${limit}`.execute(db)
    return { domains: rows.map(viewSellerRow) }
  },
})

interface SellerRow {
  domain: string
  token: Claim['token'] | null
  status: (typeof STATUSES)[number]
  price_cents: number | null
  floor_price_cents: number | null
  min_offer_cents: number | null
  offers: 'off' | 'open' | null
  currency: string | null
}

function viewSellerRow({ domain, token, status, offers, ...row }: SellerRow) {
  const currency = row.currency ?? HOME_CURRENCY
  const units = (cents: number | null) => (cents === null ? null : unitsOf(cents, currency))
  const txt = token === null ? null : txtOf({ domain, token })
  return {
    domain,
    price: units(row.price_cents),
    floor: units(row.floor_price_cents),
    min_offer: units(row.min_offer_cents),
    offers,
    currency: row.price_cents === null ? null : currency,
    status,
    txt_name: txt?.name ?? null,
    txt_value: txt?.value ?? null,
  }
}

import { parseDomainName } from 'domain-marketplace-domain-names'
import { sql } from 'kysely'
import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { likeText, textField } from '../../core/fields.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import type { Database } from '../../db/dialect.ts'
import { findOrders } from '../../domain/orders/find-orders.ts'

/** Of each kind at most. */
const MOST = 10

const KINDS = [
  'order',
  'quote',
  'offer',
  'case',
  'partner',
  'user',
  'payout',
  'settlement',
  'payment',
  'listing',
] as const

const Found = z.object({
  kind: z.enum(KINDS),
  id: z.string().describe('Its id; of a listing the domain.'),
  label: z.string().describe('What people call it: a domain, a name or an address.'),
  status: z.string().nullable(),
  /** Null of what is in both. */
  environment: z.enum(ENVIRONMENTS).nullable(),
  partner_id: z.string().nullable(),
})
type Row = z.output<typeof Found>

/** One search over everything that has a page in the console: whole ids and domains, beginnings of names and addresses. */
export const searchAll = adminRead({
  name: 'search_all',
  roles: READERS,
  summary: 'Find anything by its id, domain, name or e-mail address',
  description:
    'Ids and domains match as a whole, names of partners by a part, addresses of users by their beginning. At most 10 of each kind, newest first.',
  method: 'GET',
  path: '/search',
  input: z.object({
    q: textField(254).min(1, 'must not be empty').describe('What to look for.'),
  }),
  output: z.object({ results: z.array(Found) }),
  status: 200,
  errors: ['validation_error'],
  async handler({ db }, { q }) {
    const text = q.trim()
    const domain = parseDomainName(text)?.domain
    const found = await Promise.all([
      byId(db, text),
      ...(domain === undefined ? [] : [byDomain(db, domain)]),
      byName(db, text.toLowerCase()),
    ])
    return { results: found.flat() }
  },
})

/** Each kind of id has its own beginning, and so its own table. */
async function byId(db: Database, id: string): Promise<Row[]> {
  const [prefix = ''] = id.split('_')
  const known = Object.hasOwn(BY_PREFIX, prefix) ? BY_PREFIX[prefix] : undefined
  if (!known) return []
  const { kind, table, key, label, environment = sql`environment::text` } = known
  const { rows } =
    await sql<Row>`select ${kind}::text as kind, ${sql.ref(key)} as id, ${label} as label,
    ${known.status ?? sql`null`} as status, ${environment} as environment,
    ${known.partner ?? sql`partner_id`} as partner_id
    from ${sql.table(table)} where ${sql.ref(key)} = ${id}`.execute(db)
  return rows
}

type Kind = Row['kind']
const BY_PREFIX: Record<
  string,
  {
    kind: Kind
    table: string
    key: string
    label: ReturnType<typeof sql>
    status?: ReturnType<typeof sql>
    environment?: ReturnType<typeof sql>
    partner?: ReturnType<typeof sql>
  }
> = {
  ord: {
    kind: 'order',
    table: 'orders',
    key: 'public_id',
    label: sql`domain`,
    status: sql`status`,
  },
  qt: { kind: 'quote', table: 'quotes', key: 'id', label: sql`domain`, status: sql`status` },
  ofr: { kind: 'offer', table: 'offers', key: 'offer_id', label: sql`domain`, status: sql`status` },
  case: {
    kind: 'case',
    table: 'brokerage_cases',
    key: 'case_id',
    label: sql`domain`,
    status: sql`status`,
  },
  prt: {
    kind: 'partner',
    table: 'partners',
    key: 'id',
    label: sql`name`,
    status: sql`status`,
    environment: sql`null`,
    partner: sql`id`,
  },
  usr: { kind: 'user', table: 'users', key: 'id', label: sql`email`, environment: sql`null` },
  po: {
    kind: 'payout',
    table: 'payouts',
    key: 'id',
    label: sql`(select name from partners where id = partner_id)`,
    status: sql`status`,
  },
  stl: {
    kind: 'settlement',
    table: 'settlements',
    key: 'id',
    label: sql`(select name from partners where id = partner_id)`,
    status: sql`status`,
  },
  pay: {
    kind: 'payment',
    table: 'payments',
    key: 'id',
    label: sql`coalesce(public_id, id)`,
    status: sql`status`,
  },
}

/** Only what an index of the domain finds: a quote is found by its id, and an offer while it runs. */
async function byDomain(db: Database, domain: string): Promise<Row[]> {
  const [orders, { rows }] = await Promise.all([
    findOrders(db, { q: domain }, null, MOST),
    sql<Row>`
      (select 'case' as kind, case_id as id, domain as label, status, environment::text as environment,
        partner_id from brokerage_cases
        where environment in ('live', 'sandbox') and domain = ${domain} order by case_id desc limit ${MOST})
      union all
      (select 'offer', offer_id, domain, status, environment::text, partner_id from offers
        where environment in ('live', 'sandbox') and domain = ${domain} and ended_at is null
        order by offer_id desc limit ${MOST})
      union all
      (select 'listing', domain, domain, status, environment::text, null from listings
        where environment in ('live', 'sandbox') and domain = ${domain})`.execute(db),
  ])
  return [
    ...orders.map(({ public_id, status, environment, partner_id }) => ({
      kind: 'order' as const,
      id: public_id,
      label: domain,
      status,
      environment,
      partner_id,
    })),
    ...rows,
  ]
}

async function byName(db: Database, text: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    (select 'partner' as kind, id, name as label, status, null as environment, id as partner_id
      from partners
      where lower(name) like ${`%${likeText(text)}%`} order by id desc limit ${MOST})
    union all
    (select 'user', id, email, null, null, partner_id from users
      where email like ${`${likeText(text)}%`} order by id desc limit ${MOST})`.execute(db)
  return rows
}

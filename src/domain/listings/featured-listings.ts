import { sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import { dateOf } from '../../core/fields.ts'
import type { Database } from '../../db/dialect.ts'
import { sha256Hex } from '../../lib/signature.ts'

/** Of so many that came last the day's names are picked: imports bring hundreds of one moment. */
const PICKED_FROM = 500
/** A seller has so many of them at most, however many names came with one file. */
const OF_A_SELLER = 3
const LOOKED_AT = 2_000

interface Featured {
  domain: string
  price_cents: number
  currency: string
}

/** Some of what came on the market last and can be bought now: others each day, the same ones all day. */
export async function featuredListings(
  db: Database,
  now: Date,
  environment: Environment,
  count: number,
): Promise<Featured[]> {
  const { rows } = await sql<Featured>`
    select domain, price_cents, currency
    from (
      select *, row_number() over (partition by seller_id order by listed_at desc, domain desc) as nth
      from (
        select domain, price_cents, currency, seller_id, listed_at, reserved_until, sells_from
        from listings
        where environment = ${environment} and status = 'listed'
        order by listed_at desc, domain desc limit ${LOOKED_AT}
      ) recent
    ) ranked
    where (seller_id is null or nth <= ${OF_A_SELLER})
      and coalesce(greatest(reserved_until, sells_from) <= ${now}, true)
    order by listed_at desc, domain desc limit ${PICKED_FROM}`.execute(db)
  const day = dateOf(now)
  return rows
    .map((row) => ({ row, place: sha256Hex(`${day} ${row.domain}`) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, count)
    .map(({ row }) => row)
}

/** Whether anything is for sale there. */
export async function hasListings(db: Database, environment: Environment): Promise<boolean> {
  const row = await db
    .selectFrom('listings')
    .select('domain')
    .where('environment', '=', environment)
    .where('status', '=', 'listed')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

import type { Environment } from '../../core/caller.ts'
import { dateOf } from '../../core/fields.ts'
import type { Database } from '../../db/dialect.ts'
import { sha256Hex } from '../../lib/signature.ts'

/** Of so many that came last the day's names are picked: imports bring hundreds of one moment. */
const PICKED_FROM = 500

/** Some of what came on the market last: others each day, the same ones all day. */
export async function featuredListings(
  db: Database,
  now: Date,
  environment: Environment,
  count: number,
) {
  const rows = await db
    .selectFrom('listings')
    .select(['domain', 'price_cents', 'currency'])
    .where('environment', '=', environment)
    .where('status', '=', 'listed')
    .orderBy('listed_at', 'desc')
    .orderBy('domain', 'desc')
    .limit(PICKED_FROM)
    .execute()
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

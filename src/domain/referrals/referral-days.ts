import { type RawBuilder, sql } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import { dateOf } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { after, DAY } from '../../lib/clock.ts'

const COUNTED = [
  'clicks',
  'unique_clicks',
  'bots',
  'checkouts',
  'sales',
  'gmv_cents',
  'commission_cents',
] as const
export type Counted = (typeof COUNTED)[number]
export type Totals = Record<Counted, number>

const NOTHING: Totals = {
  clicks: 0,
  unique_clicks: 0,
  bots: 0,
  checkouts: 0,
  sales: 0,
  gmv_cents: 0,
  commission_cents: 0,
}

/**
 * Adds to what a link did on a day, and all of its partner's together: totals are kept, so that reading them need
 * not count a history, of however many links. Both rows stay locked to the commit.
 */
export async function count(
  tx: Tx,
  { partnerId, environment }: Partner,
  linkId: string,
  at: Date,
  added: Partial<Totals>,
): Promise<void> {
  const counted = Object.entries(added).filter(([, by]) => by !== 0)
  if (counted.length === 0) return
  const day = { partner_id: partnerId, environment, date: dateOf(at) }
  const add = (insert: RawBuilder<unknown>, key: Record<string, string>) => {
    const row = Object.entries({ ...key, ...Object.fromEntries(counted) })
    return sql`${insert} as known (${sql.join(row.map(([column]) => sql.ref(column)))})
      values (${sql.join(row.map(([, value]) => value))})
      on conflict (${sql.join(Object.keys(key).map((column) => sql.ref(column)))}) do update
        set ${sql.join(
          counted.map(
            ([column]) =>
              sql`${sql.ref(column)} = known.${sql.ref(column)} + excluded.${sql.ref(column)}`,
          ),
        )}`
  }
  const ofLink = add(sql`insert into referral_days`, { ...day, link_id: linkId })
  const ofAll = add(sql`insert into referral_totals`, day)
  await sql`with link as (${ofLink}) ${ofAll}`.execute(tx)
}

/** Whole UTC days: from the first one's beginning to the last one's end. */
export interface Window {
  from: Date | null
  to: Date | null
}

/** Widens a window to whole days, which is what is counted. */
export function wholeDays({
  from,
  to,
}: {
  from?: Date | undefined
  to?: Date | undefined
}): Window {
  const floor = (moment: Date) => new Date(dateOf(moment))
  const end = to && floor(to)
  return {
    from: from ? floor(from) : null,
    to: to && end ? (end < to ? after(end, DAY) : end) : null,
  }
}

const SUMS = sql.join(
  COUNTED.map((column) => sql`sum(${sql.ref(column)})::bigint as ${sql.ref(column)}`),
)

function within({ partnerId, environment }: Partner, { from, to }: Window): RawBuilder<unknown> {
  return sql`partner_id = ${partnerId} and environment = ${environment}
    and date >= ${from ? dateOf(from) : '0001-01-01'}::date
    and date < ${to ? dateOf(to) : '9999-12-31'}::date`
}

/** What a partner's links did, day by day, oldest first; days on which nothing happened are not there. */
export async function readDays(
  db: Database,
  partner: Partner,
  window: Window,
): Promise<({ date: string } & Totals)[]> {
  const { rows } = await sql<{ date: string } & Totals>`
    select date::text as date, ${sql.join(COUNTED.map((column) => sql.ref(column)))}
    from referral_totals where ${within(partner, window)} order by referral_totals.date`.execute(db)
  return rows
}

/** What each of these links did since it was made. */
export async function readLinks(db: Database, linkIds: string[]): Promise<Map<string, Totals>> {
  const { rows } = await sql<{ link_id: string } & Totals>`
    select link_id, ${SUMS} from referral_days where link_id = any (${linkIds}::text[])
    group by link_id`.execute(db)
  return new Map(rows.map(({ link_id, ...totals }) => [link_id, totals]))
}

/** What one link did on each of so many days from `from` on, those of nothing among them. */
export async function readDaysOfLink(
  db: Database,
  linkId: string,
  from: Date,
  count: number,
): Promise<{ date: string; clicks: number; sales: number }[]> {
  const rows = await db
    .selectFrom('referral_days')
    .select([sql<string>`date::text`.as('date'), 'clicks', 'sales'])
    .where('link_id', '=', linkId)
    .where(sql<boolean>`date >= ${dateOf(from)}::date`)
    .execute()
  const known = new Map(rows.map((row) => [row.date, row]))
  return Array.from({ length: count }, (_, index) => {
    const date = dateOf(after(from, index * DAY))
    return known.get(date) ?? { date, clicks: 0, sales: 0 }
  })
}

export function addUp(days: Totals[]): Totals {
  const totals = { ...NOTHING }
  for (const day of days) for (const column of COUNTED) totals[column] += day[column]
  return totals
}

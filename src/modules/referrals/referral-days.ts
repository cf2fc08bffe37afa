import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../kernel/database/dialect.ts'
import { dateOf } from '../../kernel/fields.ts'
import type { Environment, Partner, Tx } from '../../kernel/operation.ts'
import { after, DAY } from '../../lib/clock.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    referral_days: {
      partner_id: string
      environment: Environment
      date: string
      link_id: string
    } & Record<Counted, number>
    referral_visitors: {
      partner_id: string
      environment: Environment
      date: string
      visitor: Uint8Array
    }
  }
}

const COUNTED = [
  'clicks',
  'unique_clicks',
  'bots',
  'checkouts',
  'sales',
  'gmv_cents',
  'commission_cents',
] as const
type Counted = (typeof COUNTED)[number]
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

/** Adds to what a link did on a day: totals are kept, so that reading them need not count a history. */
export async function count(
  tx: Tx,
  { partnerId, environment }: Partner,
  linkId: string,
  at: Date,
  added: Partial<Totals>,
): Promise<void> {
  const columns = COUNTED.filter((column) => (added[column] ?? 0) !== 0)
  if (columns.length === 0) return
  await tx
    .insertInto('referral_days')
    .values({
      ...NOTHING,
      ...added,
      partner_id: partnerId,
      environment,
      date: dateOf(at),
      link_id: linkId,
    })
    .onConflict((known) =>
      known
        .columns(['partner_id', 'environment', 'date', 'link_id'])
        .doUpdateSet((row) =>
          Object.fromEntries(
            columns.map((column) => [
              column,
              sql<number>`${row.ref(`referral_days.${column}`)} + ${row.ref(`excluded.${column}`)}`,
            ]),
          ),
        ),
    )
    .execute()
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
    select date::text as date, ${SUMS} from referral_days
    where ${within(partner, window)} group by referral_days.date
    order by referral_days.date`.execute(db)
  return rows
}

/** What each of these links did since it was made. */
export async function readLinks(db: Database, linkIds: string[]): Promise<Map<string, Totals>> {
  const { rows } = await sql<{ link_id: string } & Totals>`
    select link_id, ${SUMS} from referral_days where link_id = any (${linkIds}::text[])
    group by link_id`.execute(db)
  return new Map(rows.map(({ link_id, ...totals }) => [link_id, totals]))
}

export function addUp(days: Totals[]): Totals {
  const totals = { ...NOTHING }
  for (const day of days) for (const column of COUNTED) totals[column] += day[column]
  return totals
}

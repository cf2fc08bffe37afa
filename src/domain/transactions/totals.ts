import { type RawBuilder, sql } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import { dateOf } from '../../core/fields.ts'
import type { Database } from '../../db/dialect.ts'
import { after, DAY } from '../../lib/clock.ts'

/** From `from` on, and before `to`; absent: without end. */
export interface Span {
  from?: Date | undefined
  to?: Date | undefined
}

export interface Totals {
  gmv_cents: number
  commission_cents: number
  count: number
}

/**
 * What the sales of a span come to: whole UTC days are added up already, only those at its edges are read
 * sale by sale. `salesOf` gives all sales of a span, one row each; `filter` holds for days as for sales.
 */
export async function readTotals(
  db: Database,
  { partnerId, environment }: Partner,
  { from, to }: Span,
  filter: RawBuilder<unknown>,
  salesOf: (span: Required<Span>) => RawBuilder<unknown>,
): Promise<Totals> {
  const first = from && dayFrom(from)
  const end = to && new Date(dateOf(to))
  const edges =
    from && to && first && end && first > end
      ? [{ from, to }]
      : [
          ...(from && first && from < first ? [{ from, to: first }] : []),
          ...(to && end && end < to ? [{ from: end, to }] : []),
        ]
  const days = sql`
    select count, gmv_cents, commission_cents from sale_days
    where partner_id = ${partnerId} and environment = ${environment}
      and date >= ${first ? dateOf(first) : '0001-01-01'}::date
      and date < ${end ? dateOf(end) : '9999-12-31'}::date and ${filter}`
  const rest = edges.map(
    (edge) => sql`
    select 1, amount_cents, commission_cents from (${salesOf(edge)}) as s where ${filter}`,
  )
  // One statement, so that a sale that moves on meanwhile is counted once.
  const { rows } = await sql<Totals>`
    select coalesce(sum(gmv_cents), 0)::bigint as gmv_cents,
      coalesce(sum(commission_cents), 0)::bigint as commission_cents,
      coalesce(sum(count), 0)::bigint as count
    from (${sql.join([days, ...rest], sql` union all `)}) as counted`.execute(db)
  return rows[0] ?? { gmv_cents: 0, commission_cents: 0, count: 0 }
}

/** The first midnight from a moment on. */
function dayFrom(moment: Date): Date {
  const day = new Date(dateOf(moment))
  return day < moment ? after(day, DAY) : day
}

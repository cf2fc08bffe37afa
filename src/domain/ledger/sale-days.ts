import { type CompiledQuery, sql } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import { dateOf } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { prepared } from '../../db/prepared.ts'
import type { Schema } from '../../db/schema.ts'

/** Whether a sale was taken back: it was made all the same, and earns nothing. */
export function isReversed({ status }: { status: string }): boolean {
  return status === 'REFUNDED' || status === 'CANCELLED'
}

/** What a row of `orders` earns its partner: nothing, too, while a bank has the money. */
export const EARNED = sql`
  case when disputed or status in ('REFUNDED', 'CANCELLED') then 0 else commission_cents end`

/** A sale as its partner's totals count it. */
export interface CountedSale {
  /** When it was made, which decides its day for good. */
  at: Date
  payment_model: string
  status: string
  currency: string
  amount_cents: number
  /** What the partner keeps of it, or earns by it; see `EARNED`. */
  commission_cents: number
}

/**
 * The statement that keeps the totals of a day (UTC) as sales are made and move on: those from before no
 * longer count, those from after do. The rows stay locked to the commit, so it belongs where every
 * transaction has its other locks already, just before the events.
 */
export function countSales(
  partner: Partner,
  before: CountedSale[],
  after: CountedSale[],
): CompiledQuery {
  const sales = [...before, ...after]
  const signed = (pick: (sale: CountedSale) => number) =>
    sales.map((sale, index) => (index < before.length ? -pick(sale) : pick(sale)))
  return addToDays({
    ...partner,
    dates: sales.map(({ at }) => dateOf(at)),
    models: sales.map(({ payment_model }) => payment_model),
    statuses: sales.map(({ status }) => status),
    currencies: sales.map(({ currency }) => currency),
    counts: signed(() => 1),
    gmv: signed(({ amount_cents }) => amount_cents),
    commissions: signed(({ commission_cents }) => commission_cents),
  })
}

interface Changes extends Partner {
  dates: string[]
  models: string[]
  statuses: string[]
  currencies: string[]
  counts: number[]
  gmv: number[]
  commissions: number[]
}

const addToDays = prepared((db, changes: Changes) =>
  sql`
    insert into sale_days as d
      (partner_id, environment, date, payment_model, status, currency, count, gmv_cents, commission_cents)
    select ${changes.partnerId}, ${changes.environment}, date::date, payment_model, status, currency,
      sum(count), sum(gmv_cents), sum(commission_cents)
    from unnest(${changes.dates}::text[], ${changes.models}::text[], ${changes.statuses}::text[],
      ${changes.currencies}::text[], ${changes.counts}::bigint[], ${changes.gmv}::bigint[],
      ${changes.commissions}::bigint[])
      as change (date, payment_model, status, currency, count, gmv_cents, commission_cents)
    group by date, payment_model, status, currency
    having sum(count) <> 0 or sum(gmv_cents) <> 0 or sum(commission_cents) <> 0
    order by date, payment_model, status, currency
    on conflict (partner_id, environment, date, payment_model, status, currency) do update
      set count = d.count + excluded.count,
        gmv_cents = d.gmv_cents + excluded.gmv_cents,
        commission_cents = d.commission_cents + excluded.commission_cents`.compile(db),
)

/** Counts a sandbox's sales anew, each on the day that it is of now: its time was moved. */
export async function recountSandboxSales(tx: Tx, partnerId: string): Promise<void> {
  const own = sql`partner_id = ${partnerId} and environment = 'sandbox'`
  await sql`delete from sale_days where ${own}`.execute(tx)
  await sql`
    insert into sale_days
      (partner_id, environment, date, payment_model, status, currency, count, gmv_cents, commission_cents)
    select partner_id, environment, (created_at at time zone 'UTC')::date,
      payment_model, status, currency, count(*), sum(sale_price_cents), sum(${EARNED})
    from orders where ${own} group by 1, 2, 3, 4, 5, 6
    union all
    select partner_id, environment, (ended_at at time zone 'UTC')::date, 'brokerage', status, currency,
      count(*), sum(price_cents), sum(commission_cents)
    from brokerage_cases where ${own} and status = 'completed' group by 1, 2, 3, 4, 5, 6`.execute(
    tx,
  )
}

type SaleDay = Pick<
  Schema['sale_days'],
  'date' | 'payment_model' | 'status' | 'currency' | 'count' | 'gmv_cents' | 'commission_cents'
>

/** A partner's days from `from` to before `to`, oldest first; those on which nothing was sold are not there. */
export async function readSaleDays(
  db: Database,
  { partnerId, environment }: Partner,
  { from, to }: { from: Date; to: Date },
): Promise<SaleDay[]> {
  const { rows } = await sql<SaleDay>`
    select date::text as date, payment_model, status, currency, count, gmv_cents, commission_cents
    from sale_days
    where partner_id = ${partnerId} and environment = ${environment}
      and date >= ${dateOf(from)}::date and date < ${dateOf(to)}::date
    order by sale_days.date, payment_model, status`.execute(db)
  return rows
}

/** A sale that was taken back stays in `sales` and `gmv_cents`, and is not in `net_cents`. */
export function addUpSales(days: SaleDay[]) {
  const totals = { sales: 0, gmv_cents: 0, net_cents: 0, commission_cents: 0, taken_back: 0 }
  for (const day of days) {
    totals.sales += day.count
    totals.gmv_cents += day.gmv_cents
    totals.commission_cents += day.commission_cents
    if (isReversed(day)) totals.taken_back += day.count
    else totals.net_cents += day.gmv_cents
  }
  return totals
}

import {
  expectField,
  expectShape,
  expectStatus,
  idOf,
  orNull,
  type Shape,
  Skipped,
  text,
  time,
  whole,
} from './expect.ts'
import { type Check, checksOf } from './kit.ts'
import { eachList, sell } from './lists.ts'

const RULE = 'contract 10'

const check = checksOf('lists')

const STATEMENT: Shape = {
  id: idOf('stl_'),
  period_start: time,
  period_end: orNull(time),
  status: text,
  currency: text,
  order_count: whole,
  gross_sold_cents: whole,
  commission_retained_cents: whole,
  refunded_cents: whole,
  amount_owed_cents: whole,
}
const PAYOUT: Shape = {
  id: idOf('po_'),
  amount_cents: whole,
  currency: text,
  status: text,
  kind: text,
  created_at: time,
  paid_at: orNull(time),
}
/** What stands on lists of money beside `next_cursor`, and on their entries. */
const MONEY_LISTS: Record<string, [page: Shape, entry: Shape]> = {
  '/settlements': [{}, STATEMENT],
  '/payouts': [{ total_paid_cents: whole }, PAYOUT],
  '/me/payouts': [{ total_paid_cents: whole }, PAYOUT],
  '/me/commissions': [{ balance_cents: whole }, { amount_cents: whole, balance_cents: whole }],
}

export const MONEY_READS: Check[] = [
  check(RULE, 'gives statements and payouts all their fields', (kit) =>
    eachList(kit, async (read, { target, field }) => {
      const [page = {}, entry = {}] = MONEY_LISTS[target] ?? []
      const { body, operation } = expectStatus(await read('limit=100'), 200)
      expectShape(body, page, operation)
      for (const one of body[field]) expectShape(one, entry, `an entry of ${operation}`)
    }),
  ),
  check(RULE, 'adds the totals up over the whole filter, not the page', async (kit) => {
    const { since } = await sell(kit, 2)
    const page = await kit.get(`/transactions?${since}&limit=1`)
    if (page.status === 403) throw new Skipped('the credential lacks the scope report')
    expectStatus(page, 200)
    const all = expectStatus(await kit.get(`/transactions?${since}&limit=100`), 200).body
    const sum = (field: string) =>
      all.transactions.reduce(
        (total: number, one: Record<string, number>) => total + (one[field] ?? 0),
        0,
      )
    for (const [field, wanted] of [
      ['count', all.transactions.length],
      ['gmv_cents', sum('amount_cents')],
      ['commission_cents', sum('commission_cents')],
    ] as const) {
      expectField(page, `totals.${field}`, wanted)
    }
  }),
]

import { z } from 'zod'
import { ENVIRONMENTS, partnerOf } from '../../core/caller.ts'
import { readPage } from '../../core/cursor.ts'
import { conflict, moveNotOpen } from '../../core/errors.ts'
import { paging, textField } from '../../core/fields.ts'
import { adminRead, adminWrite, type Tx } from '../../core/operation.ts'
import { stringify } from '../../lib/csv.ts'
import { postCommissions } from '../ledger/commissions.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { linesOf, makePayouts } from './make-payouts.ts'
import {
  lockPayout,
  PAYOUT_STATUSES,
  type Payout,
  type PayoutStatus,
  PayoutView,
  readLines,
  viewPayout,
} from './payout.ts'

const AdminPayoutView = PayoutView.extend({
  partner_id: z.string(),
  environment: z.enum(ENVIRONMENTS),
  reason: z.string().nullable(),
})

function viewForOperator(payout: Payout): z.output<typeof AdminPayoutView> {
  const { partner_id, environment, reason } = payout
  return { ...viewPayout(payout), partner_id, environment, reason }
}

export const createPayouts = adminWrite({
  name: 'create_payouts',
  summary: 'Make payouts of all payable balances',
  method: 'POST',
  path: '/payouts',
  input: z.object({
    environment: z.enum(ENVIRONMENTS),
    expected_total_cents: z
      .int()
      .optional()
      .describe('The total of a preview; a batch that would pay another amount is rejected.'),
  }),
  output: z.object({
    payouts: z.array(AdminPayoutView),
    count: z.int(),
    total_cents: z.int(),
  }),
  status: 201,
  errors: ['validation_error', 'conflict'],
  async handler({ tx, now, app }, { environment, expected_total_cents }) {
    const payouts = await makePayouts(tx, now, app.settings, environment)
    const total_cents = payouts.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
    if (expected_total_cents !== undefined && expected_total_cents !== total_cents) {
      throw conflict(
        'changed_meanwhile',
        'What is payable has changed since you looked, so no payout was made. Look again.',
        { total_cents },
      )
    }
    return { payouts: payouts.map(viewForOperator), count: payouts.length, total_cents }
  },
})

/** Every move of a payout. Money that has left does not come back by a move. */
const MOVES = {
  process: { from: ['pending'], to: 'processing' },
  paid: { from: ['pending', 'processing'], to: 'paid' },
  fail: { from: ['pending', 'processing'], to: 'failed' },
  cancel: { from: ['pending'], to: 'canceled' },
} as const satisfies Record<string, { from: readonly PayoutStatus[]; to: PayoutStatus }>
type MoveName = keyof typeof MOVES

export const movePayout = adminWrite({
  name: 'move_payout',
  summary: 'Move a payout: process, paid, fail, cancel',
  method: 'POST',
  path: '/payouts/{id}/{move}',
  input: z.object({
    id: z.string(),
    move: z.enum(Object.keys(MOVES) as [MoveName, ...MoveName[]]),
    reason: textField(1000).nullish(),
  }),
  output: AdminPayoutView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now }, { id, move, reason = null }) {
    const payout = await lockPayout(tx, id)
    const { from, to }: { from: readonly PayoutStatus[]; to: PayoutStatus } = MOVES[move]
    if (!from.includes(payout.status)) {
      throw moveNotOpen(move, 'payout', payout.status)
    }
    const moved: Payout = {
      ...payout,
      status: to,
      reason,
      updated_at: now,
      paid_at: to === 'paid' ? now : null,
    }
    const { status, paid_at, updated_at } = moved
    await tx
      .updateTable('payouts')
      .set({ status, reason, paid_at, updated_at })
      .where('id', '=', id)
      .execute()
    if (to === 'paid') await payOut(tx, now, moved)
    if (to === 'failed' || to === 'canceled') await giveBack(tx, now, moved)
    return viewForOperator(moved)
  },
})

async function payOut(tx: Tx, now: Date, payout: Payout): Promise<void> {
  const entries = netted(await readLines(tx, payout.id))
  const moves = linesOf(payout, entries, 'paid_out')
  await tx.executeQuery(postCommissions(tx, now, partnerOf(payout), payout.currency, moves))
}

/**
 * What is paid of each earning: what was taken back in the same payout is paid to nobody, first of its own
 * sale, then of the others in the order in which they came. So `paid_out` always subtracts.
 */
function netted<Line extends { type: string; sale_id: string; amount_cents: number }>(
  lines: Line[],
): Line[] {
  const earned = lines.filter(({ amount_cents }) => amount_cents > 0).map((line) => ({ ...line }))
  for (const { sale_id, amount_cents } of lines.filter((line) => line.amount_cents < 0)) {
    let owed = -amount_cents
    const own = earned.filter((line) => line.sale_id === sale_id)
    for (const line of [...own, ...earned]) {
      const taken = Math.min(owed, line.amount_cents)
      line.amount_cents -= taken
      owed -= taken
    }
  }
  return earned.filter(({ amount_cents }) => amount_cents > 0)
}

/** What did not arrive is payable again, by another payout. */
async function giveBack(tx: Tx, now: Date, payout: Payout): Promise<void> {
  await tx
    .updateTable('payout_lines')
    .set({ active: false })
    .where('payout_id', '=', payout.id)
    .execute()
  await tx.executeQuery(
    post(now, {
      ...partnerOf(payout),
      code: 'payout_returned',
      source: payout.id,
      settlementId: null,
      currency: payout.currency,
      entries: transfer('payouts_pending', 'commission_payable', payout.amount_cents),
    }),
  )
}

const AllPayouts = z.object({
  payouts: z.array(AdminPayoutView),
  next_cursor: z.string().nullable(),
})

export const listAllPayouts = adminRead({
  name: 'list_all_payouts',
  summary: 'Payouts of all partners, newest first; as CSV for the bank on request',
  method: 'GET',
  path: '/payouts',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).optional(),
    partner_id: z.string().optional(),
    status: z.enum(PAYOUT_STATUSES).optional(),
    ...paging,
  }),
  output: AllPayouts,
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  csv: ({ payouts }: z.output<typeof AllPayouts>) =>
    stringify(
      ['id', 'partner_id', 'amount_cents', 'currency', 'kind', 'status', 'created_at'],
      payouts,
    ),
  async handler({ db }, { limit, cursor, ...filters }) {
    const bound = { list: 'all_payouts', ...filters }
    let query = db.selectFrom('payouts').selectAll()
    if (filters.environment) query = query.where('environment', '=', filters.environment)
    if (filters.partner_id) query = query.where('partner_id', '=', filters.partner_id)
    if (filters.status) query = query.where('status', '=', filters.status)
    const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
    return { payouts: rows.map(viewForOperator), next_cursor }
  },
})

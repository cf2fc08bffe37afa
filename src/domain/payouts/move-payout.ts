import { z } from 'zod'
import { partnerOf } from '../../core/caller.ts'
import { conflict, moveNotOpen } from '../../core/errors.ts'
import { textField } from '../../core/fields.ts'
import { adminWrite, type Tx } from '../../core/operation.ts'
import { FINANCE } from '../../core/roles.ts'
import type { Settings } from '../../core/settings.ts'
import { postCommissions } from '../ledger/commissions.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { AdminPayoutView, viewForOperator } from './admin-payout.ts'
import { needsApproval } from './approve-payout.ts'
import { linesOf } from './make-payouts.ts'
import { lockPayout, type Payout, type PayoutStatus, readLines } from './payout.ts'
import { paidMail, returnedMail } from './payout-mails.ts'

/** Every move of a payout. `return` is for money that came back after it had arrived, as of an account that was closed. */
const MOVES = {
  process: { from: ['pending'], to: 'processing' },
  paid: { from: ['pending', 'processing'], to: 'paid' },
  fail: { from: ['pending', 'processing'], to: 'failed' },
  cancel: { from: ['pending'], to: 'canceled' },
  return: { from: ['paid'], to: 'failed' },
} as const satisfies Record<string, { from: readonly PayoutStatus[]; to: PayoutStatus }>
type MoveName = keyof typeof MOVES

export const movePayout = adminWrite({
  name: 'move_payout',
  roles: FINANCE,
  recent: true,
  summary: 'Move a payout: process, paid, fail, cancel, return',
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
  async handler({ tx, now, app }, { id, move, reason = null }) {
    const payout = await lockPayout(tx, id)
    if ((move === 'process' || move === 'paid') && needsApproval(app.settings, payout)) {
      const who =
        payout.created_by === null ? 'somebody' : `somebody else than ${payout.created_by}`
      throw conflict(
        'approval_required',
        `The payout is above FOUR_EYES_CENTS: ${who} has to approve it first.`,
      )
    }
    if (payout.due_at !== null) {
      throw conflict(
        'not_applicable',
        'The provider is sending this payout, and says itself what becomes of it.',
      )
    }
    return viewForOperator(await applyMove({ tx, now, app }, payout, move, reason))
  },
})

interface Work {
  tx: Tx
  now: Date
  app: { settings: Pick<Settings, 'baseUrl'> }
}

/** Moves a payout that this transaction holds; `conflict` where its status does not allow it. */
export async function applyMove(
  { tx, now, app }: Work,
  payout: Payout,
  move: MoveName,
  reason: string | null,
): Promise<Payout> {
  const { from, to }: { from: readonly PayoutStatus[]; to: PayoutStatus } = MOVES[move]
  if (!from.includes(payout.status)) throw moveNotOpen(move, 'payout', payout.status)
  const change = {
    status: to,
    reason,
    updated_at: now,
    paid_at: to === 'paid' ? now : null,
    due_at: to === 'processing' ? payout.due_at : null,
  }
  await tx.updateTable('payouts').set(change).where('id', '=', payout.id).execute()
  const moved: Payout = { ...payout, ...change }
  if (move === 'paid') await payOut(tx, now, payout)
  if (move === 'return') await takeIn(tx, now, moved, app.settings)
  if (to === 'failed' || to === 'canceled') await giveBack(tx, now, moved)
  return moved
}

/** Of a payout as it was before. */
async function payOut(tx: Tx, now: Date, payout: Payout): Promise<void> {
  const entries = netted(await readLines(tx, payout.id))
  const moves = linesOf(payout, entries, 'paid_out')
  await tx.executeQuery(postCommissions(tx, now, partnerOf(payout), payout.currency, moves))
  const mail = await paidMail(tx, now, payout, entries)
  if (mail) await tx.executeQuery(mail)
}

/** What had been paid is owed again: each of its postings the other way round. */
async function takeIn(
  tx: Tx,
  now: Date,
  payout: Payout,
  settings: Pick<Settings, 'baseUrl'>,
): Promise<void> {
  const moves = linesOf(payout, netted(await readLines(tx, payout.id)), 'paid_out')
  const back = moves.map((move) => ({ ...move, cents: -move.cents, isReturn: true }))
  await tx.executeQuery(postCommissions(tx, now, partnerOf(payout), payout.currency, back))
  const mail = await returnedMail(tx, now, payout, settings)
  if (mail) await tx.executeQuery(mail)
}

/**
 * What is paid of each earning: what was taken back in the same payout is paid to nobody, first of its own
 * sale, then of the others in the order in which they came.
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

import { conflict } from '../../core/errors.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import { isReversed } from '../ledger/sale-days.ts'
import { disputeOrder } from '../orders/dispute-order.ts'
import { lockOrder } from '../orders/order.ts'
import {
  type Dispute,
  type DisputeStep,
  type DisputeUpdate,
  followDispute,
  moveFunds,
  refundedBy,
  takenBy,
} from '../payments/dispute.ts'
import {
  lockPayment,
  type Payment,
  type PaymentStatus,
  refundCents,
  updatePayment,
} from '../payments/payment.ts'
import { settleByBank } from '../payments/refund-order.ts'

type Context = Pick<WriteContext, 'tx' | 'now'>

/** Where a payment's money is with the marketplace, or on its way back through the marketplace. */
const DISPUTABLE: PaymentStatus[] = ['succeeded', 'refund_due', 'refund_failed', 'charged_back']

/**
 * Takes in how a dispute stands, any number of times and in any order. What happens follows the money:
 * taken, the sale earns nothing; given back, it earns again; decided for the buyer, it is a loss, unless
 * the buyer was owed a refund anyway.
 */
export async function settleDispute(
  context: Context,
  paymentId: string,
  update: DisputeUpdate,
): Promise<void> {
  const { tx, now } = context
  await lockOrderOf(tx, paymentId)
  const payment = await lockPayment(tx, paymentId)
  if (!payment) return
  const disputed = { ...payment, payment_id: payment.id, charge_id: null }
  const { dispute, steps } = await followDispute(tx, now, disputed, update)
  for (const step of steps) await STEPS[step](context, paymentId, dispute)
}

const STEPS: Record<DisputeStep, typeof withdraw> = {
  withdrawn: withdraw,
  reinstated: reinstate,
  lost: lose,
}

/** The order first, as its own moves do, so that no two wait for each other. */
export async function lockOrderOf(tx: Tx, paymentId: string): Promise<void> {
  const payment = await tx
    .selectFrom('payments')
    .select('public_id')
    .where('id', '=', paymentId)
    .executeTakeFirst()
  if (payment?.public_id) await lockOrder(tx, payment.public_id)
}

async function withdraw({ tx, now }: Context, paymentId: string, { id }: Dispute): Promise<void> {
  const { payment, order, isOwed } = await readAgain(tx, paymentId)
  // What is owed was settled by what banks gave before.
  const isSettled = payment.status === 'charged_back' && isOwed
  if (isSettled || !DISPUTABLE.includes(payment.status)) return
  await updatePayment(tx, paymentId, now, { status: 'disputed', due_at: null })
  if (order) await disputeOrder(tx, now, order, id, 'payment.disputed')
}

async function reinstate({ tx, now }: Context, paymentId: string, { id }: Dispute): Promise<void> {
  const { payment, order, isOwed } = await readAgain(tx, paymentId)
  const refunded = await refundedBy(tx, id)
  if (refunded > 0) {
    await oweAgain(tx, now, payment, id, refunded)
  } else {
    const { count, isUndecided } = await takenBy(tx, { payment_id: paymentId })
    if (isUndecided) return
    if (count > 0) return await leaveToBanks(tx, now, payment, isOwed)
    if (payment.status !== 'disputed' && payment.status !== 'charged_back') return
    await updatePayment(
      tx,
      paymentId,
      now,
      isOwed
        ? {
            status: 'refund_due',
            refund_round: payment.refund_round + 1,
            due_at: now,
            attempts: 0,
          }
        : { status: 'succeeded' },
    )
  }
  if (order) await disputeOrder(tx, now, order, id, 'payment.dispute_won')
}

/** What the bank gave to the buyer in the place of a refund is owed again, in a round of its own. */
async function oweAgain(
  tx: Tx,
  now: Date,
  payment: Payment,
  disputeId: string,
  cents: number,
): Promise<void> {
  if (payment.status === 'refund_due') {
    throw conflict(
      'not_allowed_now',
      'The rest of the refund is on its way to the card. Tell this again after it.',
      {
        status: payment.status,
      },
    )
  }
  await moveFunds(tx, now, payment, 'chargeback_undone', disputeId, cents, [
    'dispute_losses',
    'buyer_refunds',
  ])
  const isOpen = payment.status === 'refund_failed' || payment.status === 'disputed'
  const owed = cents + (isOpen ? refundCents(payment) : 0)
  const refund_cents = owed >= payment.amount_cents ? null : owed
  // Another bank has not decided yet: it is sent then.
  if (payment.status === 'disputed') {
    return await updatePayment(tx, payment.id, now, { refund_cents })
  }
  await updatePayment(tx, payment.id, now, {
    status: 'refund_due',
    refund_cents,
    refund_round: payment.refund_round + 1,
    due_at: now,
    attempts: 0,
  })
}

async function lose({ tx, now }: Context, paymentId: string, { id }: Dispute): Promise<void> {
  const { payment, order, isOwed } = await readAgain(tx, paymentId)
  if (payment.status !== 'disputed') return
  const { isUndecided } = await takenBy(tx, { payment_id: paymentId })
  if (!isUndecided) await leaveToBanks(tx, now, payment, isOwed)
  if (order) await disputeOrder(tx, now, order, id, 'payment.dispute_lost')
}

/** What they keep is the buyer's, once they have decided over all of it: until then nobody else pays it. */
async function leaveToBanks(tx: Tx, now: Date, payment: Payment, isOwed: boolean): Promise<void> {
  if (payment.status !== 'disputed') return
  await updatePayment(tx, payment.id, now, { status: 'charged_back' })
  if (isOwed) await settleByBank(tx, now, payment)
}

/** How payment and order stand now; both are held already. Owed: the buyer is to have the money back. */
async function readAgain(tx: Tx, paymentId: string) {
  const payment = await tx
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', paymentId)
    .executeTakeFirstOrThrow()
  const order = payment.public_id ? await lockOrder(tx, payment.public_id) : null
  const isOwed = !order || isReversed(order)
  return { payment, order, isOwed }
}

import { inTransaction } from '../../kernel/database/transaction.ts'
import type { House } from '../../kernel/house.ts'
import type { Tx, WriteContext } from '../../kernel/operation.ts'
import type { LedgerCode } from '../ledger/ledger.ts'
import { lockOrder } from '../orders/order.ts'
import { takeBack } from '../orders/request-refund.ts'
import { isRefundable } from '../orders/status.ts'
import { moveFunds } from '../payments/dispute.ts'
import { lockPayment, type Payment, refundCents, updatePayment } from '../payments/payment.ts'
import type { PaymentRefundNews, RefundOutcome, RefundPart } from '../payments/provider.ts'
import { lockOrderOf } from './settle-dispute.ts'

/** What a refund's reference, or its round, is the source of. */
const REFUND_CODES: LedgerCode[] = [
  'card_refund',
  'card_refund_failed',
  'goodwill_refund',
  'goodwill_failed',
  'goodwill_applied',
]
const NOTE = 'The payment was refunded at the payment provider.'

/** Sends a refund that is due. What is refused waits for an operator; what may pass is thrown. */
export async function refundPayment(house: House, payment: Payment): Promise<void> {
  const outcome = await house.payments.byName(payment.provider).refund(payment)
  const now = house.clock.now()
  await inTransaction(house, (tx) => noteRefund(tx, now, payment, outcome))
  if (outcome.kind === 'refused') {
    house.log.error(
      { payment_id: payment.id, reason: outcome.reason },
      'payments: a refund was refused and waits for an operator',
    )
  }
}

async function noteRefund(
  tx: Tx,
  now: Date,
  { id, refund_round }: Payment,
  outcome: RefundOutcome,
): Promise<void> {
  const payment = await lockPayment(tx, id)
  // A dispute may have come between: the refund has been taken all the same.
  if (payment?.refund_round !== refund_round) return
  if (outcome.kind === 'refused') {
    if (payment.status !== 'refund_due') return
    return await updatePayment(tx, id, now, {
      status: 'refund_failed',
      refund_note: outcome.reason,
      refund_ref: outcome.ref,
      due_at: null,
    })
  }
  await bookGoodwill(tx, now, payment, outcome.others)
  if (payment.status !== 'refund_due' && payment.status !== 'disputed') return
  await noteTaken(tx, now, payment, outcome)
}

/** What was owed has gone back: by this refund, and what it did not have to send by goodwill from before. */
async function noteTaken(
  tx: Tx,
  now: Date,
  payment: Payment,
  { ref, amountCents }: RefundPart,
): Promise<void> {
  await updatePayment(tx, payment.id, now, {
    status: 'refunded',
    refund_ref: ref,
    refund_note: null,
    due_at: null,
  })
  const owed = refundCents(payment)
  const sent = Math.min(amountCents, owed)
  await moveFunds(tx, now, payment, 'card_refund', ref, sent, ['buyer_refunds', 'card_funds'])
  await moveFunds(tx, now, payment, 'goodwill_applied', roundOf(payment), owed - sent, [
    'buyer_refunds',
    'goodwill_refunds',
  ])
}

function roundOf({ id, refund_round }: Payment): string {
  return `${id}:${refund_round}`
}

async function bookGoodwill(
  tx: Tx,
  now: Date,
  payment: Payment,
  refunds: RefundPart[],
): Promise<void> {
  for (const { ref, amountCents } of refunds) {
    await moveFunds(tx, now, payment, 'goodwill_refund', ref, amountCents, [
      'goodwill_refunds',
      'card_funds',
    ])
  }
}

type Context = Pick<WriteContext, 'tx' | 'now' | 'house'>
type FailedRefund = Pick<PaymentRefundNews, 'ref' | 'round'> & { failure: string }

/** Takes in how a refund stands, whoever made it, any number of times. */
export async function noteRefundNews(
  context: Context,
  paymentId: string,
  news: PaymentRefundNews,
): Promise<void> {
  const { failure } = news
  if (failure !== null) return await noteFailedRefund(context, paymentId, { ...news, failure })
  // Of ours the answer to our own call tells.
  if (news.round === null) await noteRefundElsewhere(context, paymentId, news)
}

/**
 * An operator gave money back at the provider itself. Where it is what we owe, that is our refund. Of a sale that
 * stands, all of it undoes the sale, where that is still possible. Anything else is goodwill.
 */
async function noteRefundElsewhere(
  { tx, now, house }: Context,
  paymentId: string,
  { ref, amountCents, totalCents }: PaymentRefundNews,
): Promise<void> {
  await lockOrderOf(tx, paymentId)
  const payment = await lockPayment(tx, paymentId)
  if (!payment || Object.keys(await bookedOf(tx, ref)).length > 0) return
  const owed = refundCents(payment)
  if (payment.status === 'refund_failed' && amountCents >= owed) {
    await noteTaken(tx, now, payment, { ref, amountCents })
    return await bookGoodwill(tx, now, payment, [{ ref, amountCents: amountCents - owed }])
  }
  await bookGoodwill(tx, now, payment, [{ ref, amountCents }])
  const order = payment.public_id === null ? null : await lockOrder(tx, payment.public_id)
  const isAll = payment.status === 'succeeded' && totalCents >= payment.amount_cents
  // Our own refund finds then that nothing is left to send.
  if (order && isAll && isRefundable(order)) {
    await takeBack({ tx, now }, order, 'refund', 'operator', 'other', NOTE)
    return
  }
  const { public_id, status } = payment
  house.log.warn(
    { payment_id: paymentId, public_id, status, refund_ref: ref, amount_cents: amountCents },
    'payments: a refund at the provider itself is booked as goodwill',
  )
}

/**
 * A refund that the provider had taken did not arrive. The money is back, and the buyer's still, unless it was
 * goodwill.
 */
export async function noteFailedRefund(
  { tx, now, house }: Context,
  paymentId: string,
  { ref, round, failure }: FailedRefund,
): Promise<void> {
  const payment = await lockPayment(tx, paymentId)
  if (!payment || (payment.status === 'refund_failed' && payment.refund_ref === ref)) return
  const booked = await bookedOf(tx, ref)
  if (booked.card_refund_failed || booked.goodwill_failed) return
  const { card_refund: ours = 0, goodwill_refund: goodwill = 0 } = booked
  await moveFunds(tx, now, payment, 'card_refund_failed', ref, ours, [
    'card_funds',
    'buyer_refunds',
  ])
  await moveFunds(tx, now, payment, 'goodwill_failed', ref, goodwill, [
    'card_funds',
    'goodwill_refunds',
  ])
  // What stood in the place of a refund of ours is owed after all.
  const { goodwill_applied: applied = 0 } = await bookedOf(tx, roundOf(payment))
  const unmet = Math.min(goodwill, applied)
  await moveFunds(tx, now, payment, 'goodwill_missed', ref, unmet, [
    'goodwill_refunds',
    'buyer_refunds',
  ])

  const notice = { payment_id: paymentId, refund_ref: ref, reason: failure }
  // Told before our own call had its answer.
  const isEarly = payment.status === 'refund_due' && payment.refund_round === round
  const isOver = payment.status === 'refunded' || payment.status === 'refund_failed'
  if (!isEarly && !(isOver && ours + unmet > 0)) {
    const words = 'payments: a refund at the provider itself did not arrive'
    if (round === null) house.log.error(notice, words)
    return
  }
  const before = payment.status === 'refunded' ? 0 : refundCents(payment)
  const owed = ours + unmet + before
  await updatePayment(tx, paymentId, now, {
    status: 'refund_failed',
    refund_note: failure,
    refund_ref: ref,
    refund_cents: owed === payment.amount_cents ? null : owed,
    due_at: null,
  })
  house.log.error(notice, 'payments: a refund did not arrive and waits for an operator')
}

/** What money moved in the books on this source's account, in cents, by code. */
async function bookedOf(tx: Tx, source: string): Promise<Partial<Record<LedgerCode, number>>> {
  const rows = await tx
    .selectFrom('ledger_transactions as t')
    .innerJoin('ledger_entries as e', 'e.transaction_id', 't.id')
    .select(['t.code', (row) => row.fn.max<number>('e.amount_cents').as('cents')])
    .where('t.source', '=', source)
    .where('t.code', 'in', REFUND_CODES)
    .groupBy('t.code')
    .execute()
  return Object.fromEntries(rows.map(({ code, cents }) => [code, cents]))
}

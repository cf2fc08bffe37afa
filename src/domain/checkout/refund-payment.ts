import type { AppContext } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { LedgerCode } from '../ledger/ledger.ts'
import { lockOrder } from '../orders/order.ts'
import { reverseOrder } from '../orders/request-refund.ts'
import { isRefundable } from '../orders/status.ts'
import { isPushUnderWay } from '../orders/withdraw-delivery.ts'
import { moveFunds, takenBy } from '../payments/dispute.ts'
import {
  applyExternalRefunds,
  sourceOf,
  unmatchedExternalRefund,
} from '../payments/external-refund.ts'
import {
  lockPayment,
  type Payment,
  type PaymentStatus,
  refundCents,
  updatePayment,
} from '../payments/payment.ts'
import type { PaymentRefundUpdate, RefundOutcome, RefundPart } from '../payments/provider.ts'
import { sentGoodwill } from './goodwill.ts'
import { lockOrderOf } from './settle-dispute.ts'

const REFUND_CODES: LedgerCode[] = [
  'card_refund',
  'card_refund_failed',
  'goodwill_refund',
  'goodwill_failed',
]
/** Whose refund, or a part of it, may turn out not to have arrived. */
const REFUNDING: PaymentStatus[] = ['refunded', 'refund_failed', 'disputed', 'charged_back']
const NOTE = 'The payment was refunded at the payment provider.'
const LESS = 'The provider sent back less than is owed.'

/** Sends a refund that is due. What is rejected waits for an operator; what may pass is thrown. */
export async function refundPayment(app: AppContext, payment: Payment): Promise<void> {
  const goodwill = await sentGoodwill(app.db, payment.id)
  const outcome = await app.payments.byId(payment.provider).refund(payment, goodwill)
  const now = app.clock.now()
  const reason = await inTransaction(app, (tx) => recordRefund(tx, now, payment, outcome))
  if (reason === null) return
  app.log.error(
    { payment_id: payment.id, reason },
    'payments: a refund was rejected and waits for an operator',
  )
}

/** Returns why it waits for an operator, if it does. */
async function recordRefund(
  tx: Tx,
  now: Date,
  { id, refund_round }: Payment,
  outcome: RefundOutcome,
): Promise<string | null> {
  const payment = await lockPayment(tx, id)
  // A dispute may have come between: the refund has been taken all the same.
  if (payment?.refund_round !== refund_round) return null
  if (outcome.kind === 'rejected') {
    if (payment.status !== 'refund_due') return null
    await updatePayment(tx, id, now, {
      status: 'refund_failed',
      refund_note: outcome.reason,
      refund_ref: outcome.ref,
      due_at: null,
    })
    return outcome.reason
  }
  const { ours, others } = outcome
  await postExternalRefund(tx, now, payment, await notBooked(tx, payment, others))
  if (payment.status !== 'refund_due' && payment.status !== 'disputed') return null
  const known = ours[0]?.ref ?? others[0]?.ref ?? null
  return await recordWithdrawal(tx, now, payment, known, await notBooked(tx, payment, ours))
}

/**
 * What was owed has gone back: by these refunds, and what they did not have to send by external refunds from before. What
 * neither explains waits for an operator: then it returns why.
 */
async function recordWithdrawal(
  tx: Tx,
  now: Date,
  payment: Payment,
  known: string | null,
  refunds: RefundPart[],
): Promise<string | null> {
  let owed = refundCents(payment)
  for (const { ref, amountCents } of refunds) {
    const sent = Math.min(amountCents, owed)
    await moveFunds(tx, now, payment, 'card_refund', ref, sent, ['buyer_refunds', 'card_funds'])
    await postExternalRefund(tx, now, payment, [{ ref, amountCents: amountCents - sent }])
    owed -= sent
  }
  // A round may fail, and by another hand be made up for after it.
  owed -= await applyExternalRefunds(tx, now, payment, `${payment.refund_round}:${known}`, owed)
  const refund_note = owed === 0 ? null : LESS
  await updatePayment(tx, payment.id, now, {
    due_at: null,
    refund_note,
    ...(owed === 0
      ? { status: 'refunded', refund_ref: known }
      : { status: 'refund_failed', refund_ref: null, ...owing(payment, owed) }),
  })
  return refund_note
}

function owing({ amount_cents }: Payment, cents: number): Pick<Payment, 'refund_cents'> {
  return { refund_cents: cents === amount_cents ? null : cents }
}

async function postExternalRefund(
  tx: Tx,
  now: Date,
  payment: Payment,
  refunds: RefundPart[],
): Promise<void> {
  for (const { ref, amountCents } of refunds) {
    const source = sourceOf(payment, ref)
    await moveFunds(tx, now, payment, 'goodwill_refund', source, amountCents, [
      'goodwill_refunds',
      'card_funds',
    ])
  }
}

/** Those that are in no book yet. */
async function notBooked(tx: Tx, payment: Payment, refunds: RefundPart[]): Promise<RefundPart[]> {
  const left: RefundPart[] = []
  for (const refund of refunds) {
    if (isEmpty(await bookedOf(tx, payment, refund.ref))) left.push(refund)
  }
  return left
}

type Context = Pick<WriteContext, 'tx' | 'now' | 'app'>
type FailedRefund = Pick<PaymentRefundUpdate, 'ref' | 'round' | 'amountCents'> & { failure: string }

/** Takes in how a refund stands, whoever made it, any number of times. */
export async function recordRefundUpdate(
  context: Context,
  paymentId: string,
  update: PaymentRefundUpdate,
): Promise<void> {
  const { failure } = update
  if (failure !== null) return await recordFailedRefund(context, paymentId, { ...update, failure })
  // Of ours the response to our own call tells.
  if (update.round === null) await recordExternalRefund(context, paymentId, update)
}

/**
 * An operator gave money back at the provider itself. Where it is what we owe, that is our refund. Of a sale that
 * stands, all of it undoes the sale, where that is still possible. Anything else is external refunds.
 */
export async function recordExternalRefund(
  { tx, now, app }: Context,
  paymentId: string,
  { ref, amountCents, totalCents }: PaymentRefundUpdate,
): Promise<void> {
  await lockOrderOf(tx, paymentId)
  const payment = await lockPayment(tx, paymentId)
  if (!payment || !isEmpty(await bookedOf(tx, payment, ref))) return
  const owed = refundCents(payment)
  if (payment.status === 'refund_failed' && amountCents >= owed) {
    await recordWithdrawal(tx, now, payment, ref, [{ ref, amountCents }])
    return
  }
  await postExternalRefund(tx, now, payment, [{ ref, amountCents }])
  if (payment.status === 'refund_failed' && (await unmatchedExternalRefund(tx, payment)) >= owed) {
    await recordWithdrawal(tx, now, payment, ref, [])
    return
  }
  const order = payment.public_id === null ? null : await lockOrder(tx, payment.public_id)
  const isAll = payment.status === 'succeeded' && totalCents >= payment.amount_cents
  // Our own refund finds then that nothing is left to send.
  if (order && isAll && isRefundable(order)) {
    if (!(await isPushUnderWay(tx, order))) {
      await reverseOrder({ tx, now, app }, order, 'refund', 'operator', 'other', NOTE)
      return
    }
    app.log.error(
      { payment_id: paymentId, public_id: order.public_id, refund_ref: ref },
      'payments: all was refunded at the provider while the domain is being pushed: refund the order, unless it has arrived',
    )
  }
  const { public_id, status } = payment
  app.log.warn(
    { payment_id: paymentId, public_id, status, refund_ref: ref, amount_cents: amountCents },
    'payments: a refund at the provider itself is booked as goodwill',
  )
}

/**
 * A refund that the provider had taken did not arrive. The money is back, and the buyer's still, unless it was
 * external refunds.
 */
export async function recordFailedRefund(
  { tx, now, app }: Context,
  paymentId: string,
  { ref, round, amountCents, failure }: FailedRefund,
): Promise<void> {
  const payment = await lockPayment(tx, paymentId)
  await tx
    .updateTable('goodwill_refunds')
    .set({ status: 'failed', error: failure, updated_at: now })
    .where('provider_ref', '=', ref)
    .where('status', '=', 'sent')
    .execute()
  if (!payment || (payment.status === 'refund_failed' && payment.refund_ref === ref)) return
  const source = sourceOf(payment, ref)
  const booked = await bookedOf(tx, payment, ref)
  if (booked.card_refund_failed || booked.goodwill_failed) return
  const { card_refund: ours = 0 } = booked
  let { goodwill_refund: externalRefund = 0 } = booked
  if (round === null && isEmpty(booked)) {
    // Heard of only now, and perhaps applied by what was sent beside it.
    await postExternalRefund(tx, now, payment, [{ ref, amountCents }])
    externalRefund = amountCents
  }
  await moveFunds(tx, now, payment, 'card_refund_failed', ref, ours, [
    'card_funds',
    'buyer_refunds',
  ])
  await moveFunds(tx, now, payment, 'goodwill_failed', source, externalRefund, [
    'card_funds',
    'goodwill_refunds',
  ])
  // What stood in the place of a refund of ours is owed after all.
  const unmet =
    externalRefund === 0
      ? 0
      : Math.min(externalRefund, Math.max(0, -(await unmatchedExternalRefund(tx, payment))))
  await moveFunds(tx, now, payment, 'goodwill_missed', source, unmet, [
    'goodwill_refunds',
    'buyer_refunds',
  ])

  const notice = { payment_id: paymentId, refund_ref: ref, reason: failure }
  const more = await stillOwed(tx, payment, ours + unmet)
  if (payment.status === 'refund_due' && more > 0) {
    throw conflict(
      'not_allowed_now',
      'Another refund is on its way to the card. Tell this again after it.',
      {
        status: payment.status,
      },
    )
  }
  // Told before our own call had its response.
  const isEarly = payment.status === 'refund_due' && payment.refund_round === round
  const { status } = payment
  if (!isEarly && !(REFUNDING.includes(status) && more > 0)) {
    const words = 'payments: a refund at the provider itself did not arrive'
    if (round === null) app.log.error(notice, words)
    return
  }
  const isSettled = status === 'refunded' || status === 'charged_back'
  const before = isSettled ? 0 : refundCents(payment)
  await updatePayment(tx, paymentId, now, {
    status: status === 'disputed' ? 'disputed' : 'refund_failed',
    refund_note: failure,
    refund_ref: ref,
    ...owing(payment, before + more),
    due_at: null,
  })
  app.log.error(notice, 'payments: a refund did not arrive and waits for an operator')
}

/** Banks that gave the buyer more than was owed at the time have paid what comes to be owed after it. */
async function stillOwed(tx: Tx, payment: Payment, cents: number): Promise<number> {
  if (payment.status !== 'charged_back') return cents
  const bank = await takenBy(tx, { payment_id: payment.id })
  return Math.min(cents, payment.amount_cents - bank.cents)
}

type Booked = Partial<Record<LedgerCode, number>>

function isEmpty(booked: Booked): boolean {
  return Object.keys(booked).length === 0
}

/** What money moved in the books on this refund's account, in cents, by code. */
async function bookedOf(tx: Tx, payment: Payment, ref: string): Promise<Booked> {
  const rows = await tx
    .selectFrom('ledger_transactions as t')
    .innerJoin('ledger_entries as e', 'e.transaction_id', 't.id')
    .select(['t.code', (row) => row.fn.max<number>('e.amount_cents').as('cents')])
    .where('t.source', 'in', [ref, sourceOf(payment, ref)])
    .where('t.code', 'in', REFUND_CODES)
    .groupBy('t.code')
    .execute()
  return Object.fromEntries(rows.map(({ code, cents }) => [code, cents]))
}

import type { AppContext } from '../../core/context.ts'
import type { Tx } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Charge, findCharge, lockCharge, updateCharge } from '../payments/charge.ts'
import {
  type Dispute,
  type DisputeStep,
  type DisputeUpdate,
  followDispute,
  moveFunds,
  takenBy,
} from '../payments/dispute.ts'
import { findMethod, removeMethod } from '../payments/payment-method.ts'
import type { ChargeUpdate } from '../payments/provider.ts'
import { booksOf } from './books.ts'
import { recordChargeRefund } from './charge-refund.ts'
import { lookUpConfirmation } from './confirm-renewal.ts'
import { mailUser } from './mail-user.ts'
import { renewalDisputedMail } from './mails/renewal-disputed.ts'
import { renewalsOf } from './renewal.ts'
import { settleOutcome } from './settle-charge.ts'

/** Takes in what is heard of a charge long after it was made: what a bank, or an operator at the provider, did. */
export async function applyChargeUpdate(app: AppContext, update: ChargeUpdate): Promise<void> {
  const { chargeId } = update
  const charge = await findCharge(app.db, { id: chargeId })
  const method = charge && (await findMethod(app.db, charge.payment_method_id))
  if (!method) return
  if (update.kind === 'confirmed') return await lookUpConfirmation(app, charge)
  const { cards } = app.payments.byId(charge.provider)
  // It may be heard before the response to the charge itself.
  if (charge.status === 'started' || charge.status === 'processing') {
    const outcome = await cards.lookUpCharge(charge, method)
    if (outcome) await settleOutcome(app, chargeId, outcome, false)
  }
  const now = app.clock.now()
  if (update.kind === 'refund') {
    return await inTransaction(app, (tx) =>
      recordChargeRefund({ tx, now, app }, chargeId, update.refund),
    )
  }
  await inTransaction(app, (tx) => settleChargeDispute(tx, now, chargeId, update.dispute))
  if (update.dispute.withdrawn) await cards.forget(method)
}

/**
 * Takes in how a dispute over renewals stands, any number of times and in any order. What was renewed stays
 * renewed; the card is charged no more.
 */
async function settleChargeDispute(
  tx: Tx,
  now: Date,
  chargeId: string,
  update: DisputeUpdate,
): Promise<void> {
  const charge = await lockCharge(tx, chargeId)
  const disputed = { ...booksOf(charge), payment_id: null, charge_id: chargeId }
  const { dispute, steps } = await followDispute(tx, now, disputed, update)
  for (const step of steps) {
    if (step === 'withdrawn') await endCard(tx, now, charge)
    await moveOwed(tx, now, chargeId, dispute, step)
  }
}

/** Whoever disputes one charge of a card would dispute the next: its owner has to save one again. */
async function endCard(tx: Tx, now: Date, charge: Charge): Promise<void> {
  const ended = await removeMethod(tx, now, { id: charge.payment_method_id })
  const renewals = await renewalsOf(tx, charge.id)
  const domains = renewals.map(({ domain }) => domain)
  const mail = renewalDisputedMail(charge, domains, ended?.label ?? null)
  await mailUser(tx, now, charge.user_id, mail)
}

/** What was to go back anyway waits for the bank. Where the bank gave it back, that was the refund. */
async function moveOwed(
  tx: Tx,
  now: Date,
  chargeId: string,
  { id }: Dispute,
  step: DisputeStep,
): Promise<void> {
  const charge = await lockCharge(tx, chargeId)
  const { status, refund_ref, refund_cents } = charge
  const isOwed = status === 'refund_due' || status === 'refund_failed'
  const { cents, isUndecided } = await takenBy(tx, { charge_id: chargeId })
  if (isOwed && !isUndecided && cents >= refund_cents) {
    const change = { status: 'refunded', refund_ref: null, due_at: null } as const
    await updateCharge(tx, chargeId, now, change)
    return await moveFunds(tx, now, booksOf(charge), 'chargeback', id, refund_cents, [
      'buyer_refunds',
      'dispute_losses',
    ])
  }
  const wasByBank = status === 'refunded' && refund_ref === null
  if (step === 'reinstated' && wasByBank) {
    await moveFunds(tx, now, booksOf(charge), 'chargeback_undone', id, refund_cents, [
      'dispute_losses',
      'buyer_refunds',
    ])
    return await updateCharge(tx, chargeId, now, { status: 'refund_due', due_at: now, attempts: 0 })
  }
  if (status === 'refund_due') {
    await updateCharge(tx, chargeId, now, { due_at: isUndecided ? null : now })
  }
}

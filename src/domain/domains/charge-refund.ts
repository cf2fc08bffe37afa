import type { WriteContext } from '../../core/operation.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { type Charge, lockCharge, updateCharge } from '../payments/charge.ts'
import type { RefundUpdate } from '../payments/provider.ts'
import { MARKETPLACE } from './books.ts'
import { mailUser } from './mail-user.ts'
import { renewalRefundedMail } from './mails/renewal-refunded.ts'
import { renewalsOf } from './renewal.ts'

type Context = Pick<WriteContext, 'tx' | 'now' | 'app'>

/**
 * Takes in a refund, whoever asked for it, any number of times and in any order. One that covers what is
 * owed for names that were lost is that refund; whatever else goes back is earned no more.
 *
 * @param isOurs whether it is the provider's response to our own call
 */
export async function recordChargeRefund(
  context: Context,
  id: string,
  update: RefundUpdate,
  isOurs = false,
): Promise<void> {
  const { tx, now } = context
  const charge = await lockCharge(tx, id)
  const isNew = await bookRefund(context, charge, update)
  const paysOwed = await closeOwed(context, charge, update, { isNew, isOurs })
  if (update.failure !== null) return await bookFailure(context, charge, update, paysOwed)
  const earned = paysOwed ? update.amountCents - charge.refund_cents : update.amountCents
  if (!isNew || earned === 0) return
  const renewals = await renewalsOf(tx, id)
  const domains = renewals.map(({ domain }) => domain)
  await mailUser(tx, now, charge.user_id, renewalRefundedMail(charge, domains, earned))
}

/** Whether it is news: the refund that the charge knows, or one that was booked, is booked no more. */
async function bookRefund(
  context: Context,
  charge: Charge,
  update: RefundUpdate,
): Promise<boolean> {
  if (charge.refund_ref === update.ref) return false
  const owed = coversOwed(charge, update) ? charge.refund_cents : 0
  return await book(context, charge, update, 'renewal_refund', owed)
}

/** Whether it is the refund of what is owed; the first time, nothing is owed from then on. */
async function closeOwed(
  { tx, now }: Context,
  charge: Charge,
  update: RefundUpdate,
  { isNew, isOurs }: { isNew: boolean; isOurs: boolean },
): Promise<boolean> {
  const { id, refund_cents, currency } = charge
  if (charge.refund_ref === update.ref) return true
  // The bank had settled what was owed while our call was under way, and then took that back.
  const isOwedAgain = !isNew && isOurs && isDue(charge)
  if (!isOwedAgain && !(isNew && coversOwed(charge, update))) return false
  if (isOwedAgain) {
    const entries = transfer('buyer_refunds', 'renewals', refund_cents)
    await tx.executeQuery(
      post(now, { ...MARKETPLACE, code: 'renewal_refund', source: id, currency, entries }),
    )
  }
  await updateCharge(tx, id, now, { status: 'refunded', refund_ref: update.ref, due_at: null })
  return true
}

async function bookFailure(
  context: Context,
  charge: Charge,
  update: RefundUpdate,
  paysOwed: boolean,
): Promise<void> {
  const { tx, now, app } = context
  const owed = paysOwed ? charge.refund_cents : 0
  if (!(await book(context, charge, update, 'renewal_refund_failed', owed))) return
  // One that was made while nothing was owed did not pay what is owed by now.
  if (paysOwed) await updateCharge(tx, charge.id, now, { status: 'refund_failed' })
  app.log.error(
    { charge_id: charge.id, reason: update.failure },
    'charges: a refund did not arrive and waits for an operator',
  )
}

/** Books what went back, or came back again; false for what was booked before. */
async function book(
  { tx, now }: Context,
  { currency }: Charge,
  { ref, amountCents }: RefundUpdate,
  code: 'renewal_refund' | 'renewal_refund_failed',
  owed: number,
): Promise<boolean> {
  const sign = code === 'renewal_refund' ? 1 : -1
  const { numAffectedRows = 0n } = await tx.executeQuery(
    post(now, {
      ...MARKETPLACE,
      code,
      source: ref,
      currency,
      entries: [
        { account: 'buyer_refunds', amount_cents: sign * owed },
        { account: 'renewals', amount_cents: sign * (amountCents - owed) },
        { account: 'card_funds', amount_cents: -sign * amountCents },
      ],
    }),
  )
  return numAffectedRows > 0n
}

function coversOwed(charge: Charge, { amountCents }: RefundUpdate): boolean {
  return isDue(charge) && amountCents >= charge.refund_cents
}

function isDue({ status }: Charge): boolean {
  return status === 'refund_due' || status === 'refund_failed'
}

import type { WriteContext } from '../../kernel/operation.ts'
import { post } from '../ledger/ledger.ts'
import { lockCharge, updateCharge } from '../payments/charge.ts'
import type { RefundNews } from '../payments/provider.ts'
import { renewalsOf } from './renewal.ts'
import { renewalRefundedMail } from './renewal-mail.ts'
import { HOUSE } from './settle-charge.ts'

/**
 * Takes in a refund, whoever asked for it, any number of times and in any order. One that covers what is
 * owed for names that were lost is that refund; whatever else goes back is earned no more.
 *
 * @param isOurs whether it is the provider's answer to our own call
 */
export async function noteChargeRefund(
  { tx, now, house }: Pick<WriteContext, 'tx' | 'now' | 'house'>,
  id: string,
  { ref, amountCents, failure }: RefundNews,
  isOurs = false,
): Promise<void> {
  const charge = await lockCharge(tx, id)
  const { status, refund_cents, currency } = charge
  const isKnown = charge.refund_ref === ref
  const isDue = status === 'refund_due' || status === 'refund_failed'
  const coversOwed = isDue && amountCents >= refund_cents
  const move = async (
    code: 'renewal_refund' | 'renewal_refund_failed',
    sign: 1 | -1,
    owed: number,
  ) => {
    const { numAffectedRows = 0n } = await tx.executeQuery(
      post(now, {
        ...HOUSE,
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

  const isNew = !isKnown && (await move('renewal_refund', 1, coversOwed ? refund_cents : 0))
  // The bank had settled what was owed while our call was under way, and then took that back.
  const isOwedAgain = isOurs && !isNew && !isKnown && isDue
  if (isOwedAgain) {
    const entries = [
      { account: 'buyer_refunds' as const, amount_cents: refund_cents },
      { account: 'renewals' as const, amount_cents: -refund_cents },
    ]
    await tx.executeQuery(
      post(now, { ...HOUSE, code: 'renewal_refund', source: id, currency, entries }),
    )
  }
  const hasPaidOwed = isKnown || isOwedAgain || (isNew && coversOwed)
  if (hasPaidOwed && !isKnown) {
    await updateCharge(tx, id, now, { status: 'refunded', refund_ref: ref, due_at: null })
  }
  if (failure === null) {
    const earned = hasPaidOwed ? amountCents - refund_cents : amountCents
    if (!isNew || earned === 0) return
    const renewals = await renewalsOf(tx, id)
    const mail = await renewalRefundedMail(tx, now, charge, renewals, earned)
    await tx.executeQuery(mail)
  } else if (await move('renewal_refund_failed', -1, hasPaidOwed ? refund_cents : 0)) {
    // One that was made while nothing was owed did not pay what is owed by now.
    if (hasPaidOwed) await updateCharge(tx, id, now, { status: 'refund_failed' })
    house.log.error(
      { charge_id: id, reason: failure },
      'charges: a refund did not arrive and waits for an operator',
    )
  }
}

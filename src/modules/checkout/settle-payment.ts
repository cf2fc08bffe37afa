import { partnerOf, type Tx, type WriteContext } from '../../kernel/operation.ts'
import { fixedOutcome } from '../inventory/fixed-outcome.ts'
import { type Listing, lockListing } from '../inventory/listing.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { recordHostedSale } from '../orders/hosted-sale.ts'
import { HOUSE_PARTNER } from '../partners/partner.ts'
import { lockPayment, type Payment, SETTLED, updatePayment } from '../payments/payment.ts'
import type { Outcome } from '../payments/provider.ts'
import { isHeldByOther } from '../quotes/reservation.ts'
import { type Attribution, attribute } from '../referrals/click.ts'
import { paidBackMail, receiptMail } from './checkout-mail.ts'
import { lockSession, payerOf, type Session, sessionStatus, updateSession } from './session.ts'

type Context = Pick<WriteContext, 'tx' | 'now' | 'house'>

/**
 * Takes in what became of a payment: from the page, a webhook, or the job that asks about it, in any
 * order and any number of times. A success that comes after a failure counts; a failure that comes
 * after a success does not.
 */
export async function settlePayment(
  context: Context,
  paymentId: string,
  outcome: Outcome,
): Promise<void> {
  const { tx, now } = context
  if (outcome.kind === 'succeeded') await holdSessionOf(tx, paymentId)
  const payment = await lockPayment(tx, paymentId)
  if (!payment || SETTLED.includes(payment.status)) return
  switch (outcome.kind) {
    case 'succeeded':
      if (outcome.amountCents > 0) return await takeIn(context, payment, outcome)
      return await settlePayment(context, paymentId, {
        kind: 'failed',
        ref: outcome.ref,
        reason: 'Nothing was paid.',
      })
    case 'failed':
      return await updatePayment(tx, payment.id, now, {
        status: 'failed',
        reason: outcome.reason,
        due_at: null,
        ...(outcome.ref && { provider_ref: outcome.ref }),
      })
    case 'action_required':
    case 'processing':
      // A failure stands until a success says otherwise.
      if (payment.status === 'failed') return
      return await updatePayment(tx, payment.id, now, {
        status: outcome.kind,
        provider_ref: outcome.ref,
        due_at: outcome.kind === 'processing' ? outcome.dueAt : null,
      })
  }
}

/** The session first, as the start of a payment has it, so that no two wait for each other. */
async function holdSessionOf(tx: Tx, paymentId: string): Promise<void> {
  await tx
    .selectFrom('checkout_sessions as s')
    .innerJoin('payments as p', 'p.session_id', 's.id')
    .select('s.id')
    .where('p.id', '=', paymentId)
    .forUpdate('s')
    .execute()
}

/** The money is there: it buys the domain, or it goes back at once. */
async function takeIn(
  context: Context,
  payment: Payment,
  outcome: Extract<Outcome, { kind: 'succeeded' }>,
): Promise<void> {
  const { tx, now } = context
  const session = await lockSession(tx, payment.session_id)
  const listing = await lockListing(tx, session.environment, session.domain)
  const received = { amount_cents: outcome.amountCents, currency: outcome.currency }
  const problem = await whyNot(context, payment, session, listing, outcome)
  if (problem !== null || !listing) {
    await updatePayment(tx, payment.id, now, {
      status: 'refund_due',
      reason: problem,
      provider_ref: outcome.ref,
      due_at: now,
      ...received,
    })
    await tx.executeQuery(
      post(now, {
        ...partnerOf(payment),
        code: 'unsold_charge',
        source: payment.id,
        settlementId: null,
        currency: outcome.currency,
        entries: transfer('card_funds', 'buyer_refunds', outcome.amountCents),
      }),
    )
    await tx.executeQuery(paidBackMail(context, session, payment, problem ?? ''))
    return
  }

  // Past this line the sale stands.
  const { email, name, country } = payerOf(session, payment)
  const { partnerId, linkId, commissionBps } = await creditOf(context, payment, session)
  const partner = { partnerId, environment: session.environment }
  const { order, event } = await recordHostedSale(context, partner, listing, {
    sale_price_cents: session.price_cents,
    currency: session.currency,
    commission_bps: commissionBps,
    checkout_session_id: session.id,
    link_id: linkId,
    buyer: { email: email ?? '', name, country },
    return_url: session.return_url,
    cancel_url: session.cancel_url,
  })
  await updatePayment(tx, payment.id, now, {
    status: 'succeeded',
    reason: null,
    provider_ref: outcome.ref,
    partner_id: partnerId,
    public_id: order.public_id,
    due_at: null,
  })
  const { registrant } = payment
  await updateSession(tx, session.id, now, {
    status: 'paid',
    public_id: order.public_id,
    ...(registrant && { registrant }),
  })
  await tx.executeQuery(await receiptMail(context, session, order))
  await tx.executeQuery(event)
}

/** Why a payment cannot buy the domain, in words for the buyer; null when it can. */
async function whyNot(
  { tx, now }: Context,
  payment: Payment,
  session: Session,
  listing: Listing | undefined,
  outcome: Extract<Outcome, { kind: 'succeeded' }>,
): Promise<string | null> {
  const { domain } = session
  if (
    outcome.amountCents !== payment.amount_cents ||
    outcome.currency !== payment.currency ||
    payment.amount_cents !== session.price_cents
  ) {
    return 'What was paid is not the price.'
  }
  if (session.status === 'paid') return `${domain} was paid for already.`
  if (sessionStatus(session, now) !== 'open') {
    return 'The payment came after the checkout had ended.'
  }
  if (!listing) return `${domain} is not for sale any more.`
  // Its next owner's price is another.
  if (listing.status === 'sold' || listing.seller_id !== session.seller_id) {
    return `${domain} was sold to someone else meanwhile.`
  }
  if (await isHeldByOther(tx, listing, session.partner_id, now)) {
    return `${domain} was reserved for someone else meanwhile.`
  }
  if (fixedOutcome(session.environment, domain) === 'sold_meanwhile') {
    return `${domain} was sold to someone else meanwhile.`
  }
  return null
}

/** A partner's own link earns for that partner alone; the house's pages for whose link came last. */
async function creditOf({ tx }: Context, payment: Payment, session: Session): Promise<Attribution> {
  if (session.partner_id === HOUSE_PARTNER) {
    const { email } = payerOf(session, payment)
    return await attribute(tx, session.environment, session, email ?? '', payment.created_at)
  }
  const { hosted_checkout_bps } = await tx
    .selectFrom('partners')
    .select('hosted_checkout_bps')
    .where('id', '=', session.partner_id)
    .executeTakeFirstOrThrow()
  return { partnerId: session.partner_id, linkId: null, commissionBps: hosted_checkout_bps }
}

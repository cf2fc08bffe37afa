import { partnerOf } from '../../core/caller.ts'
import { queueMail } from '../../core/mail.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import { after } from '../../lib/clock.ts'
import { issueInvoice } from '../invoices/invoice.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { fixedOutcome } from '../listings/fixed-outcome.ts'
import { isReserved, type Listing, lockListing } from '../listings/listing.ts'
import { recordHostedSale } from '../orders/hosted-sale.ts'
import { orderUrl } from '../orders/transfer-code.ts'
import { standardDelivery } from '../partners/delivery.ts'
import { MARKETPLACE_PARTNER } from '../partners/partner.ts'
import {
  LONGEST_HOLD_MS,
  lockPayment,
  type Payment,
  SETTLED,
  updatePayment,
} from '../payments/payment.ts'
import { cardOf, type Outcome } from '../payments/provider.ts'
import { closeQuote } from '../quotes/quote.ts'
import {
  endPaymentHold,
  findRunningQuote,
  heldBy,
  holdForPayment,
  isHeldByPayment,
} from '../quotes/reservation.ts'
import { type Attribution, attribute } from '../referrals/click.ts'
import { invoicedTo } from './invoiced-to.ts'
import { boughtByAppMail } from './mails/bought-by-app.ts'
import { paymentRefundedMail } from './mails/payment-refunded.ts'
import { receiptMail } from './mails/receipt.ts'
import {
  lockSession,
  marketOf,
  payerOf,
  readSession,
  type Session,
  sessionStatus,
  updateSession,
} from './session.ts'
import { whyUnavailable } from './why-unavailable.ts'

type Context = Pick<WriteContext, 'tx' | 'now' | 'app'>

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
      await endHold(context, payment)
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
      // Before the buyer has acted there is no payment that could take its time.
      if (outcome.kind === 'action_required') await endHold(context, payment)
      else await hold(context, payment, outcome.until)
      return await updatePayment(tx, payment.id, now, {
        status: outcome.kind,
        provider_ref: outcome.ref,
        due_at: outcome.dueAt,
        ...cardOf(outcome),
      })
  }
}

/** Holds the name for a payment that takes its time, unless somebody else has it meanwhile. */
async function hold({ tx, now }: Context, payment: Payment, until: Date): Promise<void> {
  const session = await readSession(tx, payment.session_id)
  const listing = session && (await lockListing(tx, await marketOf(tx, session), session.domain))
  if (listing?.status !== 'listed' || listing.seller_id !== session?.seller_id) return
  const latest = after(payment.created_at, LONGEST_HOLD_MS)
  const end = until < latest ? until : latest
  if (end <= now) return await endPaymentHold(tx, listing, payment, now)
  if (!holds(payment, listing, now)) {
    if (sessionStatus(session, now) !== 'open') return
    if (await heldBy(tx, listing, session.partner_id, now, session.id)) return
    // Another payment of the checkout has it: should that one fail, this one holds it.
    if (isHeldByPayment(listing, now)) return
  }
  await holdForPayment(tx, listing, payment, now, end)
}

async function endHold({ tx, now }: Context, payment: Payment): Promise<void> {
  const session = await readSession(tx, payment.session_id)
  const listing = session && (await lockListing(tx, await marketOf(tx, session), session.domain))
  if (listing) await endPaymentHold(tx, listing, payment, now)
}

function holds({ id }: Payment, listing: Listing, now: Date): boolean {
  return listing.reserved_by === id && isReserved(listing, now)
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
  const { partnerId, linkId, commissionBps } = await creditOf(context, payment, session)
  const partner = { partnerId, environment: session.environment }
  const listing = await lockListing(tx, partner, session.domain)
  const received = { amount_cents: outcome.amountCents, currency: outcome.currency }
  const problem = await whyNot(context, payment, session, listing, outcome)
  if (problem !== null || !listing) {
    await endHold(context, payment)
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
    const mail = paymentRefundedMail(session.domain, payment, problem ?? '')
    const to = payerOf(session, payment).email ?? ''
    await tx.executeQuery(queueMail(tx, now, { to, ...mail }, session))
    return
  }

  // Past this line the sale stands.
  const { email, name, country } = payerOf(session, payment)
  const sale = {
    sale_price_cents: session.price_cents,
    currency: session.currency,
    commission_bps: commissionBps,
    checkout_session_id: session.id,
    link_id: linkId,
    buyer: { email: email ?? '', name, country },
    return_url: session.return_url,
    cancel_url: session.cancel_url,
    delivery: session.delivery ?? (await standardDelivery(tx, partnerId)),
  }
  const isPartners = linkId !== null || partner.partnerId !== MARKETPLACE_PARTNER
  const broughtBy = isPartners ? 'partner' : session.by_lander ? 'lander' : 'market'
  const { order, event } = await recordHostedSale(context, partner, listing, sale, broughtBy)
  // A purchase by a link that earns nothing was held in its partner's sandbox, and is sold in the marketplace's.
  if (session.environment === 'sandbox') await endHold(context, payment)
  // The name was free, so a quote that still runs is of the partner whose checkout this is.
  const quote = await findRunningQuote(tx, partnerOf(payment), session.domain, now)
  if (quote) await tx.executeQuery(closeQuote({ id: quote.id, status: 'consumed', now }))
  await updatePayment(tx, payment.id, now, {
    status: 'succeeded',
    reason: null,
    provider_ref: outcome.ref,
    partner_id: partnerId,
    public_id: order.public_id,
    due_at: null,
    ...cardOf(outcome),
  })
  const { registrant } = payment
  await updateSession(tx, session.id, now, {
    status: 'paid',
    public_id: order.public_id,
    ...(registrant && { registrant }),
  })
  const { app } = context
  await tx.executeQuery(
    post(now, {
      ...partner,
      code: 'tax',
      source: payment.id,
      settlementId: null,
      currency: session.currency,
      entries: transfer('card_funds', 'tax_payable', payment.tax_cents),
    }),
  )
  const url = orderUrl(app, order.public_id)
  const account = `${app.settings.baseUrl}/account/access`
  const paid = { ...payment, ...cardOf(outcome) }
  const mail =
    session.app_name === null
      ? receiptMail(order, paid, url)
      : boughtByAppMail(session.app_name, order, payment, { url, account })
  const receipt = { to: order.buyer.email, ...mail }
  await tx.executeQuery(queueMail(tx, now, receipt, order))
  await issueInvoice(tx, now, app.settings, {
    environment: order.environment,
    public_id: order.public_id,
    payment_id: payment.id,
    domain: order.domain,
    buyer: invoicedTo(order.buyer, registrant),
    net_cents: session.price_cents,
    tax_cents: payment.tax_cents,
    tax: payment.tax,
    currency: session.currency,
  })
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
    payment.amount_cents - payment.tax_cents !== session.price_cents
  ) {
    return 'What was paid is not the price.'
  }
  if (session.status === 'paid') return `${domain} was paid for already.`
  if (session.status === 'cancelled') return 'The payment came after the checkout had ended.'
  if (!listing) return `${domain} is not for sale any more.`
  // Its next owner's price is another.
  if (listing.status === 'sold' || listing.seller_id !== session.seller_id) {
    return `${domain} was sold to someone else.`
  }
  if (await heldBy(tx, listing, session.partner_id, now, session.id)) {
    return `${domain} has been reserved for someone else.`
  }
  if (fixedOutcome(session.environment, domain) === 'sold_meanwhile') {
    return `${domain} was sold to someone else.`
  }
  // A payment that holds the name was made in time. One that took longer buys what is still free at its price.
  if (sessionStatus(session, now) === 'open' || holds(payment, listing, now)) return null
  if (listing.price_cents > session.price_cents) return `The price of ${domain} has gone up.`
  return (await whyUnavailable(tx, listing, session, now)) === null
    ? null
    : `${domain} is not for sale any more.`
}

/** A partner's own link earns for that partner alone; the marketplace's pages for whose link came last. */
async function creditOf({ tx }: Context, payment: Payment, session: Session): Promise<Attribution> {
  if (session.partner_id === MARKETPLACE_PARTNER) {
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

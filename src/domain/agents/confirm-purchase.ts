import { setTimeout } from 'node:timers/promises'
import type { AppGrant } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { SECOND } from '../../lib/clock.ts'
import { mustFindUser } from '../accounts/user.ts'
import { type FoundPurchase, findAppPurchases, startAppPurchase } from '../checkout/buy-for-app.ts'
import { applyOutcome } from '../checkout/pay.ts'
import { CARDHOLDER_ASKED, chargeSaved } from '../checkout/saved-payment.ts'
import { lockListing, notListed } from '../listings/listing.ts'
import { findTransferProblem } from '../listings/transferable.ts'
import { findClient } from '../oauth/client.ts'
import { lockMandate } from '../oauth/mandate.ts'
import { MARKETPLACE_PARTNER, marketplaceIn } from '../partners/partner.ts'
import type { Payment } from '../payments/payment.ts'
import { activeMethod } from '../payments/payment-method.ts'
import { assertNotTaken } from '../quotes/reservation.ts'
import { learnRegistrar } from '../registrars/find-registrar.ts'
import { type AgentOrder, isUnderWay, orderOf, termsOf, viewPurchase } from './agent-order.ts'
import { assertSamePrice, assertWithin, cardProblem, leftOf, revoked, taxFor } from './assess.ts'
import { type Confirmation, confirmationExpired, readConfirmation } from './confirmation.ts'

/** How long a request waits for a charge that another one makes. */
const WAIT_MS = 10 * SECOND
const POLL_MS = 100

type Holder = { userId: string; app: AppGrant }

/**
 * Buys what was confirmed, once: the purchase has the id that the confirmation names. Its rows come first, then the
 * card is charged, outside any transaction, then the order is made of it; whatever breaks off in between, a repeat
 * finds the purchase, and the job that advances payments brings it to its end.
 */
export async function confirmPurchase(
  { app }: { app: AppContext },
  holder: Holder,
  given: string,
  domain: string | undefined,
): Promise<AgentOrder> {
  const confirmation = await readConfirmation(app, holder, given, domain)
  const known = await findPurchase(app, holder, confirmation)
  if (known) return await outcomeOf(app, holder, confirmation)
  if (confirmation.expiresAt <= app.clock.now()) throw confirmationExpired()
  const problem = await findTransferProblem(app, 'live', confirmation.domain, MARKETPLACE_PARTNER)
  if (problem) throw problem
  await learnRegistrar(app, 'live', confirmation.domain)
  const payment = await inTransaction(app, (tx) => start(app, tx, holder, confirmation))
  if (payment) await charge(app, payment)
  return await outcomeOf(app, holder, confirmation)
}

/** Writes the purchase; null when another request with the same confirmation has. */
async function start(
  app: AppContext,
  tx: Tx,
  holder: Holder,
  confirmation: Confirmation,
): Promise<Payment | null> {
  const now = app.clock.now()
  const { jti, domain, country } = confirmation
  // From here on the purchases of this consent come one after the other.
  const mandate = await lockMandate(tx, holder.app.grantId)
  if (!mandate) throw revoked()
  if (await findPurchase({ db: tx }, holder, confirmation)) return null
  const listing = await lockListing(tx, marketplaceIn('live'), domain)
  if (!listing) throw notListed(domain)
  await assertNotTaken(tx, listing, MARKETPLACE_PARTNER, now)
  assertSamePrice(listing, confirmation)
  const tax = taxFor(app, listing.price_cents, country)
  assertWithin(now, await leftOf(tx, now, holder.app.grantId, mandate), {
    cents: listing.price_cents + tax.cents,
    currency: listing.currency,
  })
  const method = await activeMethod(tx, holder.userId, app.settings.paymentProvider)
  if (!method) {
    throw cardProblem(
      'No card is saved. Nothing was bought: have the user save one, or pay by create_checkout.',
      app.settings.baseUrl,
      'no_saved_card',
    )
  }
  const user = await mustFindUser(tx, holder.userId)
  const client = await findClient(tx, holder.app.clientId)
  return await startAppPurchase(tx, now, listing, {
    sessionId: jti,
    app: { ...holder.app, name: client?.name ?? 'An app' },
    user,
    country,
    tax,
    method,
  })
}

/** A provider that does not respond leaves it to the job, which asks what became of the charge. */
async function charge(app: AppContext, payment: Payment): Promise<void> {
  const outcome = await chargeSaved(app, payment).catch((error: unknown) => {
    app.log.warn({ err: error, payment_id: payment.id }, 'payments: the provider did not respond')
    return null
  })
  if (outcome) await applyOutcome(app, payment.id, outcome)
}

async function findPurchase(
  { db }: { db: Pick<Tx, 'selectFrom'> },
  { userId }: Holder,
  { jti }: Confirmation,
): Promise<FoundPurchase | undefined> {
  const [found] = await findAppPurchases(db, { app_user_id: userId, id: jti })
  return found
}

/** How the purchase stands, once it is known, or after a while. */
async function outcomeOf(
  app: AppContext,
  holder: Holder,
  confirmation: Confirmation,
): Promise<AgentOrder> {
  for (let waited = 0; ; waited += POLL_MS) {
    const purchase = await findPurchase(app, holder, confirmation)
    if (!purchase) throw new Error(`purchase ${confirmation.jti} is gone`)
    const isStarted = purchase.payment_status === 'started'
    if (isStarted && waited < WAIT_MS) {
      await setTimeout(POLL_MS)
      continue
    }
    const order = await orderOf(app.db, purchase)
    if (!order && !isUnderWay(purchase)) throw failure(purchase, app.settings.baseUrl)
    return viewPurchase(purchase, order, termsOf(app.brand))
  }
}

function failure({ payment_status, reason, domain }: FoundPurchase, baseUrl: string) {
  if (payment_status !== 'failed') {
    return conflict('domain_sold', `${reason ?? `${domain} was sold.`} The money goes back.`)
  }
  if (reason === CARDHOLDER_ASKED) {
    const what = 'Nothing was bought: have the user pay at the link of create_checkout.'
    return cardProblem(`${reason} ${what}`, baseUrl, 'authentication_required')
  }
  return cardProblem(
    `${reason ?? 'The card was declined.'} Nothing was bought.`,
    baseUrl,
    'declined',
  )
}

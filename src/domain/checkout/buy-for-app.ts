import { sql } from 'kysely'
import type { AppGrant } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import { after } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { HeldListing } from '../listings/listing.ts'
import { MARKETPLACE_PARTNER } from '../partners/partner.ts'
import { insertPayment, type Payment } from '../payments/payment.ts'
import type { PaymentMethod } from '../payments/payment-method.ts'
import { holdForPayment } from '../quotes/reservation.ts'
import type { TaxLine } from '../tax/tax.ts'
import { insertSession, newSession } from './create-session.ts'
import { SAVED_LEASE_MS, SAVED_PAYMENT_MS } from './saved-payment.ts'

/** What an app buys for a user. */
interface AppPurchase {
  /** The session's, which the confirmation has named: it is bought once. */
  sessionId: string
  app: AppGrant & { name: string }
  user: { id: string; email: string }
  country: string | null
  tax: TaxLine
  method: PaymentMethod
}

/**
 * Writes a purchase with a saved card before the card is charged, and holds the name for it: whatever becomes of this
 * process, the charge is known to be ours, and is asked about or made once more by the job that advances payments. The
 * caller holds the listing and has made sure that it is free.
 */
export async function startAppPurchase(
  tx: Tx,
  now: Date,
  listing: HeldListing,
  { sessionId, app, user, country, tax, method }: AppPurchase,
): Promise<Payment> {
  const session = newSession(listing, MARKETPLACE_PARTNER, now, SAVED_PAYMENT_MS)
  await insertSession(tx, {
    ...session,
    id: sessionId,
    buyer: { email: user.email, name: null, country },
    app_grant_id: app.grantId,
    app_client_id: app.clientId,
    app_user_id: user.id,
    app_name: app.name,
  })
  const payment: Payment = {
    id: newId('pay', now),
    session_id: sessionId,
    partner_id: MARKETPLACE_PARTNER,
    environment: listing.environment,
    provider: method.provider,
    provider_ref: null,
    amount_cents: listing.price_cents + tax.cents,
    tax_cents: tax.cents,
    tax,
    currency: listing.currency,
    status: 'started',
    reason: null,
    registrant: null,
    refund_ref: null,
    public_id: null,
    due_at: after(now, SAVED_LEASE_MS),
    attempts: 0,
    refund_round: 1,
    refund_cents: null,
    refund_note: null,
    payment_method_id: method.id,
    card: method.label,
    created_at: now,
    updated_at: now,
  }
  await insertPayment(tx, payment)
  await holdForPayment(tx, listing, payment, now, after(now, SAVED_PAYMENT_MS))
  return payment
}

/** A purchase by an app, with its last word. */
export interface FoundPurchase {
  id: string
  domain: string
  price_cents: number
  currency: string
  public_id: string | null
  app_name: string | null
  created_at: Date
  payment_status: Payment['status']
  reason: string | null
  amount_cents: number
  tax_cents: number
}

/** Purchases by apps, newest first. */
export async function findAppPurchases(
  db: Pick<Tx, 'selectFrom'>,
  by: { app_user_id: string; app_client_id?: string; id?: string; public_id?: string },
  limit = 1,
): Promise<FoundPurchase[]> {
  return await db
    .selectFrom('checkout_sessions as s')
    .innerJoin('payments as p', 'p.session_id', 's.id')
    .select(['s.id', 's.domain', 's.price_cents', 's.currency', 's.public_id', 's.app_name'])
    .select(['s.created_at', 'p.status as payment_status', 'p.reason', 'p.amount_cents'])
    .select('p.tax_cents')
    .where((row) =>
      row.and(
        Object.entries(by).map(([name, value]) => row(`s.${name as keyof typeof by}`, '=', value)),
      ),
    )
    .orderBy('s.id', 'desc')
    .limit(limit)
    .execute()
}

/** What an app has spent by a consent: what it bought, and what is being paid. What failed or went back unsold is not. */
export async function spentBy(
  db: Pick<Tx, 'selectFrom'>,
  grantIds: readonly string[],
): Promise<Map<string, number>> {
  if (grantIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('checkout_sessions as s')
    .innerJoin('payments as p', 'p.session_id', 's.id')
    .select(['s.app_grant_id', sql<number>`sum(p.amount_cents)::bigint`.as('cents')])
    .where('s.app_grant_id', 'in', grantIds)
    .where((row) =>
      row.or([
        row('p.status', 'in', ['started', 'action_required', 'processing', 'succeeded']),
        row('p.public_id', 'is not', null),
      ]),
    )
    .groupBy('s.app_grant_id')
    .execute()
  return new Map(rows.map(({ app_grant_id, cents }) => [app_grant_id ?? '', cents]))
}

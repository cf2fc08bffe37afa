import { sql } from 'kysely'
import { ApiError, conflict, invalid } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { after, yearsAfter } from '../../lib/clock.ts'
import { tldOf } from '../../lib/domain-name.ts'
import { newId } from '../../lib/ids.ts'
import { CHARGE_LEASE_MS, insertCharge } from '../payments/charge.ts'
import type { PaymentMethod } from '../payments/payment-method.ts'
import { costOf, type RegistrationPrice, registrationPrice } from '../registry/price-book.ts'
import { graceEnd, rulesOf } from './registration.ts'

type OwnedDomain = Pick<Schema['owned_domains'], 'domain' | 'expires_at'>

/** One request to renew, or one run of the clock: all its names are taken in one charge. */
export interface RenewalOrder {
  chargeId: string
  method: PaymentMethod
  automatic: boolean
  /** Of the request, so that its repeat finds the charge. */
  requestKey: string | null
  requestFingerprint: Uint8Array | null
}

/** What renewals of these names would meet, as this transaction sees it. */
export interface RenewalTerms {
  prices: Map<string, RegistrationPrice | null>
  underWay: Set<string>
}

export async function renewalTerms(tx: Tx, domains: string[]): Promise<RenewalTerms> {
  const tlds = [...new Set(domains.map(tldOf))]
  const [prices, underWay] = await Promise.all([
    Promise.all(tlds.map(async (tld) => [tld, await registrationPrice(tx, tld, 'renew')] as const)),
    tx
      .selectFrom('renewals')
      .select('domain')
      .where('domain', '=', sql<string>`any(${domains}::text[])`)
      .where('status', '=', 'due')
      .where('charge_id', 'is not', null)
      .execute(),
  ])
  return { prices: new Map(prices), underWay: new Set(underWay.map(({ domain }) => domain)) }
}

/** Rejects a renewal that cannot be, before anything is charged. */
export function checkRenewal(
  { prices, underWay }: RenewalTerms,
  now: Date,
  { domain, expires_at }: OwnedDomain,
  years: number,
): void {
  const price = prices.get(tldOf(domain))
  if (!price) {
    throw new ApiError('not_found', `There is no price to renew names on .${tldOf(domain)} here.`)
  }
  if (years % price.years !== 0) {
    const issue = `must be a multiple of ${price.years} on .${tldOf(domain)}`
    throw invalid({ field: 'years', issue })
  }
  const most = rulesOf(domain)?.term.max_years ?? 10
  if (yearsAfter(expires_at, years) > yearsAfter(now, most)) {
    throw conflict('limit_reached', `No more than ${most} years lie ahead of a name like this.`)
  }
  if (graceEnd(domain, expires_at) <= now) {
    throw conflict('not_allowed_now', 'It expired too long ago to be renewed.', {
      status: 'expired',
    })
  }
  if (underWay.has(domain))
    throw conflict('not_allowed_now', 'A renewal of it is being paid for just now.', {
      status: 'renewing',
    })
}

/** Writes one charge, and a line of it for each name; nothing is renewed until the charge succeeds. */
export async function startRenewals(
  tx: Tx,
  now: Date,
  userId: string,
  ownedDomains: OwnedDomain[],
  years: number,
  { prices }: RenewalTerms,
  order: RenewalOrder,
): Promise<void> {
  const lines = ownedDomains.map(({ domain, expires_at }) => {
    const price = prices.get(tldOf(domain))
    if (!price) throw new Error(`${domain} was not checked`)
    return { domain, expires_at, price_cents: costOf(price, years), currency: price.currency }
  })
  const [first] = lines
  if (!first) return
  await insertCharge(tx, {
    id: order.chargeId,
    user_id: userId,
    payment_method_id: order.method.id,
    provider: order.method.provider,
    provider_ref: null,
    amount_cents: lines.reduce((sum, { price_cents }) => sum + price_cents, 0),
    currency: first.currency,
    status: 'started',
    reason: null,
    refund_cents: 0,
    refund_ref: null,
    request_key: order.requestKey,
    request_fingerprint: order.requestFingerprint,
    // Whoever made it charges at once; the job does if that one is gone.
    due_at: after(now, CHARGE_LEASE_MS),
    attempts: 0,
    created_at: now,
    updated_at: now,
  })
  await sql`
    insert into renewals (id, domain, user_id, years, price_cents, currency, status, charge_id, automatic,
      from_expires_at, reason, created_at)
    select n.id, n.domain, ${userId}, ${years}, n.price_cents, ${first.currency}, 'due',
      ${order.chargeId}, ${order.automatic}, n.expires_at, null, ${now}
    from unnest(${lines.map(() => newId('rnw', now))}::text[],
      ${lines.map(({ domain }) => domain)}::text[],
      ${lines.map(({ price_cents }) => price_cents)}::bigint[],
      ${lines.map(({ expires_at }) => expires_at.toISOString())}::text[]::timestamptz[])
      as n (id, domain, price_cents, expires_at)`.execute(tx)
}

/** The renewals that a charge is for, by name. */
export async function renewalsOf(
  db: Pick<Tx, 'selectFrom'>,
  chargeId: string,
): Promise<Schema['renewals'][]> {
  return await db
    .selectFrom('renewals')
    .selectAll()
    .where('charge_id', '=', chargeId)
    .orderBy('domain')
    .execute()
}

import { tldOf } from 'domain-marketplace-domain-names'
import { sql } from 'kysely'
import { ApiError, conflict, invalid } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { after, yearsAfter } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { CHARGE_LEASE, type Charge, insertCharge } from '../payments/charge.ts'
import type { PaymentMethod } from '../payments/payment-method.ts'
import { costOf, type RegistrationPrice, registrationPrice } from '../registry/price-book.ts'
import { connectionFor, type Performers } from './registrar.ts'
import { graceEnd, rulesOf } from './registration.ts'

type OwnedDomain = Pick<Schema['owned_domains'], 'domain' | 'expires_at'>

/**
 * One request to renew, or one run of the clock. Its names are taken in one charge; those that registrars renew
 * in another, which is authorized first.
 */
export interface RenewalOrder {
  chargeId: string
  registrarChargeId: string
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
  if (expires_at === null)
    throw conflict('not_allowed_now', 'Its registrar has not said yet when it expires.', {
      status: 'expiry_unknown',
    })
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

interface WantedRenewals {
  ownedDomains: OwnedDomain[]
  years: number
  terms: RenewalTerms
  order: RenewalOrder
  performers: Performers
}

/** Writes the charges, and a line for each name; nothing is renewed until the money is there, or held. */
export async function startRenewals(
  tx: Tx,
  now: Date,
  userId: string,
  wanted: WantedRenewals,
): Promise<void> {
  const { ownedDomains, performers, order } = wanted
  const { chargeId, registrarChargeId, requestKey } = order
  const isByRegistrar = ({ domain }: OwnedDomain) => connectionFor(performers, domain) !== null
  await startCharge(tx, now, userId, {
    ...wanted,
    ownedDomains: ownedDomains.filter((each) => !isByRegistrar(each)),
    charge: { id: chargeId, manual_capture: false, request_key: requestKey },
  })
  await startCharge(tx, now, userId, {
    ...wanted,
    ownedDomains: ownedDomains.filter(isByRegistrar),
    charge: {
      id: registrarChargeId,
      manual_capture: true,
      request_key: requestKey && registrarKeyOf(requestKey),
    },
  })
}

/** The key of a request's second charge. */
export function registrarKeyOf(requestKey: string): string {
  return `${requestKey} registrar`
}

async function startCharge(
  tx: Tx,
  now: Date,
  userId: string,
  {
    ownedDomains,
    years,
    terms: { prices },
    order,
    performers,
    charge,
  }: WantedRenewals & { charge: Pick<Charge, 'id' | 'manual_capture' | 'request_key'> },
): Promise<void> {
  const lines = ownedDomains.map(({ domain, expires_at }) => {
    const price = prices.get(tldOf(domain))
    if (!price || !expires_at) throw new Error(`${domain} was not checked`)
    return { domain, expires_at, price_cents: costOf(price, years), currency: price.currency }
  })
  const [first] = lines
  if (!first) return
  await insertCharge(tx, {
    ...charge,
    capture_cents: null,
    confirmation_ref: null,
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
    request_fingerprint: order.requestFingerprint,
    // Whoever made it charges at once; the job does if that one is gone.
    due_at: after(now, CHARGE_LEASE.leaseMs),
    attempts: 0,
    created_at: now,
    updated_at: now,
  })
  await sql`
    insert into renewals (id, domain, user_id, years, price_cents, currency, status, charge_id, automatic,
      from_expires_at, reason, created_at, registrar_id)
    select n.id, n.domain, ${userId}, ${years}, n.price_cents, ${first.currency}, 'due',
      ${charge.id}, ${order.automatic}, n.expires_at, null, ${now}, n.registrar_id
    from unnest(${lines.map(() => newId('rnw', now))}::text[],
      ${lines.map(({ domain }) => domain)}::text[],
      ${lines.map(({ price_cents }) => price_cents)}::bigint[],
      ${lines.map(({ expires_at }) => expires_at.toISOString())}::text[]::timestamptz[],
      ${lines.map(({ domain }) => connectionFor(performers, domain)?.id ?? null)}::text[])
      as n (id, domain, price_cents, expires_at, registrar_id)`.execute(tx)
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

/** What registrars were asked for renewals, by the id of the renewal. */
export async function renewalOperations(
  db: Pick<Tx, 'selectFrom'>,
  renewals: readonly { id: string }[],
): Promise<Map<string, string>> {
  if (renewals.length === 0) return new Map()
  const rows = await db
    .selectFrom('registrar_operations')
    .select(['operation_id', 'source'])
    .where(
      'source',
      'in',
      renewals.map(({ id }) => sourceOf(id)),
    )
    .execute()
  return new Map(rows.map(({ operation_id, source }) => [renewalOf(source) ?? '', operation_id]))
}

const SOURCE = 'renewal:'

/** What wants the registrar operation of a renewal. */
export function sourceOf(renewalId: string): string {
  return `${SOURCE}${renewalId}`
}

/** The renewal that wanted an operation; null when something else did. */
export function renewalOf(source: string | null): string | null {
  return source?.startsWith(SOURCE) ? source.slice(SOURCE.length) : null
}

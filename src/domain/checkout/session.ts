import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import {
  centsView,
  createdAt,
  currencyView,
  domainView,
  idField,
  iso,
  timestamp,
} from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { inTransaction } from '../../db/transaction.ts'
import { DAY, unixSeconds } from '../../lib/clock.ts'
import { dropReservation } from '../listings/listing.ts'
import type { Payment } from '../payments/payment.ts'

export const SESSION_LIFETIME_MS = 7 * DAY

export const SESSION_STATUSES = ['open', 'paid', 'expired', 'cancelled'] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

/** What the buyer is known by before the details are filled in. */
export interface KnownBuyer {
  email: string | null
  name: string | null
  country: string | null
}

export type Session = Selectable<Schema['checkout_sessions']>

/** A session lapses by the clock: no one writes that down. */
export function sessionStatus(
  session: Pick<Session, 'status' | 'expires_at'>,
  now: Date,
): SessionStatus {
  return session.status === 'open' && session.expires_at <= now ? 'expired' : session.status
}

/** Who pays: whom the details named when the payment started, whatever the session says by now. */
export function payerOf(session: Session, payment: Pick<Payment, 'registrant'>): KnownBuyer {
  return payment.registrant ?? session.registrant ?? session.buyer
}

/** The partner's page for buyers who have paid, told what was bought; null while nothing is paid, or without one. */
export function partnersPage({ id, public_id, return_url }: Session): string | null {
  if (public_id === null || return_url === null) return null
  const url = new URL(return_url)
  url.searchParams.set('checkout_session_id', id)
  url.searchParams.set('public_id', public_id)
  return url.href
}

const AUDIENCE = 'checkout'

/** The signed `pt` token: it names its session, and nothing in it can be changed. */
export async function tokenOf(
  { signingKey, settings }: Pick<AppContext, 'signingKey' | 'settings'>,
  session: Pick<
    Session,
    'id' | 'domain' | 'price_cents' | 'currency' | 'created_at' | 'expires_at'
  >,
): Promise<string> {
  return await signingKey.sign({
    iss: settings.baseUrl,
    aud: AUDIENCE,
    jti: session.id,
    iat: unixSeconds(session.created_at),
    exp: unixSeconds(session.expires_at),
    domain: session.domain,
    price_cents: session.price_cents,
    currency: session.currency,
  })
}

/** The session that a token names; undefined when the token is not one of ours, to the last bit. */
export async function findByToken(
  { db, signingKey }: Pick<AppContext, 'db' | 'signingKey'>,
  token: string,
): Promise<Session | undefined> {
  const payload = await signingKey.verify(token)
  if (payload?.aud !== AUDIENCE || typeof payload.jti !== 'string') return undefined
  return await readSession(db, payload.jti)
}

export async function readSession(
  db: Pick<Tx, 'selectFrom'>,
  id: string,
): Promise<Session | undefined> {
  return await db
    .selectFrom('checkout_sessions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The session's row, held for this transaction. */
export async function lockSession(tx: Tx, id: string): Promise<Session> {
  return await tx
    .selectFrom('checkout_sessions')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => notFound('checkout session'))
}

/**
 * Whose inventory the domain is bought from. It matters in the sandbox alone, where each partner has its own: on the
 * marketplace's pages a visitor is in the sandbox of the partner whose link they followed last.
 */
export async function marketOf(
  db: Pick<Tx, 'selectFrom'>,
  { partner_id, environment, link_id }: Pick<Session, 'partner_id' | 'environment' | 'link_id'>,
): Promise<Partner> {
  const link =
    environment === 'live' || link_id === null
      ? undefined
      : await db
          .selectFrom('referral_links')
          .select('partner_id')
          .where('id', '=', link_id)
          .executeTakeFirst()
  return { partnerId: link?.partner_id ?? partner_id, environment }
}

export type SessionChange = Partial<
  Pick<Session, 'status' | 'public_id' | 'registrant' | 'delivery' | 'link_id' | 'clicked_at'>
>

/** Changes a session, unless it was paid or has ended since it was read: false then, and nothing is changed. */
export async function changeOpenSession(
  app: Pick<AppContext, 'server'>,
  { id }: Pick<Session, 'id'>,
  now: Date,
  change: SessionChange,
): Promise<boolean> {
  return await inTransaction(app, async (tx) => {
    const session = await lockSession(tx, id)
    if (sessionStatus(session, now) !== 'open') return false
    await updateSession(tx, id, now, change)
    if (change.status === 'cancelled') await letGo(tx, session)
    return true
  })
}

/** Whoever gives up what an accepted offer kept for them leaves it to others. */
export async function letGo(tx: Tx, session: Session): Promise<void> {
  const { id, offer_id, domain } = session
  if (offer_id !== null) await dropReservation(tx, { ...(await marketOf(tx, session)), domain }, id)
}

export async function updateSession(
  tx: Tx,
  id: string,
  now: Date,
  change: SessionChange,
): Promise<void> {
  const { registrant, delivery, ...plain } = change
  await tx
    .updateTable('checkout_sessions')
    .set({
      ...plain,
      ...(registrant && { registrant: JSON.stringify(registrant) }),
      ...(delivery && { delivery: JSON.stringify(delivery) }),
      updated_at: now,
    })
    .where('id', '=', id)
    .execute()
}

export const SessionView = z
  .object({
    id: idField('cs').describe('The id of the checkout session.'),
    checkout_url: z.string().meta({
      description: 'The page to send the buyer to, with a signed token.',
      example: 'https://market.example/checkout?pt=eyJhbGciOiJFZERTQSJ9',
    }),
    domain: domainView,
    price_cents: centsView(129_500).describe('The price that the buyer pays, in cents.'),
    currency: currencyView,
    status: z
      .enum(SESSION_STATUSES)
      .describe('`open` until it is `paid`, `cancelled`, or `expired` after seven days.'),
    external_ref: z
      .string()
      .nullable()
      .meta({ description: 'Your reference for the session, or null.', example: 'basket_1001' }),
    metadata: z.record(z.string(), z.unknown()).meta({
      description: 'The values that you stored with it.',
      example: { campaign: 'spring' },
    }),
    public_id: idField('ord').nullable().meta({
      description: 'The id of the order once it is paid; null until then.',
      example: null,
    }),
    created_at: createdAt,
    expires_at: timestamp.meta({
      description: 'When the link stops working: seven days after the creation.',
      example: '2026-01-12T09:30:00.000Z',
    }),
  })
  .meta({ id: 'CheckoutSession', description: 'A page on which a buyer pays for one domain.' })

export function checkoutUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/checkout?pt=${token}`
}

export async function viewSession(
  app: Pick<AppContext, 'signingKey' | 'settings'>,
  session: Session,
  now: Date,
): Promise<z.output<typeof SessionView>> {
  return {
    id: session.id,
    checkout_url: checkoutUrl(app.settings.baseUrl, await tokenOf(app, session)),
    domain: session.domain,
    price_cents: session.price_cents,
    currency: session.currency,
    status: sessionStatus(session, now),
    external_ref: session.external_ref,
    metadata: session.metadata,
    public_id: session.public_id,
    created_at: iso(session.created_at),
    expires_at: iso(session.expires_at),
  }
}

import type { ColumnType, Selectable } from 'kysely'
import { z } from 'zod'
import { inTransaction } from '../../kernel/database/transaction.ts'
import { notFound } from '../../kernel/errors.ts'
import { iso, timestamp } from '../../kernel/fields.ts'
import type { House } from '../../kernel/house.ts'
import type { Environment, Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import { DAY, unixSeconds } from '../../lib/clock.ts'
import type { Payment, Registrant } from '../payments/payment.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    checkout_sessions: {
      id: string
      partner_id: string
      environment: Environment
      domain: string
      price_cents: number
      currency: string
      /** Whose offer the price is, as of the listing that the session was made for. */
      seller_id: string | null
      status: 'open' | 'paid' | 'cancelled'
      buyer: ColumnType<KnownBuyer, string, never>
      registrant: ColumnType<Registrant | null, string | null, string>
      return_url: string | null
      cancel_url: string | null
      external_ref: string | null
      metadata: ColumnType<Record<string, unknown>, string, never>
      link_id: string | null
      clicked_at: Date | null
      public_id: string | null
      created_at: Date
      updated_at: Date
      expires_at: Date
    }
  }
}

export const SESSION_LIFETIME_MS = 7 * DAY

export const SESSION_STATUSES = ['open', 'paid', 'expired', 'cancelled'] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

/** What the buyer is known by before the details are filled in. */
interface KnownBuyer {
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

const AUDIENCE = 'checkout'

/** The signed `pt` token: it names its session, and nothing in it can be changed. */
export async function tokenOf(
  { signingKey, settings }: Pick<House, 'signingKey' | 'settings'>,
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
  { db, signingKey }: Pick<House, 'db' | 'signingKey'>,
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

export type SessionChange = Partial<
  Pick<Session, 'status' | 'public_id' | 'registrant' | 'link_id' | 'clicked_at'>
>

/** Changes a session, unless it was paid or has ended since it was read: false then, and nothing is changed. */
export async function changeOpenSession(
  house: Pick<House, 'server'>,
  { id }: Pick<Session, 'id'>,
  now: Date,
  change: SessionChange,
): Promise<boolean> {
  return await inTransaction(house, async (tx) => {
    if (sessionStatus(await lockSession(tx, id), now) !== 'open') return false
    await updateSession(tx, id, now, change)
    return true
  })
}

export async function updateSession(
  tx: Tx,
  id: string,
  now: Date,
  change: SessionChange,
): Promise<void> {
  const { registrant, ...plain } = change
  await tx
    .updateTable('checkout_sessions')
    .set({
      ...plain,
      ...(registrant && { registrant: JSON.stringify(registrant) }),
      updated_at: now,
    })
    .where('id', '=', id)
    .execute()
}

export const SessionView = z.object({
  id: z.string(),
  /** Where the buyer pays, with its signed token. */
  checkout_url: z.string(),
  domain: z.string(),
  price_cents: z.int(),
  currency: z.string(),
  status: z.enum(SESSION_STATUSES),
  external_ref: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  /** The order, once it is paid. */
  public_id: z.string().nullable(),
  created_at: timestamp,
  expires_at: timestamp,
})

export function checkoutUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/checkout?pt=${token}`
}

export async function viewSession(
  house: Pick<House, 'signingKey' | 'settings'>,
  session: Session,
  now: Date,
): Promise<z.output<typeof SessionView>> {
  return {
    id: session.id,
    checkout_url: checkoutUrl(house.settings.baseUrl, await tokenOf(house, session)),
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

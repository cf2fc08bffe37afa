import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import type { Tx } from '../../core/operation.ts'
import { checkoutUrl, readSession, type Session, tokenOf } from '../checkout/session.ts'
import type { Offer } from './offer.ts'

type Linking = Pick<AppContext, 'signingKey' | 'settings'>

/** Where the buyer of our own pages pays what was agreed; null for those of partners. */
export async function payLink(
  { tx, app }: { tx: Pick<Tx, 'selectFrom'>; app: Linking },
  { session_id }: Pick<Offer, 'session_id'>,
): Promise<string | null> {
  return session_id === null ? null : await linkOf(app, await readSession(tx, session_id))
}

/** Where the buyer with this address pays what an accepted offer of theirs was promised; null where none was. */
export async function promisedLink(
  { tx, now, app }: { tx: Pick<Tx, 'selectFrom'>; now: Date; app: Linking },
  domain: string,
  email: string,
): Promise<string | null> {
  const session = await tx
    .selectFrom('offers as o')
    .innerJoin('checkout_sessions as s', 's.id', 'o.session_id')
    .selectAll('s')
    .where('o.environment', '=', 'live')
    .where('o.domain', '=', domain)
    .where('o.status', '=', 'accepted')
    .where('o.expires_at', '>', now)
    .where(sql<string>`lower(o.buyer ->> 'email')`, '=', email)
    .where('s.status', '=', 'open')
    .executeTakeFirst()
  return await linkOf(app, session)
}

async function linkOf(app: Linking, session: Session | undefined): Promise<string | null> {
  return session ? checkoutUrl(app.settings.baseUrl, await tokenOf(app, session)) : null
}

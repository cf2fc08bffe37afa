import { sql } from 'kysely'
import { z } from 'zod'
import { ENVIRONMENTS, type Environment } from '../../core/caller.ts'
import { ApiError, conflict, notFound } from '../../core/errors.ts'
import { pageWrite, type Tx } from '../../core/operation.ts'
import { lockSandbox } from '../../core/sandbox-lock.ts'
import { OFFER_STATES } from '../events/event-view.ts'
import { findTransferProblem } from '../listings/transferable.ts'
import { MARKETPLACE_PARTNER, marketplaceIn } from '../partners/partner.ts'
import { amountField, messageField, OfferInput, startOffer } from './create-offer.ts'
import { moveOffer, RESPONSES } from './move-offer.ts'
import { findOffer, type Offer, type OfferContext, type OfferSide } from './offer.ts'
import { hashOf, offerUrl } from './offer-links.ts'

/** Offers of one address in an environment that run or have a name promised: each may keep a name from others. */
const MAX_AT_ONCE = 5

/** A visitor's offer on a name's page, by nothing but an e-mail address. */
export const makeOfferOnPage = pageWrite({
  name: 'make_offer_on_page',
  input: OfferInput.extend({ environment: z.enum(ENVIRONMENTS) }),
  output: z.object({ offer_id: z.string(), url: z.string() }),
  prepare: ({ app }, { environment, domain }) =>
    findTransferProblem(app, environment, domain, 'offers'),
  async handler({ tx, now, app, prepared }, { environment, ...input }) {
    const context = { tx, now, app }
    if (environment === 'sandbox') await lockSandbox(tx, MARKETPLACE_PARTNER, 'shared')
    await assertFew(context, environment, input.buyer.email)
    const offer = await startOffer(context, marketplaceIn(environment), input, prepared)
    return { offer_id: offer.offer_id, url: offerUrl(app, offer, 'buyer') }
  },
})

/** Rejects one more offer of somebody who has as many as they may. */
export async function assertFew(
  { tx, now }: OfferContext,
  environment: Environment,
  email: string,
): Promise<void> {
  const current = await tx
    .selectFrom('offers as o')
    .leftJoin('checkout_sessions as s', 's.id', 'o.session_id')
    .select('o.offer_id')
    .where(sql<string>`lower(o.buyer ->> 'email')`, '=', email.toLowerCase())
    .where('o.partner_id', '=', MARKETPLACE_PARTNER)
    .where('o.environment', '=', environment)
    .where('o.status', 'in', ['open', 'countered', 'accepted'])
    .where('o.expires_at', '>', now)
    // A checkout that was paid or canceled keeps nothing.
    .where((row) => row.or([row('s.id', 'is', null), row('s.status', '=', 'open')]))
    .limit(MAX_AT_ONCE)
    .execute()
  if (current.length < MAX_AT_ONCE) return
  throw conflict(
    'limit_reached',
    `${email} has ${MAX_AT_ONCE} offers running. Buy one of the names, withdraw an offer, or wait until one ends.`,
  )
}

/** What became of an accepted offer: its buyer may still pay, has paid, or let the time pass. */
export type Promised = 'reserved' | 'bought' | 'lapsed'

/** Null unless it was accepted. */
export async function promisedBy(
  db: Pick<Tx, 'selectFrom'>,
  now: Date,
  { status, session_id, quote_id, expires_at }: Offer,
): Promise<Promised | null> {
  if (status !== 'accepted') return null
  const paid = await db
    .selectFrom('checkout_sessions')
    .select('id')
    .where('id', '=', session_id)
    .where('status', '=', 'paid')
    .unionAll(db.selectFrom('orders').select('public_id as id').where('quote_id', '=', quote_id))
    .executeTakeFirst()
  if (paid) return 'bought'
  return expires_at > now ? 'reserved' : 'lapsed'
}

/** The offer that a link opens, and whose link it is. */
export async function findByOfferLink(
  db: Pick<Tx, 'selectFrom'>,
  token: string,
): Promise<{ offer: Offer; side: OfferSide }> {
  if (/^[0-9a-f]{64}$/.test(token)) {
    const hash = hashOf(token)
    for (const side of ['buyer', 'seller'] as const) {
      const offer = await db
        .selectFrom('offers')
        .selectAll()
        .where(`${side}_hash`, '=', hash)
        .executeTakeFirst()
      if (offer) return { offer, side }
    }
  }
  throw new ApiError(
    'not_found',
    'This link is not complete, or not one of ours. Open it again as it is in the mail.',
  )
}

const Move = z.object({
  /** How many amounts the page showed: what was decided on before another came is rejected. */
  seen: z.number(),
  move: z.enum([...RESPONSES, 'withdraw']),
  amount_cents: amountField.nullish(),
  message: messageField,
})

const Moved = z.object({ status: z.enum(OFFER_STATES) })

/** A response by the mailed link. */
export const moveOfferByLink = pageWrite({
  name: 'move_offer_by_link',
  input: Move.extend({ token: z.string() }),
  output: Moved,
  async prepare({ db, app }, { token }) {
    const { offer } = await findByOfferLink(db, token)
    return await findTransferProblem(app, offer.environment, offer.domain, 'offers')
  },
  async handler({ tx, now, app, prepared }, { token, seen, ...input }) {
    const { offer, side } = await findByOfferLink(tx, token)
    if (input.move === 'withdraw' && side === 'seller') throw notFound('response')
    assertSeen(offer, side, seen)
    const { status } = await moveOffer({ tx, now, app }, offer, side, input, prepared)
    return { status }
  },
})

/** A response of the seller in their account. */
export const moveOfferForSeller = pageWrite({
  name: 'move_offer_for_seller',
  input: Move.extend({ offer_id: z.string(), move: z.enum(RESPONSES) }),
  output: Moved,
  audit: ({ offer_id, move, amount_cents = null }) => ({
    subject: offer_id,
    input: { move, amount_cents },
  }),
  async prepare({ db, app, caller }, { offer_id }) {
    const { environment, domain } = await findOwnOffer(db, offer_id, caller.user?.id)
    return await findTransferProblem(app, environment, domain, 'offers')
  },
  async handler({ tx, now, app, caller, prepared }, { offer_id, seen, ...input }) {
    const offer = await findOwnOffer(tx, offer_id, caller.user?.id)
    assertSeen(offer, 'seller', seen)
    const { status } = await moveOffer({ tx, now, app }, offer, 'seller', input, prepared)
    return { status }
  },
})

/** An offer for a domain of the user's. */
export async function findOwnOffer(
  db: Pick<Tx, 'selectFrom'>,
  offerId: string,
  userId: string | undefined,
): Promise<Offer> {
  const offer = await findOffer(db, offerId)
  if (userId === undefined || offer.seller_id !== userId) throw notFound('offer')
  return offer
}

/** Amounts are only ever added, and turns follow each other, so that whoever is not first finds it moved on. */
function assertSeen({ history }: Offer, side: OfferSide, seen: number): void {
  if (history.length === seen) return
  throw conflict(
    'changed_meanwhile',
    history.at(-1)?.by === side
      ? 'You have responded already. This is the offer as it is now.'
      : 'The other side responded after you opened this page. Look again before you decide.',
  )
}

/** How many offers wait for a user to respond. */
export async function countWaitingOffers(
  db: Pick<Tx, 'selectFrom'>,
  userId: string,
  now: Date,
): Promise<number> {
  const { count } = await db
    .selectFrom('offers')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('seller_id', '=', userId)
    .where('turn', '=', 'seller')
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return count
}

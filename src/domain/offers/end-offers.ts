import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import type { Tx } from '../../core/operation.ts'
import { lockSandbox } from '../../core/sandbox-lock.ts'
import { inTransaction } from '../../db/transaction.ts'
import { SECOND } from '../../lib/clock.ts'
import { overtakenAmong } from './as-of-now.ts'
import { settle } from './move-offer.ts'
import { findOffer, lockOfferRow, type Offer, type OfferContext } from './offer.ts'

const AT_ONCE = 200

/** Ends offers that nobody responded to in time, and those for names that have left the market. */
export const endOffers: Job = {
  name: 'end_offers',
  everyMs: SECOND,
  async run(app, signal) {
    const now = app.clock.now()
    const late = await dueOffers(app.db, now)
    const due = new Set([...late, ...(await overtakenAmong(app.db, null))])
    for (const offerId of due) {
      if (signal.aborted) return
      await endOne(app, offerId).catch((error: unknown) => {
        app.log.error({ err: error, offer_id: offerId }, 'offers: one was not ended')
      })
    }
  },
}

async function dueOffers(db: Pick<Tx, 'selectFrom'>, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('offers')
    .select('offer_id')
    .where('ended_at', 'is', null)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(AT_ONCE)
    .execute()
  return rows.map(({ offer_id }) => offer_id)
}

async function endOne(app: AppContext, offerId: string): Promise<void> {
  const now = app.clock.now()
  await inTransaction(app, async (tx) => {
    const found = await findOffer(tx, offerId)
    if (found.environment === 'sandbox') await lockSandbox(tx, found.partner_id, 'shared')
    await endIfDue({ tx, now, app }, await lockOfferRow(tx, offerId))
  })
}

/** Somebody may have responded meanwhile, or a move of the clock or of the market may have ended it. */
async function endIfDue(context: OfferContext, offer: Offer): Promise<void> {
  if (offer.ended_at !== null) return
  const { tx, now } = context
  const isOvertaken = (await overtakenAmong(tx, [offer.offer_id])).has(offer.offer_id)
  if (!isOvertaken && offer.expires_at > now) return
  const status = isOvertaken ? 'declined' : 'expired'
  const ended: Offer = { ...offer, status, turn: null, updated_at: now, ended_at: now }
  await settle(context, ended, [`offer.${status}`])
}

/** Ends what is due in a partner's sandbox, whose clock was moved. */
export async function endOffersOfSandbox(
  context: OfferContext,
  partnerId: string,
): Promise<number> {
  const { tx, now } = context
  const due = await tx
    .selectFrom('offers')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('environment', '=', 'sandbox')
    .where('ended_at', 'is', null)
    .where('expires_at', '<=', now)
    .orderBy('offer_id')
    .forUpdate()
    .execute()
  for (const offer of due) await endIfDue(context, offer)
  return due.length
}

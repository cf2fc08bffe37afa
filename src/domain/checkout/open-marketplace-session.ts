import type { Environment, Partner } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import { lockSandbox } from '../../core/sandbox-lock.ts'
import { inTransaction } from '../../db/transaction.ts'
import { HOUR } from '../../lib/clock.ts'
import { lockListing, notListed } from '../listings/listing.ts'
import { countLead } from '../listings/name-days.ts'
import { MARKETPLACE_PARTNER, marketplaceIn } from '../partners/partner.ts'
import { assertNotTaken } from '../quotes/reservation.ts'
import type { Click } from '../referrals/click.ts'
import { count } from '../referrals/referral-days.ts'
import { insertSession, newSession } from './create-session.ts'
import {
  checkoutUrl,
  lockSession,
  type Session,
  sessionStatus,
  tokenOf,
  updateSession,
} from './session.ts'

/** How long a price holds that our own page showed (contract, section 18). */
const OWN_LIFETIME_MS = HOUR

/** The buy button of a name's page: a session of the marketplace itself. Returns where it is paid. */
export async function openMarketplaceSession(
  { tx, now, app }: Pick<WriteContext, 'tx' | 'now' | 'app'>,
  environment: Environment,
  domain: string,
  { click, byLander = false }: { click: Click | null; byLander?: boolean },
): Promise<string> {
  const market =
    environment === 'sandbox' ? await enterSandbox(tx, click) : marketplaceIn(environment)
  const listing = await lockListing(tx, market, domain)
  if (!listing) throw notListed(domain)
  await assertNotTaken(tx, listing, MARKETPLACE_PARTNER, now)
  const session = newSession(listing, MARKETPLACE_PARTNER, now, OWN_LIFETIME_MS)
  session.by_lander = byLander
  const link = click && (await linkOf(tx, environment, click))
  if (click && link) {
    session.link_id = link.id
    session.clicked_at = click.at
    await countCheckout(tx, now, environment, link)
  }
  await insertSession(tx, session)
  if (environment === 'live') await countLead(tx, now, domain)
  return checkoutUrl(app.settings.baseUrl, await tokenOf(app, session))
}

/**
 * Credits an open session of the marketplace to the visitor's last click, which may have come after the session.
 * Returns what it is credited to now, if that has changed.
 */
export async function creditClick(
  app: Pick<AppContext, 'server'>,
  { id, environment, offer_id }: Session,
  now: Date,
  click: Click,
): Promise<Partial<Pick<Session, 'link_id' | 'clicked_at'>>> {
  // In the sandbox each partner has listings of their own: what an offer reserved is in the marketplace's.
  if (offer_id !== null && environment === 'sandbox') return {}
  return await inTransaction(app, async (tx) => {
    const session = await lockSession(tx, id)
    const link = await linkOf(tx, session.environment, click)
    if (!link || sessionStatus(session, now) !== 'open') return {}
    const credit = { link_id: link.id, clicked_at: click.at }
    await updateSession(tx, id, now, credit)
    if (session.link_id !== link.id) await countCheckout(tx, now, session.environment, link)
    return credit
  })
}

/** Whose sandbox a visitor of our own pages is in: that of the partner whose link they followed last, or ours. */
export async function visitedSandbox(
  db: Pick<Tx, 'selectFrom'>,
  click: Click | null,
): Promise<Partner> {
  const link = click && (await linkOf(db, 'sandbox', click))
  return link ? { partnerId: link.partner_id, environment: 'sandbox' } : marketplaceIn('sandbox')
}

/** As the partner's own writes do, so that no reset takes the link away while this runs. */
async function enterSandbox(tx: Tx, click: Click | null): Promise<Partner> {
  await lockSandbox(tx, (await visitedSandbox(tx, click)).partnerId, 'shared')
  // A reset may have been faster.
  return await visitedSandbox(tx, click)
}

type Link = Awaited<ReturnType<typeof linkOf>> & object

async function countCheckout(tx: Tx, now: Date, environment: Environment, link: Link) {
  const owner = { partnerId: link.partner_id, environment }
  await count(tx, owner, link.id, now, { checkouts: 1 })
}

/** Links earn in their own environment only. */
async function linkOf(tx: Pick<Tx, 'selectFrom'>, environment: Environment, click: Click) {
  return await tx
    .selectFrom('referral_links')
    .select(['id', 'partner_id'])
    .where('id', '=', click.linkId)
    .where('environment', '=', environment)
    .executeTakeFirst()
}

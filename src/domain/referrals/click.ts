import { sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { dateOf } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import { after, DAY } from '../../lib/clock.ts'
import { newSecret } from '../../lib/ids.ts'
import { isRobot } from '../../lib/robots.ts'
import { MARKETPLACE_PARTNER } from '../partners/partner.ts'
import { count } from './referral-days.ts'
import type { ReferralLink } from './referral-link.ts'

/** How long a click may earn the sale that follows it; contract, section 11. */
export const CLICK_LIFETIME_MS = 30 * DAY

/** The last click of a visitor, as the visitor's cookie carries it: sealed, so that none is made up. */
export interface Click {
  linkId: string
  at: Date
  visitor: string
}

export function writeClick({ secrets }: Pick<AppContext, 'secrets'>, click: Click): string {
  return secrets.sealToken(
    JSON.stringify([click.linkId, click.at.getTime(), click.visitor]),
    'click',
  )
}

/** Null when there is none, or it is too old to earn anything. */
export function readClick(
  { secrets }: Pick<AppContext, 'secrets'>,
  cookie: string | undefined,
  now: Date,
): Click | null {
  const text = cookie === undefined ? null : secrets.openToken(cookie, 'click')
  if (text === null) return null
  const [linkId, at, visitor] = JSON.parse(text) as [string, number, string]
  const click = { linkId, at: new Date(at), visitor }
  return after(click.at, CLICK_LIFETIME_MS) > now ? click : null
}

/** Who visits a link, as far as a request tells. */
export interface Visitor {
  address: string
  userAgent: string
  isPrefetch: boolean
  /** From an earlier visit's cookie. */
  known: string | null
}

/** Counts a visit of a link, and returns the click that the visitor takes along; null for a robot. */
export async function countClick(
  tx: Tx,
  app: Pick<AppContext, 'secrets'>,
  now: Date,
  link: ReferralLink,
  visitor: Visitor,
): Promise<Click | null> {
  const owner = { partnerId: link.partner_id, environment: link.environment }
  if (visitor.isPrefetch || isRobot(visitor.userAgent)) {
    await count(tx, owner, link.id, now, { bots: 1 })
    return null
  }
  const id = visitor.known ?? newSecret()
  const signs = [`${visitor.address} ${visitor.userAgent}`, id]
  const added = await tx
    .insertInto('referral_visitors')
    .values(
      signs.map((sign) => ({
        partner_id: link.partner_id,
        environment: link.environment,
        date: dateOf(now),
        // Bound to the day and the partner: it leads back to nobody, and links no two days.
        visitor: app.secrets.digest(sign, `visitor ${link.partner_id} ${dateOf(now)}`),
      })),
    )
    .onConflict((seen) => seen.doNothing())
    .returning('visitor')
    .execute()
  // Known by either sign, it was here before today.
  const isNew = added.length === signs.length
  await count(tx, owner, link.id, now, { clicks: 1, unique_clicks: isNew ? 1 : 0 })
  return { linkId: link.id, at: now, visitor: id }
}

/** Whom a sale on the marketplace's own pages is to be credited to. */
export interface Attribution {
  partnerId: string
  linkId: string | null
  commissionBps: number
}

/** Last click wins; whoever buys by a link of their own, or of their partner's, earns nothing by it. */
export async function attribute(
  tx: Tx,
  environment: Environment,
  session: { link_id: string | null; clicked_at: Date | null },
  buyerEmail: string,
  paidAt: Date,
): Promise<Attribution> {
  const marketplace: Attribution = {
    partnerId: MARKETPLACE_PARTNER,
    linkId: null,
    commissionBps: 0,
  }
  if (!session.link_id || !session.clicked_at) return marketplace
  if (after(session.clicked_at, CLICK_LIFETIME_MS) <= paidAt) return marketplace
  const link = await tx
    .selectFrom('referral_links as l')
    .innerJoin('partners as p', 'p.id', 'l.partner_id')
    .select(['l.id', 'l.partner_id', 'l.environment', 'p.email', 'p.referral_bps', 'p.status'])
    .where('l.id', '=', session.link_id)
    .executeTakeFirst()
  if (!link || link.environment !== environment || link.status !== 'active') return marketplace
  const affiliate = tx
    .selectFrom('affiliates')
    .select('id')
    .where('partner_id', '=', link.partner_id)
  const own = await tx
    .selectFrom('users')
    .select('email')
    .where((row) =>
      row.or([row('partner_id', '=', link.partner_id), row('affiliate_id', '=', affiliate)]),
    )
    .execute()
  if ([link, ...own].some(({ email }) => sameMailbox(email, buyerEmail))) return marketplace
  return { partnerId: link.partner_id, linkId: link.id, commissionBps: link.referral_bps }
}

/** Case and a tag behind a plus sign make no other person. */
function sameMailbox(a: string, b: string): boolean {
  const plain = (email: string) =>
    email
      .trim()
      .toLowerCase()
      .replace(/\+[^@]*(?=@)/, '')
  return plain(a) === plain(b)
}

/** Visitors of days gone by need not be told apart any more. */
export async function purgeVisitors(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  const before = dateOf(after(now, -DAY))
  await purge(db, 'referral_visitors', sql`date < ${before}::date`, signal)
}

import type { Environment, WriteContext } from '../../kernel/operation.ts'
import { lockListing, notListed } from '../inventory/listing.ts'
import { HOUSE_PARTNER } from '../partners/partner.ts'
import { refuseTaken } from '../quotes/reservation.ts'
import type { Click } from '../referrals/click.ts'
import { count } from '../referrals/referral-days.ts'
import { insertSession, newSession } from './create-session.ts'
import { checkoutUrl, tokenOf } from './session.ts'

/** The buy button of a name's page: a session of the house itself. Answers where it is paid. */
export async function openHouseSession(
  { tx, now, house }: Pick<WriteContext, 'tx' | 'now' | 'house'>,
  environment: Environment,
  domain: string,
  click: Click | null,
): Promise<string> {
  const listing = await lockListing(tx, environment, domain)
  if (!listing) throw notListed(domain)
  await refuseTaken(tx, listing, HOUSE_PARTNER, now)
  const session = newSession(listing, HOUSE_PARTNER, now)
  const link = click && (await linkOf(tx, environment, click))
  if (click && link) {
    session.link_id = link.id
    session.clicked_at = click.at
    const owner = { partnerId: link.partner_id, environment }
    await count(tx, owner, link.id, now, { checkouts: 1 })
  }
  await insertSession(tx, session)
  return checkoutUrl(house.settings.baseUrl, await tokenOf(house, session))
}

/** Links earn in their own environment only. */
async function linkOf(tx: WriteContext['tx'], environment: Environment, click: Click) {
  return await tx
    .selectFrom('referral_links')
    .select(['id', 'partner_id'])
    .where('id', '=', click.linkId)
    .where('environment', '=', environment)
    .executeTakeFirst()
}

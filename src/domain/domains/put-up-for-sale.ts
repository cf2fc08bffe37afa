import { type ApiError, conflict, notFound } from '../../core/errors.ts'
import type { WriteContext } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import type { Schema } from '../../db/schema.ts'
import { HOME_CURRENCY, moneyText } from '../../lib/money.ts'
import { blockedAmong } from '../listings/blocked-domain.ts'
import {
  type AskingPrice,
  lockMarket,
  type MarketRow,
  offerDomains,
  offerProblem,
} from '../listings/seller-listing.ts'
import { sellsFrom } from './listing-hold.ts'
import { mailUser } from './mail-user.ts'
import { domainsChangedMail } from './mails/changed.ts'
import { lockOwned } from './owned-domain.ts'

type OwnedDomain = Schema['owned_domains']

type Context = Pick<WriteContext, 'tx' | 'now'> & {
  app: { settings: Pick<Settings, 'listingHoldHours'> }
}

interface Facts {
  userId: string
  now: Date
  market: ReadonlyMap<string, MarketRow>
  /** Names that nobody may list. */
  blocked: ReadonlySet<string>
}

/** Why a domain cannot be put up for sale by the user whose it is, or null. */
export function listingProblem(
  { market, blocked, userId, now }: Facts,
  { domain, expires_at }: Pick<OwnedDomain, 'domain' | 'expires_at'>,
): ApiError | null {
  if (blocked.has(domain)) return conflict('blocked', 'An operator has blocked it.')
  if (expires_at !== null && expires_at <= now) {
    return conflict('not_allowed_now', 'It has expired. Renew it first.', { status: 'expired' })
  }
  return offerProblem(market.get(domain), userId)
}

export interface PutUpForSale {
  /** How many went on the market, and of how many that were there the price was set. */
  listed: number
  priced: number
  /** Why the others stay as they are. */
  errors: Map<string, ApiError>
}

/** Puts domains of a user up for sale, each for its own price. The user is mailed those that were not for sale. */
export async function putUpForSale(
  context: Context,
  userId: string,
  asked: ReadonlyMap<string, AskingPrice>,
): Promise<PutUpForSale> {
  const { tx, now, app } = context
  const done: PutUpForSale = { listed: 0, priced: 0, errors: new Map() }
  if (asked.size === 0) return done
  const from = await sellsFrom(tx, now, userId, 'list_for_sale', app.settings)
  const domains = [...asked.keys()].toSorted()
  const owned = await lockOwned(tx, userId, domains)
  const market = await lockMarket(tx, domains)
  const blocked = await blockedAmong(tx, domains)
  const passed = new Map(asked)
  for (const domain of domains) {
    const mine = owned.get(domain)
    const error = mine
      ? listingProblem({ userId, now, market, blocked }, mine)
      : notFound('domain of yours')
    if (!error) continue
    done.errors.set(domain, error)
    passed.delete(domain)
  }
  await offerDomains(tx, now, userId, passed, { sellsFrom: from })
  const listed = [...passed.keys()].filter((domain) => market.get(domain)?.status !== 'listed')
  done.listed = listed.length
  done.priced = passed.size - listed.length
  if (listed.length > 0) {
    const mail = { op: 'list_for_sale' as const, domains: listed, nameservers: [], sellsFrom: from }
    const priceText = commonPrice(listed, asked)
    await mailUser(tx, now, userId, domainsChangedMail({ ...mail, priceText }))
  }
  return done
}

/** What each of them costs, or null where one costs more than another. */
function commonPrice(domains: string[], asked: ReadonlyMap<string, AskingPrice>): string | null {
  const prices = new Set(domains.map((domain) => asked.get(domain)?.priceCents))
  const [price] = prices
  return prices.size === 1 && price !== undefined ? moneyText(price, HOME_CURRENCY) : null
}

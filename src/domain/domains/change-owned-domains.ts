import { tldOf } from 'domain-marketplace-domain-names'
import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import { ApiError, conflict, invalid, notFound } from '../../core/errors.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { HOME_CURRENCY, moneyText } from '../../lib/money.ts'
import { type Claim, findClaims } from '../claims/claim.ts'
import { blockedAmong } from '../listings/blocked-domain.ts'
import {
  listedProblem,
  lockMarket,
  type MarketRow,
  offerDomains,
  withdrawDomains,
  withdrawProblem,
} from '../listings/seller-listing.ts'
import { queueOperation } from '../registrars/operation.ts'
import type { BulkOp, BulkParams } from './bulk-op.ts'
import { sellsFrom } from './listing-hold.ts'
import { mailUser } from './mail-user.ts'
import { domainsChangedMail, MAILED_OPS } from './mails/changed.ts'
import { lockOwned } from './owned-domain.ts'
import { listingProblem } from './put-up-for-sale.ts'
import { commandOf, connectionFor, type Performers, registrarProblem } from './registrar.ts'
import { rulesOf } from './registration.ts'
import {
  checkRenewal,
  type RenewalOrder,
  type RenewalTerms,
  renewalTerms,
  startRenewals,
} from './renewal.ts'

type OwnedDomain = Schema['owned_domains']

/** What a check may look at; all of it is held for this transaction. */
interface Facts {
  userId: string
  now: Date
  market: Map<string, MarketRow>
  /** Names that nobody may list. */
  blocked: ReadonlySet<string>
  renewals: RenewalTerms
  hasCard: boolean
  /** What pays for renewals. */
  order: RenewalOrder | null
  performers: Performers
  /** From when on what is listed or priced now can be bought; null is at once. */
  sellsFrom: Date | null
}

interface Change {
  /** Rejects one name by throwing. */
  check?(facts: Facts, owned: OwnedDomain, params: BulkParams): void
  /** Changes the names that passed, in a few statements however many they are. */
  apply(tx: Tx, facts: Facts, ownedDomains: OwnedDomain[], params: BulkParams): Promise<void>
}

function setting(change: (params: BulkParams) => Partial<OwnedDomain>): Change['apply'] {
  return async (tx, { now }, ownedDomains, params) => {
    await tx
      .updateTable('owned_domains')
      .set({ ...change(params), updated_at: now })
      .where('domain', '=', sql<string>`any(${namesOf(ownedDomains)}::text[])`)
      .execute()
  }
}

/** What can be done with many domains at once, each operation in one place. */
const CHANGES: Record<BulkOp, Change> = {
  lock: { apply: setting(() => ({ locked: true })) },
  unlock: { apply: setting(() => ({ locked: false })) },
  set_auto_renew: { apply: setting(({ enabled = false }) => ({ auto_renew: enabled })) },
  set_privacy: {
    check(_facts, { domain }, { enabled }) {
      if (enabled === true && rulesOf(domain)?.privacy === false) {
        throw invalid({ field: 'enabled', issue: `.${tldOf(domain)} has no privacy` })
      }
    },
    apply: setting(({ enabled = false }) => ({ privacy: enabled })),
  },
  set_nameservers: {
    check(_facts, { domain }, { nameservers = [] }) {
      const rule = rulesOf(domain)?.nameservers
      if (!rule) return
      const { length } = nameservers
      if (length > rule.max || (length < rule.min && (length > 0 || rule.required))) {
        const issue = `.${tldOf(domain)} takes ${rule.min} to ${rule.max} name servers`
        throw invalid({ field: 'nameservers', issue })
      }
    },
    apply: setting(({ nameservers = [] }) => ({ nameservers })),
  },
  renew: {
    check({ now, renewals, hasCard }, owned, { years = 1 }) {
      if (!hasCard) {
        throw new ApiError(
          'payment_failed',
          'No payment method is saved to charge renewals to. Save one in your account first.',
        )
      }
      checkRenewal(renewals, now, owned, years)
    },
    async apply(tx, { userId, now, renewals, order, performers }, ownedDomains, { years = 1 }) {
      if (!order) throw new Error('renewals are made with a charge only')
      await startRenewals(tx, now, userId, {
        ownedDomains,
        years,
        terms: renewals,
        order,
        performers,
      })
    },
  },
  list_for_sale: {
    check: (facts, owned) => reject(listingProblem(facts, owned)),
    apply: offer,
  },
  set_price: {
    check: ({ market, userId }, { domain }) => reject(listedProblem(market.get(domain), userId)),
    apply: offer,
  },
  delist: {
    check: ({ market, userId, now }, { domain }) =>
      reject(withdrawProblem(market.get(domain), userId, now)),
    apply: (tx, { userId, now }, ownedDomains) =>
      withdrawDomains(tx, now, userId, namesOf(ownedDomains)),
  },
}

async function offer(
  tx: Tx,
  { userId, now, sellsFrom }: Facts,
  ownedDomains: OwnedDomain[],
  { price_cents = 0, floor_price_cents, offers = 'open', min_offer_cents, description }: BulkParams,
): Promise<void> {
  const asked = {
    priceCents: price_cents,
    floorPriceCents: floor_price_cents ?? price_cents,
    offers,
    minOfferCents: min_offer_cents ?? null,
  }
  const prices = new Map(namesOf(ownedDomains).map((domain) => [domain, asked]))
  await offerDomains(tx, now, userId, prices, { sellsFrom, description })
}

export interface Changed {
  /** Why names were not changed. */
  errors: Map<string, ApiError>
  /** What the registrars of names were asked. */
  operations: Map<string, string>
}

/**
 * Applies one operation to a user's domains: where a registrar has a name, by asking it. Names that are not the
 * user's look like those that nobody owns.
 */
export async function changeOwnedDomains(
  {
    tx,
    now,
    app,
  }: Pick<WriteContext, 'tx' | 'now'> & {
    app: Pick<AppContext, 'secrets' | 'settings'>
  },
  userId: string,
  wanted: {
    op: BulkOp
    params: BulkParams
    domains: string[]
    dryRun: boolean
    performers: Performers
    /** Whether its user saved something to charge renewals to. */
    hasCard: boolean
    /** What pays for renewals; of other operations, and of a dry run, absent. */
    order?: RenewalOrder
  },
): Promise<Changed> {
  const { op, params, domains, hasCard, performers } = wanted
  const change = CHANGES[op]
  const owned = await lockOwned(tx, userId, domains)
  const market = await lockMarket(tx, [...owned.keys()])
  const blocked = await blockedAmong(tx, [...owned.keys()])
  const claims = op === 'list_for_sale' ? await findClaims(tx, userId, domains) : []
  const claimed = new Map(claims.map((claim) => [claim.domain, claim]))
  const renewals = await renewalTerms(tx, op === 'renew' ? [...owned.keys()] : [])
  const facts: Facts = {
    userId,
    now,
    market,
    blocked,
    renewals,
    hasCard,
    performers,
    order: wanted.order ?? null,
    sellsFrom: await sellsFrom(tx, now, userId, op, app.settings),
  }
  const errors = new Map<string, ApiError>()
  const passed: OwnedDomain[] = []
  for (const domain of domains) {
    const ownedDomain = owned.get(domain)
    const error = ownedDomain
      ? (registrarProblem(performers, op, domain) ?? check(change, facts, ownedDomain, params))
      : unowned(claimed.get(domain))
    if (error) errors.set(domain, error)
    else if (ownedDomain) passed.push(ownedDomain)
  }
  const operations = new Map<string, string>()
  if (wanted.dryRun || passed.length === 0) return { errors, operations }
  // A renewal is paid for before its registrar is asked.
  const byRegistrar =
    op === 'renew' ? [] : passed.filter(({ domain }) => connectionFor(performers, domain))
  const here = passed.filter((each) => !byRegistrar.includes(each))
  if (here.length > 0) await change.apply(tx, facts, here, params)
  if (isMailed(op)) {
    await mailUser(
      tx,
      now,
      userId,
      domainsChangedMail({
        op,
        domains: namesOf(passed),
        nameservers: params.nameservers ?? [],
        priceText: params.price_cents ? moneyText(params.price_cents, HOME_CURRENCY) : null,
        sellsFrom: facts.sellsFrom,
      }),
    )
  }
  await Promise.all(
    byRegistrar.map(async ({ domain }) => {
      const operationId = await queueOperation(
        { tx, now, app },
        {
          environment: 'live',
          domain,
          command: commandOf(op, params),
          registrar: connectionFor(performers, domain),
          userId,
        },
      )
      operations.set(domain, operationId)
    }),
  )
  return { errors, operations }
}

function isMailed(op: BulkOp): op is (typeof MAILED_OPS)[number] {
  return MAILED_OPS.some((each) => each === op)
}

/** A name that the user has claimed is theirs once that is proven; any other looks like one that nobody owns. */
function unowned(claim: Claim | undefined): ApiError {
  if (!claim) return notFound('domain of yours')
  return conflict('ownership_not_verified', claim.problem ?? 'Its ownership is not proven yet.')
}

function check(
  change: Change,
  facts: Facts,
  owned: OwnedDomain,
  params: BulkParams,
): ApiError | null {
  try {
    const listing = facts.market.get(owned.domain)
    if (listing?.status === 'sold' && listing.seller_id === facts.userId)
      throw conflict('domain_sold', 'It has been sold.')
    change.check?.(facts, owned, params)
    return null
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

function reject(problem: ApiError | null): void {
  if (problem) throw problem
}

function namesOf(ownedDomains: OwnedDomain[]): string[] {
  return ownedDomains.map(({ domain }) => domain)
}

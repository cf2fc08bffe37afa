import { sql } from 'kysely'
import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import type { Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import { newId } from '../../lib/ids.ts'
import type { Listing } from '../inventory/listing.ts'
import {
  listedProblem,
  lockMarket,
  offerDomains,
  offerProblem,
  withdrawDomains,
  withdrawProblem,
} from '../inventory/seller-listing.ts'
import { type RegistrationPrice, registrationPrice } from '../registry/price-book.ts'
import { requirementsOf } from '../registry/requirements.ts'
import { findTld } from '../registry/tlds.ts'
import type { BulkOp, BulkParams } from './bulk-op.ts'

type Holding = Schema['owned_domains']

/** What a check may look at; all of it is held for this transaction. */
interface Facts {
  userId: string
  now: Date
  market: Map<string, Listing>
  prices: Map<string, RegistrationPrice | null>
}

interface Change {
  /** Refuses one name by throwing. */
  check?(facts: Facts, holding: Holding, params: BulkParams): void
  /** Changes the names that passed, in a few statements however many they are. */
  apply(tx: Tx, facts: Facts, holdings: Holding[], params: BulkParams): Promise<void>
}

function setting(change: (params: BulkParams) => Partial<Holding>): Change['apply'] {
  return async (tx, { now }, holdings, params) => {
    await tx
      .updateTable('owned_domains')
      .set({ ...change(params), updated_at: now })
      .where('domain', '=', sql<string>`any(${namesOf(holdings)}::text[])`)
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
    check({ now, prices }, { domain, expires_at }, { years = 1 }) {
      const price = prices.get(tldOf(domain))
      if (!price) {
        throw new Refusal(
          'not_found',
          `There is no price to renew names on .${tldOf(domain)} here.`,
        )
      }
      if (years % price.years !== 0) {
        const issue = `must be a multiple of ${price.years} on .${tldOf(domain)}`
        throw invalid({ field: 'years', issue })
      }
      const most = rulesOf(domain)?.term.max_years ?? 10
      if (yearsAfter(expires_at, years) > yearsAfter(now, most)) {
        throw new Refusal('conflict', `No more than ${most} years lie ahead of a name like this.`)
      }
    },
    async apply(tx, { userId, now, prices }, holdings, { years = 1 }) {
      const renewed = holdings.map(({ domain, expires_at }) => {
        const price = prices.get(tldOf(domain))
        if (!price) throw new Error(`${domain} was not checked`)
        return {
          id: newId('rnw', now),
          domain,
          price_cents: (price.price_cents / price.years) * years,
          currency: price.currency,
          expires_at: yearsAfter(expires_at, years),
        }
      })
      await tx
        .insertInto('renewals')
        .values(
          renewed.map(({ id, domain, price_cents, currency }) => ({
            id,
            domain,
            currency,
            price_cents: Math.ceil(price_cents),
            user_id: userId,
            years,
            status: 'due' as const,
            created_at: now,
          })),
        )
        .execute()
      await sql`
        update owned_domains set expires_at = n.expires_at, updated_at = ${now}
        from unnest(${renewed.map(({ domain }) => domain)}::text[],
          ${renewed.map(({ expires_at }) => expires_at)}::timestamptz[]) as n (domain, expires_at)
        where owned_domains.domain = n.domain`.execute(tx)
    },
  },
  list_for_sale: {
    check: ({ market, userId }, { domain }) => refuse(offerProblem(market.get(domain), userId)),
    apply: offer,
  },
  set_price: {
    check: ({ market, userId }, { domain }) => refuse(listedProblem(market.get(domain), userId)),
    apply: offer,
  },
  delist: {
    check: ({ market, userId, now }, { domain }) =>
      refuse(withdrawProblem(market.get(domain), userId, now)),
    apply: (tx, { userId, now }, holdings) => withdrawDomains(tx, now, userId, namesOf(holdings)),
  },
}

async function offer(
  tx: Tx,
  { userId, now }: Facts,
  holdings: Holding[],
  { price_cents = 0, floor_price_cents }: BulkParams,
): Promise<void> {
  await offerDomains(tx, now, userId, namesOf(holdings), {
    priceCents: price_cents,
    floorPriceCents: floor_price_cents ?? price_cents,
  })
}

/**
 * Applies one operation to a user's domains. Answers a refusal for each name that it was not applied to;
 * those that are not the user's look like those that nobody owns.
 */
export async function changeHoldings(
  tx: Tx,
  now: Date,
  userId: string,
  wanted: { op: BulkOp; params: BulkParams; domains: string[]; dryRun: boolean },
): Promise<Map<string, Refusal>> {
  const { op, params, domains } = wanted
  const change = CHANGES[op]
  const rows = await tx
    .selectFrom('owned_domains')
    .selectAll()
    .where('user_id', '=', userId)
    .where('domain', '=', sql<string>`any(${domains}::text[])`)
    .orderBy('domain')
    .forUpdate()
    .execute()
  const owned = new Map(rows.map((row) => [row.domain, row]))
  const market = await lockMarket(tx, [...owned.keys()])
  const prices = op === 'renew' ? await renewalPrices(tx, [...owned.keys()]) : new Map()
  const facts: Facts = { userId, now, market, prices }
  const refusals = new Map<string, Refusal>()
  const passed: Holding[] = []
  for (const domain of domains) {
    const holding = owned.get(domain)
    const refusal = holding ? check(change, facts, holding, params) : notFound('domain of yours')
    if (refusal) refusals.set(domain, refusal)
    else if (holding) passed.push(holding)
  }
  if (passed.length > 0 && !wanted.dryRun) await change.apply(tx, facts, passed, params)
  return refusals
}

function check(change: Change, facts: Facts, holding: Holding, params: BulkParams): Refusal | null {
  try {
    const listing = facts.market.get(holding.domain)
    if (listing?.status === 'sold' && listing.seller_id === facts.userId)
      refuse('It has been sold.')
    change.check?.(facts, holding, params)
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function refuse(problem: string | null): void {
  if (problem !== null) throw new Refusal('conflict', problem)
}

async function renewalPrices(
  tx: Tx,
  domains: string[],
): Promise<Map<string, RegistrationPrice | null>> {
  const tlds = [...new Set(domains.map(tldOf))]
  return new Map(
    await Promise.all(
      tlds.map(async (tld) => [tld, await registrationPrice(tx, tld, 'renew')] as const),
    ),
  )
}

function namesOf(holdings: Holding[]): string[] {
  return holdings.map(({ domain }) => domain)
}

function tldOf(domain: string): string {
  return domain.slice(domain.indexOf('.') + 1)
}

/** What the registry demands; null of names that no registry has, such as those for tests. */
function rulesOf(domain: string) {
  const tld = findTld(tldOf(domain))
  return tld && tld.type !== 'reserved' ? requirementsOf(tld) : null
}

/** The same day of a later year; the 29th of February becomes the first of March. */
function yearsAfter(moment: Date, years: number): Date {
  const later = new Date(moment)
  later.setUTCFullYear(later.getUTCFullYear() + years)
  return later
}

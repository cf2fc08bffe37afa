import { sql } from 'kysely'
import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import type { Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import {
  listedProblem,
  lockMarket,
  type MarketRow,
  offerDomains,
  offerProblem,
  withdrawDomains,
  withdrawProblem,
} from '../inventory/seller-listing.ts'
import type { BulkOp, BulkParams } from './bulk-op.ts'
import { rulesOf, tldOf } from './registration.ts'
import {
  checkRenewal,
  type RenewalOrder,
  type RenewalTerms,
  renewalTerms,
  startRenewals,
} from './renewal.ts'

type Holding = Schema['owned_domains']

/** What a check may look at; all of it is held for this transaction. */
interface Facts {
  userId: string
  now: Date
  market: Map<string, MarketRow>
  renewals: RenewalTerms
  hasCard: boolean
  /** What pays for renewals. */
  order: RenewalOrder | null
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
    check({ now, renewals, hasCard }, holding, { years = 1 }) {
      if (!hasCard) {
        throw new Refusal(
          'payment_failed',
          'No payment method is saved to charge renewals to. Save one in your account first.',
        )
      }
      checkRenewal(renewals, now, holding, years)
    },
    async apply(tx, { userId, now, renewals, order }, holdings, { years = 1 }) {
      if (!order) throw new Error('renewals are made with a charge only')
      await startRenewals(tx, now, userId, holdings, years, renewals, order)
    },
  },
  list_for_sale: {
    check({ market, userId, now }, { domain, expires_at }) {
      refuse(expires_at <= now ? 'It has expired. Renew it first.' : null)
      refuse(offerProblem(market.get(domain), userId))
    },
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
  wanted: {
    op: BulkOp
    params: BulkParams
    domains: string[]
    dryRun: boolean
    /** Whether its user saved something to charge renewals to. */
    hasCard: boolean
    /** What pays for renewals; of other operations, and of a dry run, absent. */
    order?: RenewalOrder
  },
): Promise<Map<string, Refusal>> {
  const { op, params, domains, hasCard } = wanted
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
  const renewals = await renewalTerms(tx, op === 'renew' ? [...owned.keys()] : [])
  const facts: Facts = { userId, now, market, renewals, hasCard, order: wanted.order ?? null }
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

function namesOf(holdings: Holding[]): string[] {
  return holdings.map(({ domain }) => domain)
}

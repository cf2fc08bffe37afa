import { type CompiledQuery, type Selectable, sql } from 'kysely'
import type { Environment, Partner } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { Tx } from '../../core/operation.ts'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import { perDatabase } from '../../db/per-database.ts'
import { prepared } from '../../db/prepared.ts'
import type { Schema } from '../../db/schema.ts'
import { batcher } from '../../lib/batcher.ts'
import { after, DAY } from '../../lib/clock.ts'

/** A partner hears of a listing for so long after they asked about it last (contract, section 16). */
const WATCHED_FOR_MS = 30 * DAY
/** Names that were noted today, so that they are not noted again. */
const REMEMBERED = 100_000

export type Watch = Selectable<Schema['listing_watches']>

interface Interest extends Partner {
  domain: string
}

/** The statement that notes that a partner has quoted or linked a listing. */
export function watchListing(now: Date, partner: Partner, domain: string): CompiledQuery {
  return insertWatches(now, [{ ...partner, domain }])
}

/** Notes that a partner has read a listing, once a day, without holding up the read. */
export function noteRead(
  { db, log }: Pick<AppContext, 'db' | 'log'>,
  now: Date,
  partner: Partner,
  domain: string,
): void {
  readerOf(db)(now, { ...partner, domain }).catch((error: unknown) => {
    log.warn({ err: error, domain }, 'listings: a read was not noted')
  })
}

const readerOf = perDatabase((db: Database) => {
  const noted = new Map<string, number>()
  const note = batcher(async (reads: { now: Date; interest: Interest }[]) => {
    const now = reads.at(-1)?.now ?? new Date(0)
    const interests = reads.map(({ interest }) => interest)
    await db.executeQuery(insertWatches(now, interests))
    return reads
  })
  return async (now: Date, interest: Interest): Promise<void> => {
    const key = `${interest.partnerId} ${interest.environment} ${interest.domain}`
    const day = Math.floor(now.getTime() / DAY)
    if (noted.get(key) === day) return
    if (noted.size >= REMEMBERED) noted.clear()
    noted.set(key, day)
    await note({ now, interest }).catch((error: unknown) => {
      noted.delete(key)
      throw error
    })
  }
})

function insertWatches(now: Date, interests: readonly Interest[]): CompiledQuery {
  return insertAll({
    now,
    partnerIds: interests.map(({ partnerId }) => partnerId),
    environments: interests.map(({ environment }) => environment),
    domains: interests.map(({ domain }) => domain),
  })
}

interface Watches {
  now: Date
  partnerIds: string[]
  environments: string[]
  domains: string[]
}

const insertAll = prepared((db, { now, partnerIds, environments, domains }: Watches) =>
  sql`
    insert into listing_watches as w
      (partner_id, environment, domain, seen_at, price_cents, currency, status)
    select distinct k.partner_id, l.environment, l.domain, ${now}::timestamptz, l.price_cents, l.currency, l.status
    from unnest(${partnerIds}::text[], ${environments}::text[], ${domains}::text[])
      as k (partner_id, environment, domain)
    join listings l on l.environment = k.environment::environment and l.domain = k.domain
    order by 2, 3, 1
    on conflict (environment, domain, partner_id) do update set seen_at = excluded.seen_at
      where w.seen_at < excluded.seen_at`.compile(db),
)

/**
 * The statement that marks the watches of listings in `changed` whose partners know something else. They are held in
 * the order in which reads note them.
 */
export const markWatches = sql`
  update listing_watches w set is_due = true from (
    select o.environment, o.domain, o.partner_id
    from changed c join listing_watches o on o.environment = c.environment and o.domain = c.domain
    where not o.is_due
      and (o.price_cents, o.currency, o.status) is distinct from (c.price_cents, c.currency, c.status)
    order by o.environment, o.domain, o.partner_id for no key update of o
  ) as due
  where w.environment = due.environment and w.domain = due.domain and w.partner_id = due.partner_id`

/** Watches whose listings have changed, held for this transaction. */
export async function lockDueWatches(tx: Tx, limit: number): Promise<Watch[]> {
  return await tx
    .selectFrom('listing_watches')
    .selectAll()
    .where('is_due', '=', true)
    .orderBy('environment')
    .orderBy('domain')
    .orderBy('partner_id')
    .limit(limit)
    .forUpdate()
    .execute()
}

/** Whether its partner still wants to hear of it. */
export function isWatched({ seen_at }: Watch, now: Date): boolean {
  return after(seen_at, WATCHED_FOR_MS) > now
}

/** What the partner knows from now on. */
export async function settleWatch(
  tx: Tx,
  { environment, domain, partner_id }: Watch,
  known: Pick<Watch, 'price_cents' | 'currency' | 'status'>,
): Promise<void> {
  const { price_cents, currency, status } = known
  await tx
    .updateTable('listing_watches')
    .set({ price_cents, currency, status, is_due: false })
    .where('environment', '=', environment)
    .where('domain', '=', domain)
    .where('partner_id', '=', partner_id)
    .execute()
}

/** The listings that watches are of, by environment and domain. */
export async function findWatched(
  tx: Tx,
  watches: readonly Watch[],
): Promise<Map<string, Pick<Watch, 'price_cents' | 'currency' | 'status'>>> {
  const { rows } = await sql<{
    environment: Environment
    domain: string
    price_cents: number
    currency: string
    status: string
  }>`
    select l.environment, l.domain, l.price_cents, l.currency, l.status
    from unnest(${watches.map(({ environment }) => environment)}::text[],
      ${watches.map(({ domain }) => domain)}::text[]) as k (environment, domain)
    join listings l on l.environment = k.environment::environment and l.domain = k.domain`.execute(
    tx,
  )
  return new Map(
    rows.map(({ environment, domain, ...listing }) => [`${environment} ${domain}`, listing]),
  )
}

/** Forgets what nobody has asked about for long. */
export async function purgeWatches(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  await purge(db, 'listing_watches', sql`seen_at < ${after(now, -WATCHED_FOR_MS)}`, signal)
}

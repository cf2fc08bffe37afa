import { sql } from 'kysely'
import { purge } from '../../core/purge.ts'
import {
  countSubjects,
  latest,
  type RateWindow,
  rateWindow,
  standings,
} from '../../core/rate-limits.ts'
import type { Database } from '../../db/dialect.ts'
import { prepared } from '../../db/prepared.ts'
import { batcher } from '../../lib/batcher.ts'
import { SECOND } from '../../lib/clock.ts'
import { type Authenticated, TIMESTAMP_SKEW_SECONDS } from './authenticate.ts'

export interface Admission {
  /** False when the nonce was spent before. */
  isNew: boolean
  /** The credential's revision in the database; another than the cached one means it has changed. */
  revision: number
  used: number
  endsAt: Date
}

interface Arrival {
  authenticated: Authenticated
  now: Date
}

const REPLAYED: Admission = { isNew: false, revision: 0, used: 0, endsAt: new Date(0) }

/**
 * Spends nonces, counts the requests against their credentials' limits and reads the credentials'
 * revisions: one statement for all requests of a turn of the event loop. It holds across instances and
 * restarts, and makes a revocation known to every instance with its next request.
 */
export function createAdmission(db: Database): (arrival: Arrival) => Promise<Admission> {
  return batcher(async (arrivals: Arrival[]) => {
    const now = latest(arrivals)
    const keyIds = arrivals.map(({ authenticated }) => authenticated.credential.keyId)
    const nonces = arrivals.map(({ authenticated }) => authenticated.nonce)
    // Kept until the timestamp is too old: a request from the future stays fresh for longer.
    const expiries = arrivals.map(
      ({ authenticated }) =>
        new Date((authenticated.timestamp + TIMESTAMP_SKEW_SECONDS + 1) * SECOND),
    )
    const { rows } = await db.executeQuery(
      spendNonces({ keyIds, nonces, expiries, ...rateWindow(now) }),
    )

    const name = (keyId: string, nonce: string) => `${keyId} ${nonce}`
    const fresh = new Map(rows.map((row) => [name(row.key_id, row.nonce), row]))
    // Of two requests of one group with one nonce, the first has it.
    const admitted = arrivals.map((_, index) => {
      const key = name(keyIds[index] ?? '', nonces[index] ?? '')
      const row = fresh.get(key)
      fresh.delete(key)
      return row
    })
    const places = standings(
      admitted.flatMap((row) => (row ? [row.key_id] : [])),
      rows.map(({ key_id, used, ends_at }) => ({ subject: key_id, used, ends_at })),
    )
    return admitted.map((row) => {
      const place = row && places.shift()
      return place ? { isNew: true, revision: row.revision, ...place } : REPLAYED
    })
  })
}

interface Spending extends RateWindow {
  keyIds: string[]
  nonces: string[]
  expiries: Date[]
}

interface Spent {
  key_id: string
  nonce: string
  revision: number
  used: number
  ends_at: Date
}

const spendNonces = prepared((db, { keyIds, nonces, expiries, now, endsAt, latestEnd }: Spending) =>
  sql<Spent>`
    with spent as (
      insert into nonces (key_id, nonce, expires_at)
      select distinct on (key_id, nonce) * from unnest(${keyIds}::text[], ${nonces}::text[], ${expiries}::timestamptz[])
        as r (key_id, nonce, expires_at)
      order by key_id, nonce
      on conflict (key_id, nonce) do update set expires_at = excluded.expires_at
        where nonces.expires_at <= ${now}::timestamptz
      returning key_id, nonce
    ), counted as (
      ${countSubjects(sql`(select key_id as subject from spent) as spending`, { now, endsAt, latestEnd })}
    )
    select spent.key_id, spent.nonce, c.revision, counted.used, counted.ends_at
    from spent
    join counted on counted.subject = spent.key_id
    join credentials c on c.key_id = spent.key_id`.compile(db),
)

export async function purgeNonces(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  await purge(db, 'nonces', sql`expires_at <= ${now}`, signal)
}

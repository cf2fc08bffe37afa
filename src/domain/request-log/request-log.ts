import { sql } from 'kysely'
import type { ErrorCode } from '../../core/errors.ts'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import { after, DAY } from '../../lib/clock.ts'
import { firstIdAt } from '../../lib/ids.ts'

/** A request to the partner API as its partner may look at it: no body and no signature. */
export interface LoggedRequest {
  /** As in `X-Request-Id`; sorts by time. */
  id: string
  key_id: string
  method: string
  /** The path as the documents write it; null where there is nothing. */
  route: string | null
  /** Path and query, without what nobody else should read. */
  target: string
  status: number
  /** Why it was rejected. */
  code: ErrorCode | null
  message: string | null
  /** Whether its signature was right: anyone can send a key id along. */
  authenticated: boolean
  /** Of a wrong signature: what should have been signed, and the likely cause. */
  canonical_string: string | null
  likely_cause: string | null
  /** Where it came from. */
  address: string
  duration_ms: number
  at: Date
}

const COLUMNS = {
  id: 'text',
  key_id: 'text',
  method: 'text',
  route: 'text',
  target: 'text',
  status: 'integer',
  code: 'text',
  message: 'text',
  authenticated: 'boolean',
  canonical_string: 'text',
  likely_cause: 'text',
  address: 'text',
  duration_ms: 'real',
  at: 'timestamptz',
} as const satisfies Record<keyof LoggedRequest, string>

/** Writes requests down, each for the partner whose key id it named; those of nobody are left out. */
export async function writeRequests(db: Database, requests: LoggedRequest[]): Promise<void> {
  const names = Object.keys(COLUMNS) as (keyof LoggedRequest)[]
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const values = names.map(
    (name) => sql`${requests.map((request) => request[name])}::${sql.raw(COLUMNS[name])}[]`,
  )
  await sql`
    insert into request_log (partner_id, environment, ${columns})
    select c.partner_id, c.environment, ${sql.join(names.map((name) => sql.ref(`r.${name}`)))}
    from unnest(${sql.join(values)}) as r (${columns})
    join credentials c on c.key_id = r.key_id`.execute(db)
}

/** Removes what is older than so many days, some thousands at a time so that nobody waits for it. */
export async function purgeRequests(
  db: Database,
  now: Date,
  retentionDays: number,
  signal: AbortSignal,
): Promise<void> {
  await purge(
    db,
    'request_log',
    sql`id < ${firstIdAt('req', after(now, -retentionDays * DAY))}`,
    signal,
  )
}

const SECRET_LENGTH = 100

/** A target without what may be a token or somebody's e-mail address. */
export function withoutSecrets(text: string): string {
  return text.replace(/[^/?&=\n]+/g, (part) => {
    if (/@|%40/.test(part)) return '…@…'
    return part.length < SECRET_LENGTH ? part : `${part.slice(0, 12)}…`
  })
}

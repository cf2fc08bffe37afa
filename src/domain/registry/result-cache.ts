import type { RegistryResult } from 'domain-marketplace-registry-lookup'
import { sql } from 'kysely'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import { after, HOUR, MINUTE } from '../../lib/clock.ts'

/** For how long a response is good: a registration lasts, a free name is soon taken, a failure may pass. */
const LIFETIME_MS: Record<RegistryResult['state'], number> = {
  registered: 6 * HOUR,
  available: 5 * MINUTE,
  reserved: 6 * HOUR,
  premium: 5 * MINUTE,
  unknown: MINUTE,
}

export async function readCachedResult(
  db: Database,
  domain: string,
  now: Date,
): Promise<RegistryResult | null> {
  const row = await db
    .selectFrom('registry_answers')
    .selectAll()
    .where('domain', '=', domain)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!row) return null
  const { state, reason, source, checked_at, record } = row
  return { state, reason, source, checkedAt: checked_at, record }
}

export async function cacheResult(
  db: Database,
  domain: string,
  result: RegistryResult & { source: 'rdap' | 'whois' },
): Promise<void> {
  const row = {
    state: result.state,
    reason: result.reason,
    source: result.source,
    record: result.record && JSON.stringify(result.record),
    checked_at: result.checkedAt,
    expires_at: after(result.checkedAt, LIFETIME_MS[result.state]),
  }
  await db
    .insertInto('registry_answers')
    .values({ domain, ...row })
    .onConflict((known) => known.column('domain').doUpdateSet(row))
    .execute()
}

export async function purgeRegistryCache(
  db: Database,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  await purge(db, 'registry_answers', sql`expires_at <= ${now}`, signal)
}

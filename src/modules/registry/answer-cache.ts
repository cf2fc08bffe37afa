import { type ColumnType, sql } from 'kysely'
import type { Database } from '../../kernel/database/dialect.ts'
import { purge } from '../../kernel/purge.ts'
import { after, HOUR, MINUTE } from '../../lib/clock.ts'
import type { RegistryAnswer, WhoisRecord } from './registry.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    registry_answers: {
      domain: string
      state: RegistryAnswer['state']
      source: 'rdap' | 'whois'
      record: ColumnType<WhoisRecord | null, string | null, string | null>
      checked_at: Date
      expires_at: Date
    }
  }
}

/** For how long an answer is good: a registration lasts, a free name is soon taken, a failure may pass. */
const LIFETIME_MS: Record<RegistryAnswer['state'], number> = {
  registered: 6 * HOUR,
  available: 5 * MINUTE,
  unknown: MINUTE,
}

export async function readAnswer(
  db: Database,
  domain: string,
  now: Date,
): Promise<RegistryAnswer | null> {
  const row = await db
    .selectFrom('registry_answers')
    .selectAll()
    .where('domain', '=', domain)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!row) return null
  return { state: row.state, source: row.source, checkedAt: row.checked_at, record: row.record }
}

export async function keepAnswer(
  db: Database,
  domain: string,
  answer: RegistryAnswer & { source: 'rdap' | 'whois' },
): Promise<void> {
  const row = {
    state: answer.state,
    source: answer.source,
    record: answer.record && JSON.stringify(answer.record),
    checked_at: answer.checkedAt,
    expires_at: after(answer.checkedAt, LIFETIME_MS[answer.state]),
  }
  await db
    .insertInto('registry_answers')
    .values({ domain, ...row })
    .onConflict((known) => known.column('domain').doUpdateSet(row))
    .execute()
}

export async function purgeRegistryAnswers(
  db: Database,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  await purge(db, 'registry_answers', sql`expires_at <= ${now}`, signal)
}

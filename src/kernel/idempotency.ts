import { type CompiledQuery, sql } from 'kysely'
import { after, DAY } from '../lib/clock.ts'
import { conflict, invalid, Refusal } from './errors.ts'
import type { Tx } from './operation.ts'

/** How long a repeat gets the stored answer; contract, section 5. */
const KEPT_MS = 31 * DAY

/** One write that a caller may repeat. */
export interface Attempt {
  /** Whose key it is: keys of different callers never meet. */
  subject: string
  method: string
  path: string
  key: string
  /** SHA-256 of the raw body. */
  fingerprint: Uint8Array
}

export interface StoredAnswer {
  status: number
  body: string
  /** Absent or null is JSON. */
  media_type?: string | null
}

/** Reads the header's value; null when there is none. */
export function idempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw invalid({
    field: 'Idempotency-Key',
    issue: 'must be 1 to 255 visible ASCII characters, such as a UUID',
  })
}

/**
 * Claims the key for the running transaction, or answers what an earlier one stored. A repeat that
 * comes while the first is running waits here for its end: the database holds back the second insert
 * of a key until the first is committed or gone.
 */
export async function claimKey(
  tx: Pick<Tx, 'insertInto' | 'selectFrom'>,
  attempt: Attempt,
  now: Date,
  keptMs = KEPT_MS,
): Promise<StoredAnswer | null> {
  const claimed = await tx
    .insertInto('idempotency_keys')
    .values({
      ...attempt,
      status: null,
      body: null,
      media_type: null,
      created_at: now,
      expires_at: after(now, keptMs),
    })
    .onConflict((clash) =>
      clash
        .columns(['subject', 'method', 'path', 'key'])
        .doUpdateSet((row) => ({
          fingerprint: row.ref('excluded.fingerprint'),
          status: null,
          body: null,
          media_type: null,
          created_at: row.ref('excluded.created_at'),
          expires_at: row.ref('excluded.expires_at'),
        }))
        .where('idempotency_keys.expires_at', '<=', now),
    )
    .returning('key')
    .executeTakeFirst()
  return claimed ? null : await storedAnswer(tx, attempt)
}

/** What was answered to this attempt before, or a refusal when the key was used for another body. */
export async function storedAnswer(
  db: Pick<Tx, 'selectFrom'>,
  attempt: Attempt,
): Promise<StoredAnswer | null> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'body', 'media_type'])
    .where('subject', '=', attempt.subject)
    .where('method', '=', attempt.method)
    .where('path', '=', attempt.path)
    .where('key', '=', attempt.key)
    .executeTakeFirst()
  if (!row) return null
  if (!Buffer.from(row.fingerprint).equals(attempt.fingerprint)) {
    throw conflict(
      'This Idempotency-Key was used with another body. Use a new key for a new request.',
    )
  }
  if (row.status === null || row.body === null) throw stillRunning()
  return { status: row.status, body: row.body, media_type: row.media_type }
}

/** The statement that stores the answer; it travels with the commit. */
export function storeAnswer(tx: Tx, attempt: Attempt, answer: StoredAnswer): CompiledQuery {
  return tx
    .updateTable('idempotency_keys')
    .set(answer)
    .where('subject', '=', attempt.subject)
    .where('method', '=', attempt.method)
    .where('path', '=', attempt.path)
    .where('key', '=', attempt.key)
    .compile()
}

/** The repeat waited ten seconds for the first to end, and it did not. */
export function stillRunning(): Refusal {
  return new Refusal('conflict', 'The first request with this Idempotency-Key is still running.', {
    retryAfter: 1,
  })
}

export async function purgeIdempotencyKeys(db: Pick<Tx, 'deleteFrom'>, now: Date): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('expires_at', '<=', sql.val(now)).execute()
}

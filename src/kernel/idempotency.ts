import { sql } from 'kysely'
import { after, DAY } from '../lib/clock.ts'
import type { Database } from './database/dialect.ts'
import { prepared } from './database/prepared.ts'
import { conflict, invalid, Refusal } from './errors.ts'
import type { Tx } from './operation.ts'
import { purge } from './purge.ts'

/** How long a repeat gets the stored answer; contract, section 5. */
export const KEPT_MS = 31 * DAY

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
  tx: Pick<Tx, 'executeQuery' | 'selectFrom'>,
  attempt: Attempt,
  now: Date,
  keptMs = KEPT_MS,
): Promise<StoredAnswer | null> {
  const { rows } = await tx.executeQuery(claim({ ...attempt, now, until: after(now, keptMs) }))
  if (rows.length > 0) return null
  // Gone when a read that held it has failed meanwhile: then it is free again.
  return (await storedAnswer(tx, attempt)) ?? (await claimKey(tx, attempt, now, keptMs))
}

const claim = prepared((db, values: Attempt & { now: Date; until: Date }) =>
  db
    .insertInto('idempotency_keys')
    .values({
      subject: values.subject,
      method: values.method,
      path: values.path,
      key: values.key,
      fingerprint: values.fingerprint,
      status: null,
      body: null,
      media_type: null,
      created_at: values.now,
      expires_at: values.until,
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
        .where('idempotency_keys.expires_at', '<=', values.now),
    )
    .returning('key')
    .compile(),
)

/** What was answered to this attempt before, or a refusal when the key was used for another body. */
export async function storedAnswer(
  db: Pick<Tx, 'selectFrom'>,
  attempt: Attempt,
): Promise<StoredAnswer | null> {
  const row = await findAttempt(db, attempt)
  if (!row) return null
  refuseOtherBody(row.fingerprint, attempt)
  if (row.status === null || row.body === null) throw stillRunning()
  return { status: row.status, body: row.body, media_type: row.media_type }
}

/** Refuses a key that was used before, with the body of this fingerprint, for any other. */
export function refuseOtherBody(fingerprint: Uint8Array | null, attempt: Attempt): void {
  if (!Buffer.from(fingerprint ?? []).equals(attempt.fingerprint)) {
    throw conflict(
      'This Idempotency-Key was used with another body. Use a new key for a new request.',
    )
  }
}

/** What was answered under a key, for those who come back to look at it; null when nothing was. */
export async function answeredBody(
  db: Pick<Tx, 'selectFrom'>,
  attempt: Omit<Attempt, 'fingerprint'>,
): Promise<string | null> {
  return (await findAttempt(db, attempt))?.body ?? null
}

async function findAttempt(
  db: Pick<Tx, 'selectFrom'>,
  { subject, method, path, key }: Omit<Attempt, 'fingerprint'>,
) {
  return await db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'body', 'media_type'])
    .where((row) => row.and({ subject, method, path, key }))
    .executeTakeFirst()
}

/** The statement that stores a write's answer, which is JSON; it travels with the commit. */
export const storeAnswer = prepared((db, values: Attempt & StoredAnswer) =>
  db
    .updateTable('idempotency_keys')
    .set({ status: values.status, body: values.body })
    .where('subject', '=', values.subject)
    .where('method', '=', values.method)
    .where('path', '=', values.path)
    .where('key', '=', values.key)
    .compile(),
)

/** The repeat waited ten seconds for the first to end, and it did not. */
export function stillRunning(): Refusal {
  return new Refusal('conflict', 'The first request with this Idempotency-Key is still running.', {
    retryAfter: 1,
  })
}

export async function purgeIdempotencyKeys(
  db: Database,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  await purge(db, 'idempotency_keys', sql`expires_at <= ${now}`, signal)
}

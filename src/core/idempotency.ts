import { sql } from 'kysely'
import type { Database } from '../db/dialect.ts'
import { prepared } from '../db/prepared.ts'
import { after, DAY } from '../lib/clock.ts'
import { type ApiError, conflict, invalid } from './errors.ts'
import type { Tx } from './operation.ts'
import { purge } from './purge.ts'

/** How long a repeat gets the stored response; contract, section 5. */
export const RETENTION_MS = 31 * DAY

/** One write that a caller may repeat. */
export interface IdempotentRequest {
  /** Whose key it is: keys of different callers never meet. */
  subject: string
  method: string
  path: string
  key: string
  /** SHA-256 of the raw body. */
  fingerprint: Uint8Array
  /** How much of the responses to reads is stored in an hour for its subject, in KiB. Absent: any. */
  storedKib?: number
}

export interface StoredResponse {
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
 * Claims the key for the running transaction, or returns what an earlier one stored. A repeat that
 * comes while the first is running waits here for its end: the database holds back the second insert
 * of a key until the first is committed or gone.
 */
export async function claimKey(
  tx: Pick<Tx, 'executeQuery' | 'selectFrom'>,
  idempotency: IdempotentRequest,
  now: Date,
  retentionMs = RETENTION_MS,
): Promise<StoredResponse | null> {
  const { rows } = await tx.executeQuery(
    claim({ ...idempotency, now, until: after(now, retentionMs) }),
  )
  if (rows.length > 0) return null
  // Gone when a read that held it has failed meanwhile: then it is free again.
  return (
    (await storedResponse(tx, idempotency)) ?? (await claimKey(tx, idempotency, now, retentionMs))
  )
}

const claim = prepared((db, values: IdempotentRequest & { now: Date; until: Date }) =>
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

/** The response to this attempt, stored before, or an error when the key was used for another body. */
export async function storedResponse(
  db: Pick<Tx, 'selectFrom'>,
  idempotency: IdempotentRequest,
): Promise<StoredResponse | null> {
  const row = await findRecord(db, idempotency)
  if (!row) return null
  assertSameBody(row.fingerprint, idempotency)
  if (row.status === null || row.body === null) throw stillRunning()
  return { status: row.status, body: row.body, media_type: row.media_type }
}

/** Rejects a key that was used before, with the body of this fingerprint, for any other. */
export function assertSameBody(
  fingerprint: Uint8Array | null,
  idempotency: IdempotentRequest,
): void {
  if (!Buffer.from(fingerprint ?? []).equals(idempotency.fingerprint)) {
    throw conflict(
      'key_reused',
      'This Idempotency-Key was used with another body. Use a new key for a new request.',
    )
  }
}

/** The response stored under a key, for those who come back to look at it; null when there is none. */
export async function storedBody(
  db: Pick<Tx, 'selectFrom'>,
  idempotency: Omit<IdempotentRequest, 'fingerprint'>,
): Promise<string | null> {
  return (await findRecord(db, idempotency))?.body ?? null
}

async function findRecord(
  db: Pick<Tx, 'selectFrom'>,
  { subject, method, path, key }: Omit<IdempotentRequest, 'fingerprint'>,
) {
  return await db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'body', 'media_type'])
    .where((row) => row.and({ subject, method, path, key }))
    .executeTakeFirst()
}

/** The statement that stores a write's response, which is JSON; it travels with the commit. */
export const storeResponse = prepared((db, values: IdempotentRequest & StoredResponse) =>
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
export function stillRunning(): ApiError {
  return conflict(
    'key_in_progress',
    'The first request with this Idempotency-Key is still running.',
    {},
    1,
  )
}

export async function purgeIdempotencyKeys(
  db: Database,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  await purge(db, 'idempotency_keys', sql`expires_at <= ${now}`, signal)
}

import { setTimeout } from 'node:timers/promises'
import { after, DAY, HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import type { AppContext } from './context.ts'
import { ApiError } from './errors.ts'
import { type Executed, replayed } from './executed.ts'
import { claimKey, type IdempotentRequest, type StoredResponse } from './idempotency.ts'
import { assertUnderLimit, countUnits, type RateState } from './rate-limits.ts'

/** How long a read's response is given again, if nothing else is said; contract, section 5. */
const RETENTION_MS = DAY
/** An instance that claimed a key and has not responded by then is gone. */
const CLAIM_MS = MINUTE
const WAIT_MS = 10 * SECOND
const POLL_MS = 100
const KIB = 1_024
const NOT_STORED =
  'No more responses are stored for repeats this hour. Send this without its Idempotency-Key, or later'

/**
 * Responds to a read that came with an Idempotency-Key. It may wait for the network, so no transaction
 * is held open: the key is claimed for a minute, the response stored when it is there, the claim
 * dropped when the read fails. A write whose own rows tell a repeat what it did may be repeated so
 * too. A repeat that comes meanwhile looks until it finds the response. Beyond what is stored for its caller in an hour
 * a read with a key is rejected: responding to it would promise a repeat the same response.
 */
export async function respondOnce(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  idempotency: IdempotentRequest,
  work: () => Promise<Executed>,
  retentionMs = RETENTION_MS,
): Promise<Executed> {
  for (let waited = 0; ; waited += POLL_MS) {
    const claimedAt = clock.now()
    try {
      const stored = await claimKey(db, idempotency, claimedAt, CLAIM_MS)
      if (stored) return replayed(stored)
    } catch (error) {
      const isRunning = error instanceof ApiError && error.retryAfter !== undefined
      if (!isRunning || waited >= WAIT_MS) throw error
      await setTimeout(POLL_MS)
      continue
    }
    return await respond(claimedAt)
  }

  async function respond(claimedAt: Date): Promise<Executed> {
    let final: StoredResponse | null = null
    try {
      // The first KiB counts before anything is read, the rest once its length is known.
      const state = await countStored(1)
      if (state) assertUnderLimit(state, claimedAt, NOT_STORED)
      const response = await work()
      // One that a repeat may improve on is sent, and not stored.
      const { status, body, mediaType: media_type, isFinal } = response
      if (isFinal) {
        await countStored(Math.ceil(Buffer.byteLength(body) / KIB) - 1)
        final = { status, body, media_type }
      }
      return response
    } finally {
      await finish(claimedAt, final)
    }
  }

  async function countStored(kib: number): Promise<RateState | null> {
    const { subject, storedKib: limit } = idempotency
    if (limit === undefined || kib <= 0) return null
    const now = clock.now()
    return await countUnits(db, kib, { subject: `stored:${subject}`, limit, now }, HOUR)
  }

  /** A claim that has been taken over meanwhile stays with who took it. */
  async function finish(claimedAt: Date, result: StoredResponse | null): Promise<void> {
    const { subject, method, path, key } = idempotency
    if (result === null) {
      await db
        .deleteFrom('idempotency_keys')
        .where((row) => row.and({ subject, method, path, key, created_at: claimedAt }))
        .execute()
      return
    }
    await db
      .updateTable('idempotency_keys')
      .set({ ...result, expires_at: after(claimedAt, retentionMs) })
      .where((row) => row.and({ subject, method, path, key, created_at: claimedAt }))
      .execute()
  }
}

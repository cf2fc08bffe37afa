import { setTimeout } from 'node:timers/promises'
import { after, DAY, MINUTE, SECOND } from '../lib/clock.ts'
import { Refusal } from './errors.ts'
import type { House } from './house.ts'
import { type Attempt, claimKey, type StoredAnswer } from './idempotency.ts'

/** How long a read's answer is given again, if nothing else is said; contract, section 5. */
const KEPT_MS = DAY
/** Whoever claimed a key and has not answered by then is gone. */
const CLAIM_MS = MINUTE
const WAIT_MS = 10 * SECOND
const POLL_MS = 100

interface Answered extends StoredAnswer {
  /** False for an answer that a repeat may better: it is sent, and not stored. */
  isFinal: boolean
}

/**
 * Answers a read that came with an Idempotency-Key. It may wait for the network, so no transaction
 * is held open: the key is claimed for a minute, the answer stored when it is there, the claim
 * dropped when the read fails. A write whose own rows tell a repeat what it did may be answered so
 * too. A repeat that comes meanwhile looks until it finds the answer.
 */
export async function answerOnce(
  { db, clock }: Pick<House, 'db' | 'clock'>,
  attempt: Attempt,
  work: () => Promise<Answered>,
  keptMs = KEPT_MS,
): Promise<StoredAnswer & { replayed: boolean }> {
  for (let waited = 0; ; waited += POLL_MS) {
    const claimedAt = clock.now()
    try {
      const stored = await claimKey(db, attempt, claimedAt, CLAIM_MS)
      if (stored) return { ...stored, replayed: true }
    } catch (error) {
      const isRunning = error instanceof Refusal && error.retryAfter !== undefined
      if (!isRunning || waited >= WAIT_MS) throw error
      await setTimeout(POLL_MS)
      continue
    }
    return { ...(await answerClaimed(claimedAt)), replayed: false }
  }

  async function answerClaimed(claimedAt: Date): Promise<StoredAnswer> {
    let final: StoredAnswer | null = null
    try {
      const { isFinal, ...answer } = await work()
      if (isFinal) final = answer
      return answer
    } finally {
      await finish(claimedAt, final)
    }
  }

  /** A claim that has been taken over meanwhile stays with who took it. */
  async function finish(claimedAt: Date, answer: StoredAnswer | null): Promise<void> {
    const { subject, method, path, key } = attempt
    if (answer === null) {
      await db
        .deleteFrom('idempotency_keys')
        .where((row) => row.and({ subject, method, path, key, created_at: claimedAt }))
        .execute()
      return
    }
    await db
      .updateTable('idempotency_keys')
      .set({ ...answer, expires_at: after(claimedAt, keptMs) })
      .where((row) => row.and({ subject, method, path, key, created_at: claimedAt }))
      .execute()
  }
}

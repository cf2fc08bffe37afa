import { isLockTimeout, isRetryable } from '../kernel/database/server.ts'
import { transact } from '../kernel/database/transaction.ts'
import type { House } from '../kernel/house.ts'
import {
  type Attempt,
  claimKey,
  type StoredAnswer,
  stillRunning,
  storeAnswer,
} from '../kernel/idempotency.ts'
import type { Operation, WriteContext } from '../kernel/operation.ts'

const MAX_TRIES = 5

/** A write's answer: made now, or stored by an earlier request with the same key. */
export interface Performed extends StoredAnswer {
  replayed: boolean
}

type Write = (context: WriteContext) => Promise<unknown>

/**
 * Runs a write in its one transaction. With a key, the answer is stored with the effect, so a repeat
 * gets the same bytes; a refusal undoes everything and stores nothing.
 */
export async function performWrite(
  house: House,
  operation: Operation,
  now: Date,
  attempt: Attempt | null,
  write: Write,
): Promise<Performed> {
  const once = () =>
    transact(house.server, async (tx, commit): Promise<Performed> => {
      const stored = attempt && (await claimKey(tx, attempt, now))
      if (stored) return { ...stored, replayed: true }
      const answer = {
        status: operation.status,
        body: JSON.stringify(await write({ tx, now, house })),
      }
      if (attempt) await commit(storeAnswer(tx, attempt, answer))
      return { ...answer, replayed: false }
    })
  for (let tries = 1; ; tries++) {
    try {
      return await once()
    } catch (error) {
      if (attempt && isLockTimeout(error)) throw stillRunning()
      if (!isRetryable(error) || tries === MAX_TRIES) throw error
    }
  }
}

/** In tests every answer is held against its published schema; unknown fields fail too. */
export function checkAnswer(operation: Operation, answer: unknown): unknown {
  const parsed = operation.output.parse(answer)
  if (JSON.stringify(sorted(parsed)) !== JSON.stringify(sorted(answer))) {
    throw new Error(`${operation.name} answered with fields that it does not declare`)
  }
  return answer
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  )
}

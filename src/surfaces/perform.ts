import type { CompiledQuery } from 'kysely'
import { isLockTimeout, isRetryable } from '../kernel/database/server.ts'
import { transact } from '../kernel/database/transaction.ts'
import { conflict } from '../kernel/errors.ts'
import type { House } from '../kernel/house.ts'
import {
  type Attempt,
  claimKey,
  type StoredAnswer,
  stillRunning,
  storeAnswer,
} from '../kernel/idempotency.ts'
import type { Contract, Partner, PartnerWrite, WriteContext } from '../kernel/operation.ts'
import { enterSandbox } from '../kernel/sandbox-turn.ts'

const MAX_TRIES = 5
/** A repeat waits for the first request five times as long as a lock may take: ten seconds in all. */
const MAX_WAITS = 5
const SEALED = 'stored answer'

/** A write's answer: made now, or stored by an earlier request with the same key. */
export interface Performed extends StoredAnswer {
  replayed: boolean
}

export type Write = (context: WriteContext) => Promise<unknown>

export interface How {
  /** The answer may hold secrets. */
  sealed?: boolean
  /** Whose operation it is, if a partner's. */
  by?: { partner: Partner; operation: Pick<PartnerWrite, 'alone'> }
}

/** The key has an answer: what was begun beside looking for it is undone. */
class AlreadyAnswered extends Error {
  readonly answer: StoredAnswer

  constructor(answer: StoredAnswer) {
    super('answered before')
    this.answer = answer
  }
}

/** Another request with the same key is still running. */
class KeyHeld extends Error {}

/**
 * Runs a write in its one transaction. With a key, the answer is stored with the effect, so a repeat
 * gets the same bytes; a refusal undoes everything and stores nothing.
 */
export async function performWrite(
  house: House,
  operation: Pick<Contract, 'status'>,
  now: Date,
  attempt: Attempt | null,
  write: Write,
  how: How = {},
): Promise<Performed> {
  let tries = 0
  let waits = 0
  for (;;) {
    try {
      const answer = await performOnce(house, operation, now, attempt, write, how)
      return { ...answer, replayed: false }
    } catch (error) {
      if (error instanceof AlreadyAnswered) {
        const { answer } = error
        const body = how.sealed ? unsealed(house, answer.body) : answer.body
        return { ...answer, body, replayed: true }
      }
      if (error instanceof KeyHeld) {
        waits += 1
        if (waits === MAX_WAITS) throw stillRunning()
      } else {
        tries += 1
        if (!isRetryable(error) || tries === MAX_TRIES) throw error
      }
    }
  }
}

async function performOnce(
  house: House,
  operation: Pick<Contract, 'status'>,
  now: Date,
  attempt: Attempt | null,
  write: Write,
  { sealed, by }: How,
): Promise<StoredAnswer> {
  return await transact(house.server, async (tx, commit) => {
    if (by?.partner.environment === 'sandbox') {
      // On the way with the first locks of rows: it costs no round trip, and nothing in live. Not waited for: if
      // it fails, so does what comes after it.
      const how = by.operation.alone ? 'alone' : 'shared'
      enterSandbox(tx, by.partner.partnerId, how).catch(() => {})
    }
    const last: CompiledQuery[] = []
    const defer: WriteContext['defer'] = (...statements) => void last.push(...statements)
    // The claim comes first and decides; the write's own first ones travel with it.
    const claim = attempt && claimKey(tx, attempt, now).catch(asKeyHeld)
    const effect = settle(write({ tx, now, house, defer }))
    const stored = await claim
    if (stored) throw new AlreadyAnswered(stored)
    const outcome = await effect
    if ('error' in outcome) throw outcome.error
    const answer = { status: operation.status, body: JSON.stringify(outcome.value) }
    if (attempt) {
      const body = sealed ? house.secrets.sealToken(answer.body, SEALED) : answer.body
      defer(storeAnswer({ ...attempt, ...answer, body }))
    }
    await commit(last)
    return answer
  })
}

/** What 0.1.0 stored is not sealed: an object in JSON begins with what no sealed text has. */
function unsealed({ secrets }: House, body: string): string {
  const text = body.startsWith('{') ? body : secrets.openToken(body, SEALED)
  if (text !== null) return text
  throw conflict(
    'This was done, but its answer was sealed with a key that the service has no more. Read what it made instead.',
  )
}

/** Keeps an outcome until it is asked for, so that an early failure is no unhandled one. */
export function settle<T>(work: Promise<T>): Promise<{ value: T } | { error: unknown }> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
}

function asKeyHeld(error: unknown): never {
  throw isLockTimeout(error) ? new KeyHeld() : error
}

/** In tests every answer is held against its published schema; unknown fields fail too. */
export function checkAnswer(
  operation: Pick<Contract, 'name' | 'output'>,
  answer: unknown,
): unknown {
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

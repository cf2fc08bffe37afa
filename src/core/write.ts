import type { CompiledQuery } from 'kysely'
import { isLockTimeout, isRetryable } from '../db/server.ts'
import { transact } from '../db/transaction.ts'
import type { AppContext } from './context.ts'
import { conflict } from './errors.ts'
import { type Executed, made, replayed } from './executed.ts'
import {
  claimKey,
  type IdempotentRequest,
  type StoredResponse,
  stillRunning,
  storeResponse,
} from './idempotency.ts'
import type { WriteContext } from './operation.ts'
import { lockSandbox } from './sandbox-lock.ts'

const MAX_TRIES = 5
/** A repeat waits for the first request five times as long as a lock may take: ten seconds in all. */
const MAX_WAITS = 5
const SEALED = 'stored answer'

/** One write in its transaction, with what the transaction needs to know of it. */
export interface Write {
  status: number
  /** The key by which a repeat gets the first response; null when a repeat is another write. */
  idempotency: IdempotentRequest | null
  /** Whose sandbox it writes to, and whether it needs that to itself. */
  sandbox: { partnerId: string; how: 'alone' | 'shared' } | null
  run(context: WriteContext): Promise<unknown>
}

/** The key has a response: what was begun beside looking for it is undone. */
class AlreadyStored extends Error {
  readonly response: StoredResponse

  constructor(response: StoredResponse) {
    super('responded before')
    this.response = response
  }
}

/** Another request with the same key is still running. */
class KeyHeld extends Error {}

/**
 * Runs a write in its one transaction. With a key, the response is stored with the effect, so a repeat
 * gets the same bytes; an error undoes everything and stores nothing. Stored responses are sealed: links in
 * them let whoever has them pay, or follow a case, and some show a secret this once.
 */
export async function runWrite(app: AppContext, now: Date, write: Write): Promise<Executed> {
  let tries = 0
  let waits = 0
  for (;;) {
    try {
      return await runOnce(app, now, write)
    } catch (error) {
      if (error instanceof AlreadyStored) {
        const { status, body } = error.response
        return replayed({ status, body: openStored(app, body) })
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

async function runOnce(
  app: AppContext,
  now: Date,
  { status, idempotency, sandbox, run }: Write,
): Promise<Executed> {
  return await transact(app.server, async (tx, commit) => {
    // On the way with the first locks of rows: it costs no round trip, and nothing in live. Not waited for: if
    // it fails, so does what comes after it.
    if (sandbox) lockSandbox(tx, sandbox.partnerId, sandbox.how).catch(() => {})
    const last: CompiledQuery[] = []
    const defer: WriteContext['defer'] = (...statements) => void last.push(...statements)
    // The claim comes first and decides; the write's own first statements travel with it.
    const claim = idempotency && claimKey(tx, idempotency, now).catch(asKeyHeld)
    const effect = settle(run({ tx, now, app, defer }))
    const stored = await claim
    if (stored) throw new AlreadyStored(stored)
    const outcome = await effect
    if ('error' in outcome) throw outcome.error
    const { value } = outcome
    const body = JSON.stringify(value)
    if (idempotency) {
      defer(storeResponse({ ...idempotency, status, body: app.secrets.sealToken(body, SEALED) }))
    }
    await commit(last)
    return made(status, value, body)
  })
}

/** What 0.1.0 stored is not sealed: an object in JSON begins with what no sealed text has. */
export function openStored({ secrets }: Pick<AppContext, 'secrets'>, body: string): string {
  const text = body.startsWith('{') ? body : secrets.openToken(body, SEALED)
  if (text !== null) return text
  throw conflict(
    'key_reused',
    'This was done, but its response was sealed with a key that the service no longer has. Read what it made instead.',
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

import { setMaxListeners } from 'node:events'
import { Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import type { Caller, PublicContext, PublicContract, PublicRead } from '../../kernel/operation.ts'
import { type RateState, refuseOverLimit } from '../../kernel/rate-limits.ts'
import { SECOND } from '../../lib/clock.ts'
import { unlessAborted } from '../../lib/deadline.ts'
import { onceATurn } from '../../lib/once-a-turn.ts'
import { checkAnswer } from '../perform.ts'
import type { Web } from '../web.ts'

/** How long a caller waits at most; one deadline for all entries of a batch. */
export const DEADLINE_MS = 15 * SECOND
const RETRY_AFTER_SECONDS = 5

/** One call of an operation, through whichever door it came. */
export interface Call {
  caller: Caller
  /** Whose limits and idempotency keys these are: a client address, or a token's subject. */
  client: string
  now: Date
  signal: AbortSignal
  /** Where the call stands in its limit; null until it was counted. */
  rate: RateState | null
}

export function newCall(caller: Caller, address: string, now: Date, deadlineMs: number): Call {
  return {
    caller,
    client: caller.kind === 'user' ? `user:${caller.subject}` : address,
    now,
    signal: signalAfter(deadlineMs),
    rate: null,
  }
}

let latest = { signal: new AbortController().signal, deadlineMs: 0, startedAt: 0 }

/**
 * Calls that start within a hundredth of their deadline share a signal: each of its own would stay in
 * memory, with its timer, for as long as the deadline.
 */
function signalAfter(deadlineMs: number): AbortSignal {
  const startedAt = performance.now()
  if (latest.deadlineMs !== deadlineMs || startedAt - latest.startedAt > deadlineMs / 100) {
    latest = { signal: AbortSignal.timeout(deadlineMs), deadlineMs, startedAt }
    setMaxListeners(0, latest.signal)
  }
  return latest.signal
}

/** What a door does with an operation: all of them count, refuse, run and mask through these. */
export interface Run {
  /** Counts the call against its limit, shown with the answer, and refuses it when that is used up. */
  admit(
    operation: Pick<PublicContract, 'rate'>,
    call: Call,
    shown?: { rate: RateState | null },
  ): Promise<void>
  answer(operation: PublicRead, input: object, call: Call): Promise<unknown>
  /** The answer row by row; for operations that have rows. */
  rows(operation: PublicRead, input: object, call: Call): AsyncIterable<object>
}

export function createRun(house: House, web: Web, strict: boolean): Run {
  const { db, settings } = house
  const limits = {
    public: settings.rateLimits.publicPerMinute,
    whois: settings.rateLimits.whoisPerMinute,
  }
  const context = ({ caller, now, signal }: Call): PublicContext => ({
    db,
    now,
    house,
    caller,
    signal,
  })
  const shared = onceATurn<unknown>()
  const ask = (operation: PublicRead, input: object, call: Call) =>
    operation.handler(context(call), input as Record<string, unknown>)
  return {
    async admit({ rate }, call, shown) {
      const subject = rate === 'public' ? call.client : `${rate}:${call.client}`
      call.rate = await web.count({ subject, limit: limits[rate], now: call.now })
      if (shown) shown.rate = call.rate
      refuseOverLimit(call.rate, call.now)
    },
    async answer(operation, input, call) {
      if (call.signal.aborted) throw tooLate()
      // What anyone may keep for a while is the same for all who are nobody in particular.
      const isShared = operation.cacheSeconds > 0 && call.caller.kind === 'anonymous'
      const asked = isShared
        ? shared(`${operation.name} ${JSON.stringify(input)}`, () => ask(operation, input, call))
        : ask(operation, input, call)
      // A handler that overlooks the signal still does not keep its caller.
      const answer = await unlessAborted(asked, call.signal).catch((error: unknown) => {
        throw call.signal.aborted ? tooLate() : error
      })
      return strict ? checkAnswer(operation, answer) : answer
    },
    async *rows({ rows, name }, input, call) {
      if (!rows) throw new Error(`${name} has no rows`)
      for await (const row of rows.read(context(call), input as Record<string, unknown>)) {
        yield strict ? (checkAnswer({ name, output: rows.output }, row) as object) : row
      }
    },
  }
}

function tooLate(): Refusal {
  return new Refusal('unavailable', 'The answer was not known in time. Try again.', {
    retryAfter: RETRY_AFTER_SECONDS,
  })
}

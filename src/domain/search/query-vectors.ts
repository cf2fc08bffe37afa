import { DeadlinePassed, withDeadline } from 'domain-marketplace-safe-fetch'
import { after, type Clock, SECOND } from '../../lib/clock.ts'
import {
  type Embedder,
  EmbeddingsFailed,
  type FailureReason,
  requireDimensions,
} from './embedder.ts'

const KEPT = 5_000
/** Questions under way at once; a crowd before a slow endpoint is not to become a queue. */
const MOST_UNDER_WAY = 16
const FAILURES_BEFORE_REST = 3
const REST_MS = 10 * SECOND

/** Why a query has no vector now. */
export type NoVector = FailureReason | 'resting' | 'busy'

export interface QueryVectors {
  /** A vector of so many dimensions; one of another length counts as a bad response. */
  of(text: string, dimensions: number): Promise<Float32Array | NoVector>
  stop(): void
}

/**
 * Vectors of queries, remembered, and within a time limit. After some failures in a row the endpoint rests
 * and no query waits for it, except for one now and then that finds out whether it is back.
 */
export function createQueryVectors(
  embedder: Embedder,
  clock: Clock,
  timeoutMs: number,
): QueryVectors {
  /** A map keeps the order of insertion, so its first is the one that was used longest ago. */
  const kept = new Map<string, Float32Array>()
  const underWay = new Map<string, Promise<Float32Array>>()
  const stopping = new AbortController()
  let failures = 0
  let restsUntil = clock.now()

  function keep(text: string, vector: Float32Array): void {
    kept.delete(text)
    kept.set(text, vector)
    const [oldest] = kept.keys()
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
  }

  /** Goes on beyond the limit: a late response serves whoever asks the same again. */
  function ask(text: string, dimensions: number): Promise<Float32Array> {
    const question = embedder
      .embed([text], stopping.signal)
      .then(([vector = new Float32Array()]) => {
        requireDimensions(vector, dimensions)
        keep(text, vector)
        return vector
      })
      .finally(() => underWay.delete(text))
    underWay.set(text, question)
    return question
  }

  return {
    async of(text, dimensions) {
      const known = kept.get(text)
      if (known) {
        keep(text, known)
        return known
      }
      if (failures >= FAILURES_BEFORE_REST) {
        if (clock.now() < restsUntil) return 'resting'
        restsUntil = after(clock.now(), REST_MS)
      }
      const question = underWay.get(text)
      if (!question && underWay.size >= MOST_UNDER_WAY) return 'busy'
      try {
        const vector = await withDeadline({ timeoutMs }, () => question ?? ask(text, dimensions))
        failures = 0
        return vector
      } catch (error) {
        failures += 1
        if (failures >= FAILURES_BEFORE_REST) restsUntil = after(clock.now(), REST_MS)
        if (error instanceof DeadlinePassed) return 'timeout'
        if (error instanceof EmbeddingsFailed) return error.reason
        throw error
      }
    },
    stop: () => stopping.abort(new Error('the service is stopping')),
  }
}

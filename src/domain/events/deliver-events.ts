import type { AppContext } from '../../core/context.ts'
import { batcher } from '../../lib/batcher.ts'
import { inSpan } from '../../lib/tracing.ts'
import {
  type Attempted,
  type EndpointSecrets,
  isSuccess,
  LeaseLost,
  recordFailure,
  recordSuccesses,
  sendDelivery,
} from './attempt-delivery.ts'
import { type Claimed, claimDeliveries } from './claim-deliveries.ts'

const POLL_MS = 500
/** After a look that found nothing: every write wakes, and few have something to deliver. */
const REST_MS = 10
/** After one that found something: what ends meanwhile makes room for more, which one statement claims. */
const GATHER_MS = 5
/** What has arrived is written down together. */
const SUCCESSES = { groupSize: 64, inFlight: 2 }
/**
 * Hundreds may end together, and others wait too. Each is written by itself, so one that fails says nothing
 * of the next.
 */
const FAILURES = { groupSize: 1, inFlight: 8, patienceMs: Number.POSITIVE_INFINITY }

/** Receivers that have been failing and all others, apart: those that hang leave the others room. */
interface Lane {
  failing: boolean
  atOnce: number
  /** A receiver with so many requests under way gets no more; with one while the lane is half full. */
  atOncePerEndpoint: number
}
const WELL: Lane = { failing: false, atOnce: 512, atOncePerEndpoint: 8 }
const FAILING: Lane = { failing: true, atOnce: 256, atOncePerEndpoint: 1 }

export interface Deliveries {
  /** Says that something may be due now; cheap. */
  wake(): void
  stop(): Promise<void>
}

/** Sends what is due, each receiver on its own so that one that hangs delays nobody else. */
export function startDeliveries(
  app: AppContext,
  onAttempt: (delivered: boolean) => void,
): Deliveries {
  const writeSuccess = batcher<Attempted, void>(async (done) => {
    await recordSuccesses(app, done)
    return []
  }, SUCCESSES)
  const writeFailure = batcher<Attempted, void>(
    async (failed) => await Promise.all(failed.map((each) => recordFailure(app, each))),
    FAILURES,
  )

  async function attempt(delivery: Claimed, secrets: EndpointSecrets): Promise<void> {
    try {
      const attributes = {
        'marketplace.event': delivery.event_id,
        'marketplace.event_type': delivery.type,
      }
      const outcome = await inSpan('webhook delivery', attributes, () =>
        sendDelivery(app, delivery, secrets),
      )
      onAttempt(isSuccess(outcome))
      await (isSuccess(outcome) ? writeSuccess : writeFailure)({ delivery, outcome })
    } catch (error) {
      if (error instanceof LeaseLost) return
      // Its lease runs out and someone tries again: at least once is what we promise.
      app.log.warn({ err: error, event_id: delivery.event_id }, 'webhooks: an attempt was lost')
    }
  }

  const well = startLane(app, WELL, attempt, () => well.wake())
  // Polls only, since who has been failing can wait; but one that has recovered may have more to get.
  const failing = startLane(app, FAILING, attempt, () => well.wake())
  return {
    wake: well.wake,
    async stop() {
      await Promise.all([well.stop(), failing.stop()])
    },
  }
}

function startLane(
  app: AppContext,
  lane: Lane,
  attempt: (delivery: Claimed, secrets: EndpointSecrets) => Promise<void>,
  onEnd: () => void,
): Deliveries {
  const underWay = new Map<string, number>()
  const attempts = new Set<Promise<void>>()
  let stopping = false
  let timer: NodeJS.Timeout | undefined
  let claiming: Promise<void> | undefined
  let resting = false
  let again = false
  /** The endpoint where the last round ended because the lane was full: the next goes on from there. */
  let position = ''

  function wake(): void {
    if (stopping) return
    if (claiming || resting) {
      again = true
      return
    }
    clearTimeout(timer)
    claiming = claimRound()
      .catch((error: unknown) => {
        app.log.warn({ err: error }, 'webhooks: cannot reach the deliveries')
        return false
      })
      .then((isBusy) => {
        claiming = undefined
        if (stopping) return
        resting = true
        timer = setTimeout(goOn, isBusy ? GATHER_MS : REST_MS)
      })
  }

  function goOn(): void {
    resting = false
    if (again) setImmediate(wake)
    else timer = setTimeout(wake, POLL_MS)
    again = false
  }

  /** False when it had room and found nothing. */
  async function claimRound(): Promise<boolean> {
    const half = lane.atOnce / 2
    const crowded = attempts.size >= half
    const room = (crowded ? lane.atOnce : half) - attempts.size
    if (room <= 0) return true
    const perEndpoint = crowded ? 1 : lane.atOncePerEndpoint
    const busy = [...underWay].filter(([, count]) => count >= perEndpoint).map(([id]) => id)
    const claimed = await claimDeliveries(app, {
      failing: lane.failing,
      position,
      perEndpoint,
      busy,
      room,
    })
    const secrets: EndpointSecrets = new Map()
    for (const delivery of claimed) start(delivery, secrets)
    const isFull = claimed.length === room
    const wasAtStart = position === ''
    position = isFull ? lastOf(claimed.map(({ endpoint_id }) => endpoint_id)) : ''
    if (isFull) again = true
    else if (!wasAtStart) return (await claimRound()) || claimed.length > 0
    return claimed.length > 0
  }

  function start(delivery: Claimed, secrets: EndpointSecrets): void {
    const endpoint = delivery.endpoint_id
    underWay.set(endpoint, (underWay.get(endpoint) ?? 0) + 1)
    const running = attempt(delivery, secrets).finally(() => {
      attempts.delete(running)
      const left = (underWay.get(endpoint) ?? 1) - 1
      if (left === 0) underWay.delete(endpoint)
      else underWay.set(endpoint, left)
      onEnd()
    })
    attempts.add(running)
  }

  wake()
  return {
    wake,
    async stop() {
      stopping = true
      clearTimeout(timer)
      await claiming
      await Promise.all(attempts)
    },
  }
}

function lastOf(ids: string[]): string {
  return ids.reduce((last, id) => (id > last ? id : last), '')
}

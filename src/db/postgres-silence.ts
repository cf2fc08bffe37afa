import type { Duplex } from 'node:stream'
import type pg from 'pg'

/** How often a transaction is looked at for signs of life. */
const CHECK_MS = 1_500
/** What never waits for a lock has its response by the second look, or its connection is dead. */
const CHECKS_FOR_BEGIN = 2

/** Over one transaction. Its statements may wait for locks, but not for a network that swallows them. */
export interface Watch {
  sent(): void
  heard(): void
  end(): void
}

export interface SilencePolicy {
  /** Whether the database responds at all; settles soon. */
  isReachable(): Promise<boolean>
  /** A connection turned out dead, so others of its age are to be trusted no more. */
  onDead(): void
}

/**
 * Destroys a transaction's connection once it is dead: what has been sent to it then fails, where TCP would
 * wait for minutes. Its first statement is `begin`, which a live connection responds to at once; behind it a
 * silence is a lock, unless the database cannot be reached in another way either.
 */
export function watchOver(
  client: pg.Client | pg.PoolClient,
  { isReachable, onDead }: SilencePolicy,
): Watch {
  let underWay = 0
  let responses = 0
  let responsesAtLastCheck = 0
  let checks = 0
  let ended = false

  const look = async () => {
    checks += 1
    if (underWay > 0 && responses === responsesAtLastCheck) {
      const isDead = responses === 0 ? checks >= CHECKS_FOR_BEGIN : !(await isReachable())
      // What came while we asked counts.
      if (isDead && !ended && underWay > 0 && responses === responsesAtLastCheck) {
        streamOf(client).destroy()
        return onDead()
      }
    }
    responsesAtLastCheck = responses
    if (!ended) timer = setTimeout(tick, CHECK_MS)
  }
  // In the next turn, so that a response that waits behind the timer in a busy process is read before.
  const tick = () => setImmediate(() => void look())
  let timer = setTimeout(tick, CHECK_MS)

  return {
    sent() {
      underWay += 1
    },
    heard() {
      underWay -= 1
      responses += 1
    },
    end() {
      ended = true
      clearTimeout(timer)
    },
  }
}

/** The connection's socket. */
export function streamOf(client: pg.Client | pg.PoolClient): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream
}

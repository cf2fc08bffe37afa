import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { streamOf } from './postgres-silence.ts'
import { DatabaseUnavailable, isOutOfConnections } from './server.ts'

const CONNECTIONS = 3
const RECONNECT_WITHIN_MS = 750

interface Policy {
  /** How long a server that had no connection to give is not asked for more. */
  makeDoMs: number
  /** A connection does not respond. */
  onLost(): void
  /** The server had none to give. */
  onRefused(): void
}

/** A few connections that many statements use at once; a broken one is replaced when next needed. */
export function sharedConnections(
  config: pg.ClientConfig & { pipeline: true },
  { makeDoMs, onLost, onRefused }: Policy,
) {
  interface Slot {
    client: Promise<pg.Client>
    underWay: number
    isRetired: boolean
  }
  /** The last statement had no response. Until one has, nobody waits for long behind it. */
  let isSuspect = false
  let makesDoUntil = 0
  const slots: (Slot | undefined)[] = Array.from({ length: CONNECTIONS }, () => undefined)

  function open(index: number): Slot {
    const client = new pg.Client(config)
    const connected = client.connect().then(() => client)
    const slot: Slot = { client: connected, underWay: 0, isRetired: false }
    const drop = () => {
      if (slots[index] === slot) slots[index] = undefined
    }
    client.on('error', drop)
    client.on('end', drop)
    slot.client.catch(drop)
    slots[index] = slot
    return slot
  }

  function leastBusy(): Slot {
    const newOnes = performance.now() < makesDoUntil ? Number.POSITIVE_INFINITY : 0
    const busy = (index: number) => slots[index]?.underWay ?? newOnes
    let best = 0
    for (let index = 0; index < slots.length; index++) {
      if (busy(index) < busy(best)) best = index
    }
    return slots[best] ?? open(best)
  }

  /** Those in use end when what runs on them has. */
  function retire(slot: Slot): void {
    slot.isRetired = true
    if (slot.underWay > 0) return
    slot.client.then((client) => streamOf(client).destroy()).catch(() => {})
  }

  function renew(): void {
    isSuspect = true
    for (const [index, slot] of slots.entries()) {
      if (slot) retire(slot)
      slots[index] = undefined
    }
  }

  async function use<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const slot = leastBusy()
    slot.underWay += 1
    try {
      const late = isSuspect ? [rejectAfter(RECONNECT_WITHIN_MS)] : []
      const client = await Promise.race([slot.client, ...late]).catch((error: unknown) => {
        throw new DatabaseUnavailable(error)
      })
      const result = await work(client)
      isSuspect = false
      return result
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      if (isOutOfConnections(error.cause) && !slots.includes(slot)) {
        onRefused()
        makesDoUntil = performance.now() + makeDoMs
        if (slots.some((other) => other !== undefined)) return await use(work)
      } else if (!slot.isRetired) onLost()
      throw error
    } finally {
      slot.underWay -= 1
      if (slot.isRetired) retire(slot)
    }
  }

  return {
    use,
    renew,
    async close() {
      const open = slots.filter((slot) => slot !== undefined)
      // One that is still connecting may fail at it, which at the end is all the same.
      await Promise.allSettled(open.map(async (slot) => await (await slot.client).end()))
    },
  }
}

async function rejectAfter(afterMs: number): Promise<never> {
  await pause(afterMs)
  throw new Error('no connection yet')
}

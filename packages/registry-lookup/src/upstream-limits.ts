import { after, type Clock, MINUTE } from './clock.ts'

export interface UpstreamLimits {
  /**
   * Waits until a server may be asked; the question is counted then, also as its client's. False where it is not its turn
   * before the signal aborts, or the server wants to be left alone. Without a client it is asked now or not at all, whoever
   * waits.
   */
  take(server: string, client: string | undefined, signal: AbortSignal): Promise<boolean>
  /** Leaves a server alone for as long as it wants, within reason. */
  backOff(server: string, milliseconds: number): void
}

const LONGEST_MS = 60 * MINUTE

/** What one client may use of it: others are to have a response, too. */
const SHARE = 1 / 4
/** Less would let nobody search on a few top-level domains. */
const LEAST_SHARE = 10

/** How often those who wait are looked after. */
const LOOK_MS = 100
/** How many clients are remembered; those who have not asked for a minute are like new ones. */
const MAX_CLIENTS = 1_000

/** So many questions a minute, and as many at once after a pause. */
interface Allowance {
  left: number
  countedAt: number
}

interface Waiter {
  client: string
  decide(mayAsk: boolean): void
}

interface Server {
  whole: Allowance
  byClient: Map<string, Allowance>
  waiting: Set<Waiter>
  quietUntil: Date | null
}

/** So many questions a minute for each server, so that registries do not shut us out. */
export function createUpstreamLimits(perMinute: number, clock: Clock): UpstreamLimits {
  const share = Math.max(LEAST_SHARE, Math.ceil(perMinute * SHARE))
  // Servers come from our lists, so there are no more of them than those hold.
  const servers = new Map<string, Server>()
  let timer: NodeJS.Timeout | undefined

  function serverOf(name: string): Server {
    const known = servers.get(name)
    if (known) return known
    const server = {
      whole: full(perMinute),
      byClient: new Map<string, Allowance>(),
      waiting: new Set<Waiter>(),
      quietUntil: null,
    }
    servers.set(name, server)
    return server
  }

  function full(most: number): Allowance {
    return { left: most, countedAt: clock.now().getTime() }
  }

  function leftOf(allowance: Allowance, most: number): number {
    const now = clock.now().getTime()
    allowance.left = Math.min(most, allowance.left + ((now - allowance.countedAt) / MINUTE) * most)
    allowance.countedAt = now
    return allowance.left
  }

  function ofClient({ byClient }: Server, client: string): Allowance {
    const known = byClient.get(client)
    if (known) return known
    if (byClient.size >= MAX_CLIENTS) {
      for (const [name, allowance] of byClient) {
        if (leftOf(allowance, share) === share) byClient.delete(name)
      }
    }
    const allowance = full(share)
    byClient.set(client, allowance)
    return allowance
  }

  function isTurnOf(server: Server, client: string | undefined): boolean {
    const own = client === undefined ? null : ofClient(server, client)
    if (leftOf(server.whole, perMinute) < 1 || (own && leftOf(own, share) < 1)) return false
    server.whole.left -= 1
    if (own) own.left -= 1
    return true
  }

  const isQuiet = ({ quietUntil }: Server) => quietUntil !== null && quietUntil > clock.now()

  /** Those who have used least go first. */
  function lookAfter(server: Server): void {
    const used = ({ client }: Waiter) => share - leftOf(ofClient(server, client), share)
    for (const waiter of [...server.waiting].toSorted((a, b) => used(a) - used(b))) {
      if (isQuiet(server)) waiter.decide(false)
      else if (isTurnOf(server, waiter.client)) waiter.decide(true)
    }
  }

  function keepLooking(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      for (const server of servers.values()) lookAfter(server)
      if ([...servers.values()].some(({ waiting }) => waiting.size > 0)) keepLooking()
    }, LOOK_MS)
  }

  return {
    async take(name, client, signal) {
      const server = serverOf(name)
      if (isQuiet(server)) return false
      // No client overtakes those who wait. Whoever has none cannot wait, and they may wait for their own share alone.
      const mayBeNow = client === undefined || server.waiting.size === 0
      if (mayBeNow && isTurnOf(server, client)) return true
      if (client === undefined || signal.aborted) return false
      return await new Promise<boolean>((resolve) => {
        const leave = () => waiter.decide(false)
        const waiter: Waiter = {
          client,
          decide(mayAsk) {
            server.waiting.delete(waiter)
            signal.removeEventListener('abort', leave)
            resolve(mayAsk)
          },
        }
        server.waiting.add(waiter)
        signal.addEventListener('abort', leave)
        keepLooking()
      })
    },
    backOff(name, milliseconds) {
      serverOf(name).quietUntil = after(clock.now(), Math.min(milliseconds, LONGEST_MS))
    },
  }
}

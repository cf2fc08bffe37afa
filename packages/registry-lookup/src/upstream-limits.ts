import { after, type Clock, MINUTE } from './clock.ts'

export interface UpstreamLimits {
  /** Whether a server may be asked now; if so, the question is counted, also as its client's. */
  take(server: string, client?: string): boolean
  /** Leaves a server alone for as long as it wants, within reason. */
  backOff(server: string, milliseconds: number): void
}

interface Window {
  used: number
  endsAt: Date
  byClient: Map<string, number>
}

const LONGEST_MS = 60 * MINUTE

/** What one client may use of it: others are to have an answer, too. */
const SHARE = 1 / 4
/** Less would let nobody search on a few top-level domains. */
const LEAST_SHARE = 10

/** So many questions a minute for each server, so that registries do not shut us out. */
export function createUpstreamLimits(perMinute: number, clock: Clock): UpstreamLimits {
  // Servers come from our lists, so there are no more of them than those hold.
  const windows = new Map<string, Window>()
  const share = Math.max(LEAST_SHARE, Math.ceil(perMinute * SHARE))
  const quiet = new Map<string, Date>()
  return {
    take(server, client) {
      const now = clock.now()
      if ((quiet.get(server) ?? now) > now) return false
      const known = windows.get(server)
      const window =
        known && known.endsAt > now
          ? known
          : { used: 0, endsAt: after(now, MINUTE), byClient: new Map<string, number>() }
      windows.set(server, window)
      const usedByClient = client === undefined ? 0 : (window.byClient.get(client) ?? 0)
      if (window.used >= perMinute || usedByClient >= share) return false
      window.used += 1
      if (client !== undefined) window.byClient.set(client, usedByClient + 1)
      return true
    },
    backOff(server, milliseconds) {
      quiet.set(server, after(clock.now(), Math.min(milliseconds, LONGEST_MS)))
    },
  }
}

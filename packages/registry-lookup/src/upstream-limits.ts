import { after, type Clock, MINUTE } from './clock.ts'

export interface UpstreamLimits {
  /** Whether a server may be asked now; if so, the question is counted. */
  take(server: string): boolean
  /** Leaves a server alone for as long as it wants, within reason. */
  backOff(server: string, milliseconds: number): void
}

const LONGEST_MS = 60 * MINUTE

/** So many questions a minute for each server, so that registries do not shut us out. */
export function createUpstreamLimits(perMinute: number, clock: Clock): UpstreamLimits {
  // Servers come from our lists, so there are no more of them than those hold.
  const windows = new Map<string, { used: number; endsAt: Date }>()
  const quiet = new Map<string, Date>()
  return {
    take(server) {
      const now = clock.now()
      if ((quiet.get(server) ?? now) > now) return false
      const window = windows.get(server)
      if (!window || window.endsAt <= now) {
        windows.set(server, { used: 1, endsAt: after(now, MINUTE) })
        return true
      }
      window.used += 1
      return window.used <= perMinute
    },
    backOff(server, milliseconds) {
      quiet.set(server, after(clock.now(), Math.min(milliseconds, LONGEST_MS)))
    },
  }
}

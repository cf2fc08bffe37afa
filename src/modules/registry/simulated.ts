import { createHash } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { Registry } from './registry.ts'

/** Answers the same way for a name each time, without asking anyone. */
export function createSimulatedRegistry(clock: Clock): Registry {
  return {
    async lookup(domain) {
      const isTaken = (createHash('sha256').update(domain).digest()[0] ?? 0) < 128
      return {
        state: isTaken ? 'registered' : 'available',
        source: 'simulated',
        checkedAt: clock.now(),
        record: null,
      }
    },
    close: async () => {},
  }
}

import { z } from 'zod'
import { yearsAfter } from '../../lib/clock.ts'
import { REGISTRAR_OPS, registrarDriver, tldsField } from './driver.ts'

/** Performs everything, since nothing is behind it: for the sandbox, and live while registries are simulated. */
export const simulatedDriver = registrarDriver({
  id: 'simulated',
  label: 'Simulated registrar',
  capabilities: REGISTRAR_OPS,
  config: z.strictObject({ tlds: tldsField }),
  open: () => ({
    capabilities: REGISTRAR_OPS,
    test: async () => ({ server: 'simulated' }),
    info: async () => null,
    async perform(_domain, command) {
      if (command.op !== 'renew' || !command.expiresAt) return {}
      return { expiresAt: yearsAfter(command.expiresAt, command.years) }
    },
    close: async () => {},
  }),
})

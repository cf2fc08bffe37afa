import { z } from 'zod'
import { NotPerformed, REGISTRAR_OPS, registrarDriver, tldsField } from './driver.ts'

/**
 * A registrar at which an operator acts by hand. Its operations wait until an operator says what became of
 * them, so nothing here performs one.
 */
export const manualDriver = registrarDriver({
  id: 'manual',
  label: 'By hand',
  capabilities: [...REGISTRAR_OPS, 'by_hand'],
  config: z.object({ tlds: tldsField }),
  open: () => ({
    capabilities: [...REGISTRAR_OPS, 'by_hand'],
    test: async () => ({ server: 'an operator, by hand' }),
    info: async () => null,
    perform: async () => {
      throw new NotPerformed('An operator does this by hand.')
    },
    close: async () => {},
  }),
})

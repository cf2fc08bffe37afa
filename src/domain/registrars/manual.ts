import { z } from 'zod'
import {
  NotPerformed,
  REGISTRAR_OPS,
  type RegistrarCapability,
  registrarDriver,
  tldsField,
} from './driver.ts'

/** Records at `_for-sale` are published without anyone asking, which would be work for an operator without end. */
const CAPABILITIES: readonly RegistrarCapability[] = [
  ...REGISTRAR_OPS.filter((op) => op !== 'set_for_sale'),
  'by_hand',
]

/**
 * A registrar at which an operator acts by hand. Its operations wait until an operator says what became of
 * them, so nothing here performs one.
 */
export const manualDriver = registrarDriver({
  id: 'manual',
  label: 'By hand',
  capabilities: CAPABILITIES,
  config: z.strictObject({ tlds: tldsField }),
  open: () => ({
    capabilities: CAPABILITIES,
    test: async () => ({ server: 'an operator, by hand' }),
    info: async () => null,
    perform: async () => {
      throw new NotPerformed('An operator does this by hand.')
    },
    close: async () => {},
  }),
})

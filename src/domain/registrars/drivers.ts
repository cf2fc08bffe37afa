import type { DriverId, RegistrarDriver } from './driver.ts'
import { dynadotDriver } from './dynadot.ts'
import { eppDriver } from './epp.ts'
import { manualDriver } from './manual.ts'
import { realtimeRegisterDriver } from './realtime-register.ts'
import { simulatedDriver } from './simulated.ts'

/** Every driver. A new one is a file beside these, its id, and an entry here. */
const DRIVERS: Record<DriverId, RegistrarDriver> = {
  simulated: simulatedDriver,
  manual: manualDriver,
  epp: eppDriver,
  'realtime-register': realtimeRegisterDriver,
  dynadot: dynadotDriver,
}

export function driverOf(id: DriverId): RegistrarDriver {
  return DRIVERS[id]
}

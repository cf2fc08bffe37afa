import { type GuardedHttp, isLoopbackUrl } from 'domain-marketplace-safe-fetch'
import type { Log } from '../../core/context.ts'
import type { Settings } from '../../core/settings.ts'
import type { Database } from '../../db/dialect.ts'
import type { Clock } from '../../lib/clock.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { DriverContext, RegistrarConnection } from './driver.ts'
import { driverOf } from './drivers.ts'
import { openConfig, type Registrar } from './registrar.ts'

/** The connections to registrars, each opened when it is first needed and kept. */
export interface Registrars {
  /** Undefined when it was removed. */
  byId(id: string): Promise<OpenRegistrar | undefined>
  /** Registrars whose connections are for this top-level domain, in the order in which they were added. */
  forTld(tld: string): Promise<Registrar[]>
  /** What does what nothing real is behind. */
  simulated: RegistrarConnection
  close(): Promise<void>
}

export interface OpenRegistrar {
  registrar: Registrar
  connection: RegistrarConnection
}

interface Parts {
  db: Database
  secrets: SecretBox
  http: GuardedHttp
  clock: Clock
  log: Log
  settings: Pick<Settings, 'baseUrl'>
}

export function createRegistrars({ db, secrets, http, clock, log, settings }: Parts): Registrars {
  const context: DriverContext = {
    http,
    clock,
    log,
    allowLoopback: isLoopbackUrl(settings.baseUrl),
  }
  const open = new Map<string, OpenRegistrar>()

  return {
    simulated: driverOf('simulated').open({ tlds: [] }, context),
    async byId(id) {
      const registrar = await db
        .selectFrom('registrars')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst()
      const known = open.get(id)
      if (known && known.registrar.updated_at.getTime() === registrar?.updated_at.getTime()) {
        return known
      }
      open.delete(id)
      void known?.connection.close()
      if (!registrar) return undefined
      const config = openConfig(secrets, registrar)
      const opened = {
        registrar,
        connection: driverOf(registrar.driver).open(config, context),
      }
      open.set(id, opened)
      return opened
    },
    async forTld(tld) {
      return await db
        .selectFrom('registrars')
        .selectAll()
        .where((row) => row(row.val(tld), '=', row.fn.any('tlds')))
        .orderBy('id')
        .execute()
    },
    async close() {
      await Promise.all([...open.values()].map(({ connection }) => connection.close()))
    },
  }
}

import { createGuardedHttp } from 'domain-marketplace-safe-fetch'
import type {
  DriverContext,
  DriverId,
  Protection,
  RegistrarConnection,
  TestFailed,
} from '../../../src/domain/registrars/driver.ts'
import { driverOf } from '../../../src/domain/registrars/drivers.ts'
import { testClock } from '../../support/service.ts'

/** Where in a call its response gets lost: before it takes effect, or after it. */
export type LossPoint = 'before' | 'after'

interface Zone {
  /** Every record of the zone, in any form that tells two apart. */
  all(domain: string): string[]
  /** The texts at `_for-sale`. */
  texts(domain: string): string[]
  /** Somebody writes a record at `_for-sale` by hand. */
  write(domain: string, text: string): void
  /** Whether the domain's name servers are the registrar's. */
  delegate(domain: string, isToRegistrar: boolean): void
}

/** A driver with a registrar around it. What is null, this kind of registrar cannot do. */
export interface Bench {
  connection: RegistrarConnection
  /** Names in the account there, each with a known expiry, unlocked. */
  domains: string[]
  /** A name that is not in the account. */
  foreign: string
  /** How often something took effect on a domain; null where nothing real is behind it. */
  performedOn: ((domain: string) => number) | null
  /** The next change loses its response. */
  lose: ((point: LossPoint) => void) | null
  /** The next change is rejected. */
  reject: ((message: string) => void) | null
  /** No call reaches the registrar from now on, nor once it does. */
  reachable: ((is: boolean) => Promise<void>) | null
  /** Something that the registrar says of its own accord, about a transfer of a domain. */
  say: ((text: string, domain: string) => void) | null
  /** What a renewal of one year costs there. */
  fee: { cents: number; currency: string } | null
  /** Makes a domain a premium one. Null without a fee. */
  makePremium: ((domain: string) => void) | null
  /** Its DNS, which has a zone for each of the domains, with records of their owner. */
  zone: Zone | null
  /** Another connection, whose test fails at the step. */
  failing: Partial<Record<TestFailed['step'], () => RegistrarConnection>>
  stop(): Promise<void>
}

/** The memory of an operation of which nobody else takes hold. */
export function ownProtection(): Protection {
  let isRemoved = false
  return {
    get isRemoved() {
      return isRemoved
    },
    async remember(is) {
      isRemoved = is
    },
  }
}

/** A connection as the service opens it, from a configuration as an operator gives it. */
export function openConnection(id: DriverId, config: object): RegistrarConnection {
  const driver = driverOf(id)
  const http = createGuardedHttp()
  const context: DriverContext = {
    http,
    clock: testClock(),
    log: { debug() {}, info() {}, warn() {}, error() {} } as unknown as DriverContext['log'],
    allowLoopback: true,
  }
  const connection = driver.open(driver.config.parse(config), context)
  const close = connection.close.bind(connection)
  connection.close = async () => {
    await close()
    await http.close()
  }
  return connection
}

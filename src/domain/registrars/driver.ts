import type { GuardedHttp } from 'domain-marketplace-safe-fetch'
import { z } from 'zod'
import type { Log } from '../../core/context.ts'
import { tldField } from '../../core/fields.ts'
import type { Clock } from '../../lib/clock.ts'

/** The drivers, by the id that a connection is added with. */
export const DRIVER_IDS = ['simulated', 'manual', 'epp', 'realtime-register', 'dynadot'] as const
export type DriverId = (typeof DRIVER_IDS)[number]

/** What a registrar can be asked to do with a domain. */
export const REGISTRAR_OPS = [
  'renew',
  'lock',
  'unlock',
  'set_nameservers',
  'set_privacy',
  'set_auth_code',
  'clear_auth_code',
  'push',
  'set_for_sale',
] as const
export type RegistrarOp = (typeof REGISTRAR_OPS)[number]

/** An operation, or something that is read: a driver declares which of these it has. */
export type RegistrarCapability = RegistrarOp | 'info' | 'check_fees' | 'poll' | 'by_hand'

/** One change of one domain. */
export type RegistrarCommand =
  /**
   * `expiresAt` is the expiry before it, so that a repeat renews nothing (RFC 5731, section 3.2.3). `maxFee` is what is
   * paid for it: a registrar that says it asks for more is not sent it (`assertWithin`).
   */
  | { op: 'renew'; years: number; expiresAt: Date | null; maxFee: Fee | null }
  | { op: 'lock' }
  | { op: 'unlock' }
  | { op: 'set_nameservers'; nameservers: readonly string[] }
  | { op: 'set_privacy'; enabled: boolean }
  /** Allows transfers, and sets the code that the gaining registrar sends (RFC 9154, section 4). */
  | { op: 'set_auth_code'; authCode: string }
  /** Unsets the code and locks the domain again. */
  | { op: 'clear_auth_code' }
  /** Moves the domain into another account of the same registrar. */
  | { op: 'push'; account: string }
  /**
   * Adds or removes a TXT record at `_for-sale` below the domain, in the registrar's own zone; every other record stays.
   * A driver that cannot promise that does not have the operation.
   */
  | { op: 'set_for_sale'; value: string; published: boolean }

export interface Fee {
  cents: number
  currency: string
}

/** What a registrar says of a domain in our account there. Null: it does not say. */
export interface RegistrarDomain {
  expiresAt: Date | null
  locked: boolean | null
  privacy: boolean | null
  nameservers: readonly string[]
  /** Whether the zone is in the registrar's own DNS, where the account can change it. */
  hostsZone: boolean | null
  /** As the registrar writes them: EPP status values, where it speaks EPP. */
  statuses: readonly string[]
}

/** What a command brought beside its effect. */
export interface CommandResult {
  /** The expiry after a renewal. */
  expiresAt?: Date | undefined
  /** The code that is good now, where the registrar makes codes itself. */
  authCode?: string | undefined
}

/** What is asked of a registrar before a name is sold or renewed (RFC 8748). */
export interface FeeCheck {
  available: boolean
  /** Why it is not available, in the registrar's words. */
  reason: string | null
  premium: boolean
  /** Of one year, where the registrar says it. */
  register: Fee | null
  renew: Fee | null
}

/** Something that the registrar says of its own accord. */
export interface RegistrarMessage {
  id: string
  domain: string | null
  kind: 'transfer' | 'other'
  text: string
  queuedAt: Date | null
}

export interface CallOptions {
  signal: AbortSignal
  /** Names the call at the registrar: `clTRID` in EPP. Helper calls have a suffix of their own. */
  reference: string
  /**
   * A stranger's question, who waits only so many milliseconds for its turn: it is asked after all others, or not at all.
   * Where it is absent, the call waits until the signal aborts.
   */
  patienceMs?: number
}

/**
 * Whether the domain may be without a status that protected it, because an operation removed that to make its change. It is
 * kept with the operation, so that whichever attempt comes next puts the status back.
 */
export interface Protection {
  readonly isRemoved: boolean
  /** Rejects with `NotPerformed` where another instance has the operation by now. */
  remember(isRemoved: boolean): Promise<void>
}

export interface PerformOptions extends CallOptions {
  protection: Protection
}

/** Nothing has reached the registrar, or it said that it did nothing and may be asked again. */
export class NotPerformed extends Error {}

/** The command was sent, and no whole and right response to it came: it may have taken effect. */
export class ResponseLost extends Error {}

/** The registrar rejected the command: a repeat would meet the same. */
export class RegistrarRejected extends Error {
  /** The result code of the registrar, such as `2304`. */
  readonly code: string
  /** What it adds to its words, if anything. */
  readonly reason: string | null

  constructor(code: string, message: string, reason: string | null = null) {
    super(message)
    this.code = code
    this.reason = reason
  }
}

export const TEST_STEPS = ['connect', 'tls', 'greeting', 'login'] as const

/** Where a test of a connection ended. */
export class TestFailed extends Error {
  readonly step: (typeof TEST_STEPS)[number]

  constructor(step: TestFailed['step'], message: string) {
    super(message)
    this.step = step
  }
}

/**
 * An account at a registrar. Every call ends by itself within the configured time, with `NotPerformed`,
 * `ResponseLost` or `RegistrarRejected` where it brings nothing.
 */
export interface RegistrarConnection {
  /** What it can do, as far as the server has said by now. */
  readonly capabilities: readonly RegistrarCapability[]
  /** Connects and signs in; the server's name for itself. Rejects with `TestFailed`. */
  test(signal: AbortSignal): Promise<{ server: string }>
  /** Null when the domain is not in this account. */
  info(domain: string, options: CallOptions): Promise<RegistrarDomain | null>
  /** Performs a command. What is so already, such as a lock, is performed too. */
  perform(
    domain: string,
    command: RegistrarCommand,
    options: PerformOptions,
  ): Promise<CommandResult>
  /** Absent without `check_fees`. */
  checkFees?(domain: string, options: CallOptions): Promise<FeeCheck>
  /** The oldest message that is not acknowledged, or null. Absent without `poll`. */
  poll?(options: CallOptions): Promise<RegistrarMessage | null>
  acknowledge?(messageId: string, options: CallOptions): Promise<void>
  close(): Promise<void>
}

export interface DriverContext {
  http: GuardedHttp
  clock: Clock
  log: Log
  /** Whether a connection may lead to this machine, as it may while `BASE_URL` does. */
  allowLoopback: boolean
}

/** A kind of registrar connection. Nothing outside a driver asks which one it is. */
export interface RegistrarDriver {
  id: DriverId
  /** Its name, for people. */
  label: string
  /** What its connections can do at most. */
  capabilities: readonly RegistrarCapability[]
  /** Checks the form of a configuration, which always has `tlds`. */
  config: z.ZodType<{ tlds: string[] }>
  /** @param config as `config` made it */
  open(config: unknown, context: DriverContext): RegistrarConnection
}

/** A driver, with the types of its own configuration. */
export function registrarDriver<Config extends { tlds: string[] }>(
  driver: Omit<RegistrarDriver, 'config' | 'open'> & {
    config: z.ZodType<Config>
    open(config: Config, context: DriverContext): RegistrarConnection
  },
): RegistrarDriver {
  return { ...driver, open: (config, context) => driver.open(config as Config, context) }
}

/** The top-level domains whose names a connection is asked for. */
export const tldsField = z
  .array(tldField)
  .min(1, 'must name at least one top-level domain')
  .max(2_000)

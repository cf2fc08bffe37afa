import {
  acknowledgeMessage,
  checkDomain,
  createEppClient,
  type DomainInfo,
  type EppClient,
  FEE,
  infoDomain,
  pollMessage,
  ResponseLost,
} from 'domain-marketplace-epp-client'
import {
  type CallOptions,
  type CommandResult,
  type DriverContext,
  type FeeCheck,
  type PerformOptions,
  type RegistrarCapability,
  type RegistrarCommand,
  type RegistrarConnection,
  type RegistrarDomain,
  type RegistrarMessage,
  registrarDriver,
} from './driver.ts'
import { performCommand } from './epp-commands.ts'
import { EppConfig } from './epp-config.ts'
import { isOneOf, translated, translatedTest } from './epp-errors.ts'

const CAPABILITIES: readonly RegistrarCapability[] = [
  'info',
  'check_fees',
  'poll',
  'renew',
  'lock',
  'unlock',
  'set_nameservers',
  'set_auth_code',
  'clear_auth_code',
]
const MAX_FRAME_BYTES = 1024 * 1024
/** There is none, or it is another registrar's (RFC 5730, section 3). */
const NOT_OURS = [2303, 2201]

/**
 * A registry, or a registrar that speaks as one, by EPP (RFC 5730 to 5734; grace periods of RFC 3915, DNSSEC of
 * RFC 5910, fees of RFC 8748, codes as in RFC 9154). EPP has neither accounts to push into nor privacy.
 */
export const eppDriver = registrarDriver({
  id: 'epp',
  label: 'EPP',
  capabilities: CAPABILITIES,
  config: EppConfig,
  open: (config, context) => new EppConnection(config, context),
})

class EppConnection implements RegistrarConnection {
  readonly #client: EppClient
  readonly #sponsor: string
  readonly #context: DriverContext

  constructor(config: EppConfig, context: DriverContext) {
    const { host, port, user, password, tls } = config
    this.#context = context
    this.#sponsor = (config.client_id ?? user).toLowerCase()
    this.#client = createEppClient({
      host,
      port,
      user,
      password,
      tls,
      reach: context.allowLoopback ? 'private' : 'public',
      maxFrameBytes: MAX_FRAME_BYTES,
      loginTimeoutMs: config.login_timeout_ms,
      commandTimeoutMs: config.command_timeout_ms,
    })
  }

  get capabilities(): readonly RegistrarCapability[] {
    const { greeting } = this.#client
    const hasFees = !greeting || greeting.extensions.includes(FEE)
    return hasFees ? CAPABILITIES : CAPABILITIES.filter((each) => each !== 'check_fees')
  }

  async test(signal: AbortSignal): Promise<{ server: string }> {
    const reference = `test-${this.#context.clock.now().getTime()}`
    return await translatedTest(this.#client.reconnect({ reference, signal }))
  }

  async info(domain: string, call: CallOptions): Promise<RegistrarDomain | null> {
    const info = await translated(this.#ownDomain(domain, call))
    return info && viewDomain(info)
  }

  async perform(
    domain: string,
    command: RegistrarCommand,
    call: PerformOptions,
  ): Promise<CommandResult> {
    const context = {
      client: this.#client,
      read: (call: CallOptions) => this.#ownDomain(domain, call),
    }
    return await translated(performCommand(context, domain, command, call))
  }

  async checkFees(domain: string, call: CallOptions): Promise<FeeCheck> {
    const check = await translated(checkDomain(this.#client, domain, { years: 1 }, call))
    const { isAvailable, isPremium, reason, create, renew } = check
    return { available: isAvailable, reason, premium: isPremium, register: create, renew }
  }

  async poll(call: CallOptions): Promise<RegistrarMessage | null> {
    const message = await translated(pollMessage(this.#client, call))
    if (!message) return null
    const { id, text, queuedAt, domain, data } = message
    return { id, text, queuedAt, domain, kind: data === 'trnData' ? 'transfer' : 'other' }
  }

  async acknowledge(messageId: string, call: CallOptions): Promise<void> {
    await translated(acknowledgeMessage(this.#client, messageId, call))
  }

  async close(): Promise<void> {
    await this.#client.close()
  }

  async #ownDomain(domain: string, call: CallOptions): Promise<DomainInfo | null> {
    try {
      const info = await infoDomain(this.#client, domain, call).catch((error: unknown) => {
        // Asking again changes nothing, and the session may have ended while nobody used it.
        if (error instanceof ResponseLost) return infoDomain(this.#client, domain, call)
        throw error
      })
      return info.sponsor.toLowerCase() === this.#sponsor ? info : null
    } catch (error) {
      if (isOneOf(error, NOT_OURS)) return null
      throw error
    }
  }
}

function viewDomain({
  expiresAt,
  statuses,
  graceStatuses,
  nameservers,
}: DomainInfo): RegistrarDomain {
  return {
    expiresAt,
    locked: statuses.includes('clientTransferProhibited'),
    privacy: null,
    nameservers,
    hostsZone: null,
    statuses: [...statuses, ...graceStatuses],
  }
}

import { z } from 'zod'
import {
  type CallOptions,
  type CommandResult,
  type DriverContext,
  NotPerformed,
  type RegistrarCapability,
  type RegistrarCommand,
  type RegistrarConnection,
  type RegistrarDomain,
  RegistrarRejected,
  registrarDriver,
} from './driver.ts'
import { DynadotZone } from './dynadot-zone.ts'
import { httpConfig, parsed, RegistrarHttp, testHttp } from './http-registrar.ts'

/** Accounts without a bulk level have one request a second. */
const Config = httpConfig({
  baseUrl: 'https://api.dynadot.com',
  requestsPerMinute: 60,
}).extend({
  /** Signs requests to the newer of its two APIs, the only one that changes a single DNS record. */
  api_secret: z.string().min(1).max(1_000).optional(),
})

const CAPABILITIES: readonly RegistrarCapability[] = [
  'info',
  'renew',
  'lock',
  'unlock',
  'set_nameservers',
  'set_privacy',
  'set_auth_code',
  'clear_auth_code',
]
const ALL_CAPABILITIES: readonly RegistrarCapability[] = [...CAPABILITIES, 'set_for_sale']
/** The other kinds are parking, forwarding and name servers elsewhere. */
const OWN_DNS = 'Dynadot DNS'

/** Numbers come as text or as numbers, after the command. */
const Result = z.object({
  ResponseCode: z.coerce.number(),
  Status: z.string().nullish(),
  Error: z.string().nullish(),
})
const InfoResult = z.object({
  DomainInfo: z.object({
    Expiration: z.coerce.number().nullish(),
    Locked: z.string().nullish(),
    Privacy: z.string().nullish(),
    Status: z.string().nullish(),
    NameServerSettings: z
      .object({
        Type: z.string().nullish(),
        NameServers: z.array(z.object({ ServerName: z.string().nullish() })).nullish(),
      })
      .nullish(),
  }),
})
const RenewResult = z.object({ Expiration: z.coerce.number() })
const CodeResult = z.object({ AuthCode: z.string().min(1) })

/** It did nothing, and may be asked again. */
const BUSY = /busy|too many/i
/** Where the account has no such domain. */
const NOT_OURS = /could not find domain|not (?:found|belong)|no such domain/i

/**
 * Dynadot, by its public API (https://www.dynadot.com/domain/api-commands). A push is not among what it can do here:
 * the other account has to accept it, and nothing says whether it did. It makes transfer codes itself, and unlocks a
 * domain only together with one. DNS records are set by its REST API, with the account's API secret.
 */
export const dynadotDriver = registrarDriver({
  id: 'dynadot',
  label: 'Dynadot',
  capabilities: ALL_CAPABILITIES,
  config: Config,
  open: (config, context) => new Dynadot(config, context),
})

class Dynadot implements RegistrarConnection {
  readonly capabilities: readonly RegistrarCapability[]
  readonly #key: string
  readonly #http: RegistrarHttp
  /** Null without the API secret. */
  readonly #zone: DynadotZone | null

  constructor(config: z.output<typeof Config>, context: DriverContext) {
    const { api_key, api_secret, base_url } = config
    this.#key = api_key
    this.#http = new RegistrarHttp(config, context)
    const isSigned = api_secret !== undefined
    this.#zone = isSigned ? new DynadotZone(this.#http, base_url, api_key, api_secret) : null
    this.capabilities = isSigned ? ALL_CAPABILITIES : CAPABILITIES
  }

  async test(signal: AbortSignal): Promise<{ server: string }> {
    const read = () =>
      this.#read('list_domain', { count_per_page: '1', page_index: '1' }, { signal })
    return await testHttp(this.#http, read)
  }

  async info(domain: string, call: CallOptions): Promise<RegistrarDomain | null> {
    const result = await this.#read('domain_info', { domain }, call).catch((error: unknown) => {
      if (error instanceof RegistrarRejected && NOT_OURS.test(error.message)) return null
      throw error
    })
    if (result === null) return null
    const { DomainInfo } = parsed(InfoResult, result)
    const { Expiration, Locked, Privacy, Status, NameServerSettings } = DomainInfo
    return {
      expiresAt: Expiration ? new Date(Expiration) : null,
      locked: Locked ? isYes(Locked) : null,
      privacy: Privacy ? !/^(?:none|off|no)$/i.test(Privacy) : null,
      nameservers: (NameServerSettings?.NameServers ?? []).flatMap(({ ServerName }) =>
        ServerName ? [ServerName.toLowerCase()] : [],
      ),
      hostsZone: NameServerSettings?.Type ? NameServerSettings.Type === OWN_DNS : null,
      statuses: Status ? [Status] : [],
    }
  }

  async perform(
    domain: string,
    command: RegistrarCommand,
    call: CallOptions,
  ): Promise<CommandResult> {
    switch (command.op) {
      case 'renew':
        return await this.#renew(domain, command, call)
      case 'lock':
        await this.#change('lock_domain', { domain }, call)
        return {}
      case 'unlock':
        await this.#unlock(domain, call)
        return {}
      case 'set_nameservers':
        await this.#setNameservers(domain, command.nameservers, call)
        return {}
      case 'set_privacy': {
        const option = command.enabled ? 'full' : 'off'
        const yes = command.enabled ? 'yes' : 'no'
        await this.#change('set_privacy', { domain, option, whois_privacy_option: yes }, call)
        return {}
      }
      case 'set_auth_code': {
        const options = { domain, new_code: '1', unlock_domain_for_transfer: '1' }
        const result = await this.#change('get_transfer_auth_code', options, call)
        return { authCode: parsed(CodeResult, result).AuthCode }
      }
      case 'clear_auth_code':
        // A domain always has a code there: a new one that nobody reads is as good as none.
        await this.#change('get_transfer_auth_code', { domain, new_code: '1' }, call)
        await this.#change('lock_domain', { domain }, call)
        return {}
      case 'set_for_sale':
        if (!this.#zone) throw new RegistrarRejected('no_secret', 'It needs the API secret.')
        await this.#zone.setForSale(domain, command, call)
        return {}
      default:
        throw new RegistrarRejected(
          'push',
          'The other account has to accept a push, which this driver cannot follow.',
        )
    }
  }

  async close(): Promise<void> {}

  /** Its API does not say what a renewal costs, so no limit holds. */
  async #renew(
    domain: string,
    { years, expiresAt }: Extract<RegistrarCommand, { op: 'renew' }>,
    call: CallOptions,
  ): Promise<CommandResult> {
    const before = await this.info(domain, call)
    if (!before) throw new RegistrarRejected('not_found', `${domain} is not in the account.`)
    if (expiresAt && before.expiresAt && before.expiresAt > expiresAt) {
      return { expiresAt: before.expiresAt }
    }
    // The registrar rejects it when the domain expires in another year by then.
    const year = before.expiresAt ? { year: String(before.expiresAt.getUTCFullYear()) } : {}
    const options = { domain, duration: String(years), ...year }
    const result = await this.#change('renew', options, call)
    return { expiresAt: new Date(parsed(RenewResult, result).Expiration) }
  }

  async #unlock(domain: string, call: CallOptions): Promise<void> {
    const found = await this.info(domain, call)
    if (found?.locked === false) return
    const options = { domain, unlock_domain_for_transfer: '1' }
    await this.#change('get_transfer_auth_code', options, call)
  }

  async #setNameservers(
    domain: string,
    hosts: readonly string[],
    call: CallOptions,
  ): Promise<void> {
    if (hosts.length === 0) {
      const options = { domain, service: 'nameservers' }
      await this.#change('set_clear_domain_setting', options, call)
      return
    }
    const servers = Object.fromEntries(hosts.map((host, index) => [`ns${index}`, host]))
    await this.#change('set_ns', { domain, ...servers }, call)
  }

  #read(command: string, options: Record<string, string>, call: Pick<CallOptions, 'signal'>) {
    return this.#call(command, options, call, false)
  }

  #change(command: string, options: Record<string, string>, call: CallOptions) {
    return this.#call(command, options, call, true)
  }

  /** What is in the one object of a response. */
  async #call(
    command: string,
    options: Record<string, string>,
    call: Pick<CallOptions, 'signal'>,
    changes: boolean,
  ): Promise<unknown> {
    const query = new URLSearchParams({ key: this.#key, command, ...options })
    const request = { method: 'GET', path: `/api3.json?${query}`, changes }
    const { body } = await this.#http.send(request, call)
    const [content] = Object.values(parsed(z.record(z.string(), z.unknown()), body ?? {}))
    const { ResponseCode, Status, Error: error } = parsed(Result, content)
    if (ResponseCode === 0) return content
    if (Status && BUSY.test(Status)) throw new NotPerformed('The registrar is busy.')
    throw new RegistrarRejected(
      String(ResponseCode),
      error ?? Status ?? 'The registrar rejected it.',
    )
  }
}

function isYes(text: string): boolean {
  return text.toLowerCase() === 'yes'
}

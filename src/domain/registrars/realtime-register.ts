import { z } from 'zod'
import { newAuthCode } from './auth-code.ts'
import {
  type CallOptions,
  type CommandResult,
  type DriverContext,
  type FeeCheck,
  NotPerformed,
  REGISTRAR_OPS,
  type RegistrarCapability,
  type RegistrarCommand,
  type RegistrarConnection,
  type RegistrarDomain,
  type RegistrarMessage,
  RegistrarRejected,
  registrarDriver,
} from './driver.ts'
import { assertWithin } from './fee-limit.ts'
import type { ForSaleCommand } from './for-sale-command.ts'
import { httpConfig, type JsonResponse, parsed, RegistrarHttp, testHttp } from './http-registrar.ts'
import {
  CheckBody,
  DomainBody,
  DomainsBody,
  ErrorBody,
  PollBody,
  ProcessBody,
  QuoteBody,
} from './realtime-register-bodies.ts'
import { waitForProcess, waitForRenewal } from './realtime-register-processes.ts'
import { setForSaleInZone } from './realtime-register-zone.ts'

const Config = httpConfig({
  baseUrl: 'https://api.yoursrs.com/v2',
  requestsPerMinute: 600,
}).extend({
  customer: z.string().regex(/^[\w-]{1,64}$/, 'must be the customer handle of your account'),
})

const CAPABILITIES: readonly RegistrarCapability[] = [
  ...REGISTRAR_OPS,
  'info',
  'check_fees',
  'poll',
]

const LOCK = 'CLIENT_TRANSFER_PROHIBITED'
const MONTHS_A_YEAR = 12
const NOT_THERE = 'ObjectDoesNotExist'
/** The status of a response that begins a process. */
const ACCEPTED = 202

/** Realtime Register, by its public REST API (https://dm.realtimeregister.com/docs/api). */
export const realtimeRegisterDriver = registrarDriver({
  id: 'realtime-register',
  label: 'Realtime Register',
  capabilities: CAPABILITIES,
  config: Config,
  open: (config, context) => new RealtimeRegister(config, context),
})

class RealtimeRegister implements RegistrarConnection {
  readonly capabilities = CAPABILITIES
  readonly #config: z.output<typeof Config>
  readonly #http: RegistrarHttp

  constructor(config: z.output<typeof Config>, context: DriverContext) {
    this.#config = config
    this.#http = new RegistrarHttp(config, context)
  }

  async test(signal: AbortSignal): Promise<{ server: string }> {
    return await testHttp(this.#http, async () =>
      parsed(DomainsBody, await this.#get('/domains?limit=1', { signal })),
    )
  }

  async info(domain: string, call: CallOptions): Promise<RegistrarDomain | null> {
    const found = await this.#read(domain, call)
    if (!found) return null
    const { expiryDate, status, privacyProtect, ns, zone } = found
    return {
      expiresAt: new Date(expiryDate),
      locked: status.includes(LOCK),
      privacy: privacyProtect,
      nameservers: ns.map((host) => host.toLowerCase()),
      hostsZone: typeof zone?.id === 'number',
      statuses: status,
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
      case 'unlock':
        await this.#setLocked(domain, command.op === 'lock', {}, call)
        return {}
      case 'set_nameservers':
        await this.#update(domain, { ns: command.nameservers }, call)
        return {}
      case 'set_privacy':
        await this.#update(domain, { privacyProtect: command.enabled }, call)
        return {}
      case 'set_auth_code':
        await this.#setLocked(domain, false, { authcode: command.authCode }, call)
        return {}
      case 'clear_auth_code':
        // A domain always has a code there: one that nobody knows is as good as none.
        await this.#setLocked(domain, true, { authcode: newAuthCode() }, call)
        return {}
      case 'set_for_sale':
        await this.#setForSale(domain, command, call)
        return {}
      default:
        await this.#change(`/domains/${domain}/transfer/push`, { recipient: command.account }, call)
        return {}
    }
  }

  async checkFees(domain: string, call: CallOptions): Promise<FeeCheck> {
    const body = await this.#get(`/domains/${domain}/check?renewPrice=true`, call)
    const { available, reason, premium, price, renewPrice, currency } = parsed(CheckBody, body)
    const fee = (cents: number | null | undefined) =>
      typeof cents === 'number' && currency ? { cents, currency } : null
    return {
      available,
      reason: reason ?? null,
      premium,
      register: fee(price),
      renew: fee(renewPrice),
    }
  }

  async poll(call: CallOptions): Promise<RegistrarMessage | null> {
    const body = await this.#get(`/customers/${this.#config.customer}/notifications/poll`, call)
    const { notification } = parsed(PollBody, body)
    if (!notification) return null
    const { id, message, eventType, notificationType, fireDate, payload } = notification
    const named = notification.domainName ?? payload?.domainName
    const isTransfer = /transfer/i.test(`${eventType} ${notificationType}`)
    return {
      id: String(id),
      domain: typeof named === 'string' ? named.toLowerCase() : null,
      kind: isTransfer ? 'transfer' : 'other',
      text: message,
      queuedAt: fireDate ? new Date(fireDate) : null,
    }
  }

  async acknowledge(messageId: string, call: CallOptions): Promise<void> {
    const path = `/customers/${this.#config.customer}/notifications/${messageId}/ack`
    // What is acknowledged is gone: a repeat changes nothing.
    const response = await this.#http.send(this.#request('POST', path, {}, false), call)
    if (response.status !== 404) assertAccepted(response)
  }

  async close(): Promise<void> {}

  async #renew(
    domain: string,
    { years, expiresAt, maxFee }: Extract<RegistrarCommand, { op: 'renew' }>,
    call: CallOptions,
  ): Promise<CommandResult> {
    await waitForRenewal(domain, this.#reading(call))
    const before = await this.#mustRead(domain, call)
    // Its API has no expiry to renew from, so a repeat looks whether it was renewed.
    if (expiresAt && before.expiresAt && before.expiresAt > expiresAt) {
      return { expiresAt: before.expiresAt }
    }
    const path = `/domains/${domain}/renew`
    const period = years * MONTHS_A_YEAR
    if (maxFee) {
      const request = this.#request('POST', `${path}?quote=true`, { period }, false)
      const { quote } = parsed(QuoteBody, assertAccepted(await this.#http.send(request, call)))
      // Without a currency it costs nothing.
      const { total, currency = maxFee.currency } = quote
      const isPremium = currency !== maxFee.currency && (await this.checkFees(domain, call)).premium
      assertWithin(maxFee, { cents: total, currency }, isPremium)
    }
    await this.#change(path, { period }, call)
    const after = await this.info(domain, call).catch(() => null)
    return { expiresAt: after?.expiresAt ?? undefined }
  }

  async #setLocked(
    domain: string,
    isLocked: boolean,
    more: { authcode?: string },
    call: CallOptions,
  ): Promise<void> {
    const { statuses } = await this.#mustRead(domain, call)
    // The whole list is sent; only the client's own statuses can be changed.
    const own = statuses.filter((status) => status.startsWith('CLIENT_') && status !== LOCK)
    const isSo = statuses.includes(LOCK) === isLocked
    if (isSo && more.authcode === undefined) return
    const status = isLocked ? [...own, LOCK] : own
    await this.#update(domain, { ...more, ...(!isSo && { status }) }, call)
  }

  async #setForSale(domain: string, command: ForSaleCommand, call: CallOptions): Promise<void> {
    const { ns, zone } = (await this.#read(domain, call)) ?? { ns: [], zone: null }
    await setForSaleInZone(
      {
        zoneId: zone?.id ?? null,
        nameservers: ns,
        read: (path) => this.#get(path, call),
        change: (path, body) => this.#change(path, body, call),
      },
      domain,
      command,
    )
  }

  async #mustRead(domain: string, call: CallOptions): Promise<RegistrarDomain> {
    const found = await this.info(domain, call)
    if (found) return found
    throw new RegistrarRejected(NOT_THERE, `${domain} is not in the account.`)
  }

  /** The domain in this account. */
  async #read(domain: string, call: CallOptions): Promise<z.output<typeof DomainBody> | null> {
    const body = await this.#get(`/domains/${domain}`, call)
    if (body === null) return null
    const found = parsed(DomainBody.extend({ domainName: z.literal(domain) }), body)
    return found.customer === this.#config.customer ? found : null
  }

  async #update(domain: string, change: object, call: CallOptions): Promise<void> {
    await this.#change(`/domains/${domain}/update`, change, call)
  }

  /** Starts a process, agrees to what it costs, and waits for its end. */
  async #change(path: string, body: object, call: CallOptions): Promise<void> {
    let response = await this.#http.send(this.#request('POST', path, body, true), call)
    const billables = ErrorBody.safeParse(response.body).data?.billables
    if (response.status === 400 && billables) {
      const agreed = this.#request('POST', path, { ...body, billables }, true)
      response = await this.#http.send(agreed, call)
    }
    const processId = processOf(response)
    if (processId !== undefined) await waitForProcess(String(processId), this.#reading(call))
  }

  #reading(call: CallOptions) {
    return { read: (path: string) => this.#get(path, call), signal: call.signal }
  }

  /** The body of a response; null where there is no such thing, or it is somebody else's. */
  async #get(path: string, call: Pick<CallOptions, 'signal' | 'patienceMs'>): Promise<unknown> {
    const response = await this.#http.send(this.#request('GET', path, undefined, false), call)
    const { type } = ErrorBody.safeParse(response.body).data ?? {}
    if (type === NOT_THERE || (response.status === 404 && type !== undefined)) return null
    // Not in the registrar's words: a wrong address, or something in between, knows no domain either.
    if (response.status === 404) throw new NotPerformed('The registrar has no such path.')
    return parsed(z.looseObject({}), assertAccepted(response))
  }

  #request(method: string, path: string, body: unknown, changes: boolean) {
    const headers = { authorization: `ApiKey ${this.#config.api_key}` }
    return { method, path, headers, body, changes }
  }
}

/** Its own clients read the id of a process in the header, its documentation has it in the body. */
function processOf(response: JsonResponse): string | number | undefined {
  const { status, headers } = response
  const body = assertAccepted(response)
  const inHeader = headers['x-process-id']
  if (typeof inHeader === 'string') return inHeader
  const expected = status === ACCEPTED ? ProcessBody : ProcessBody.partial()
  return parsed(expected, body).processId
}

function assertAccepted({ status, body }: JsonResponse): unknown {
  if (status < 400) return body
  const { type, message } = ErrorBody.safeParse(body).data ?? {}
  throw new RegistrarRejected(type ?? String(status), message ?? `Rejected with status ${status}.`)
}

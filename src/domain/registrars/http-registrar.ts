import { setTimeout } from 'node:timers/promises'
import { BlockedAddress, type ExchangeResponse } from 'domain-marketplace-safe-fetch'
import { z } from 'zod'
import {
  type CallOptions,
  type DriverContext,
  NotPerformed,
  RegistrarRejected,
  ResponseLost,
  TestFailed,
  tldsField,
} from './driver.ts'
import { NO_TIME, Turns } from './turns.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** Errors of a connection that was never there. */
const NOT_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]

/** What the configurations of registrars with an HTTP API have in common. */
export function httpConfig(defaults: { baseUrl: string; requestsPerMinute: number }) {
  return z.strictObject({
    tlds: tldsField,
    api_key: z.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be the API key of your account'),
    base_url: z
      .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' })
      .default(defaults.baseUrl)
      .transform((url) => url.replace(/\/+$/, '')),
    command_timeout_ms: z.int().min(1).max(60_000).default(30_000),
    requests_per_minute: z.int().min(1).max(100_000).default(defaults.requestsPerMinute),
  })
}

interface HttpConfig {
  base_url: string
  command_timeout_ms: number
  requests_per_minute: number
}

interface HttpRequest {
  method: string
  /** After the base address. No error says it, since some registrars take their keys in it. */
  path: string
  headers?: Record<string, string>
  body?: unknown
  /** Whether it takes effect: without a response to it nobody knows. */
  changes: boolean
}

export interface JsonResponse {
  status: number
  headers: ExchangeResponse['headers']
  /** Null where there is none. */
  body: unknown
}

/** Sends requests to the HTTP API of a registrar, no faster than it allows. */
export class RegistrarHttp {
  readonly #config: HttpConfig
  readonly #context: DriverContext
  readonly #turns: Turns

  constructor(config: HttpConfig, context: DriverContext) {
    this.#config = config
    this.#turns = new Turns(config.requests_per_minute)
    this.#context = context
  }

  get server(): string {
    return new URL(this.#config.base_url).host
  }

  /** A JSON response, whatever its status. Rejects with `NotPerformed` or `ResponseLost`. */
  async send(
    request: HttpRequest,
    { signal, patienceMs }: Pick<CallOptions, 'signal' | 'patienceMs'>,
  ): Promise<JsonResponse> {
    await this.#turns.take(signal, patienceMs)
    const { status, headers, body } = await this.#exchange(request, signal)
    if (status === 429) throw new NotPerformed('The registrar takes no more requests for now.')
    if (status >= 500) throw this.#lost(request, `The registrar responded with status ${status}.`)
    if (body.length === 0) return { status, headers, body: null }
    try {
      return { status, headers, body: JSON.parse(body.toString()) }
    } catch {
      if (status >= 400) return { status, headers, body: null }
      throw this.#lost(request, 'The response of the registrar is not JSON.')
    }
  }

  async #exchange(request: HttpRequest, signal: AbortSignal): Promise<ExchangeResponse> {
    const { method, path, headers = {}, body } = request
    const { base_url, command_timeout_ms } = this.#config
    const { allowLoopback, http } = this.#context
    const hasBody = body !== undefined
    const policy = { allowLoopback, allowHttp: allowLoopback }
    const contentType = hasBody ? { 'content-type': 'application/json' } : {}
    try {
      return await http.request(`${base_url}${path}`, policy, {
        method,
        headers: { accept: 'application/json', ...contentType, ...headers },
        ...(hasBody && { body: JSON.stringify(body) }),
        timeoutMs: command_timeout_ms,
        maxBodyBytes: MAX_BODY_BYTES,
        signal,
      })
    } catch (error) {
      const cause = { cause: error }
      if (error instanceof BlockedAddress) throw new NotPerformed(error.message, cause)
      const code = (error as NodeJS.ErrnoException).code ?? ''
      if (NOT_CONNECTED.includes(code) || isOfTls(error)) {
        throw new NotPerformed(`The registrar cannot be reached: ${code}.`, cause)
      }
      throw this.#lost(request, 'The connection to the registrar was lost.', cause)
    }
  }

  #lost({ changes }: HttpRequest, message: string, options?: ErrorOptions): Error {
    return changes ? new ResponseLost(message, options) : new NotPerformed(message, options)
  }
}

/** A body as the registrar's documentation has it; of any other nobody knows what it says. */
export function parsed<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const { success, data, error } = schema.safeParse(body)
  if (success) return data
  throw new ResponseLost('The response of the registrar is not what it documents.', {
    cause: error,
  })
}

/** Waits, unless the signal aborts first: nothing was sent then. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {
    throw new NotPerformed(NO_TIME)
  })
}

/** Tries a connection, and says at which step that failed. */
export async function testHttp(http: RegistrarHttp, read: () => Promise<unknown>) {
  try {
    await read()
    return { server: http.server }
  } catch (error) {
    if (error instanceof RegistrarRejected) throw new TestFailed('login', error.message)
    if (error instanceof ResponseLost) throw new TestFailed('greeting', error.message)
    if (!(error instanceof NotPerformed)) throw error
    if (isOfTls(error.cause)) throw new TestFailed('tls', error.message)
    throw new TestFailed(error.cause ? 'connect' : 'greeting', error.message)
  }
}

function isOfTls(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  return /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)
}

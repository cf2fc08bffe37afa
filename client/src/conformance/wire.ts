import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { signatureHeaders } from '../signing.ts'
import { expectThatOf, Skipped } from './expect.ts'

export interface Answer {
  /** What was called, such as `POST /orders`: below the versioned base, without its query. */
  operation: string
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The body's value, when it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: checks look into answers of every shape
  body: any
}

export interface Sent {
  method: string
  /** Exactly as it goes over the wire. */
  target: string
  headers?: Record<string, string | string[] | undefined>
  body?: Uint8Array<ArrayBuffer> | string
}

export interface Signed extends Omit<Sent, 'headers'> {
  /** Beside, or instead of, those that sign; an undefined one is left out. */
  headers?: Sent['headers']
  key?: string
  nonce?: string
  /** Spends no nonce, so that this very request may be sent again where a limit is reached. */
  isRepeatable?: boolean
  timestamp?: string
  /** How many seconds after the service's time it is signed. */
  skewS?: number
  /** Spells the signature otherwise than it should be. */
  spells?: (signature: string) => string
  /** Signs as another credential. */
  keyId?: string
  /** Signs with another secret. */
  secret?: string
  /** What is signed where it differs from what is sent. */
  signs?: Partial<{ method: string; path: string; rawQuery: string; body: string }>
}

export interface WireOptions {
  baseUrl: string
  keyId: string
  secret: string
  /** A credential of the same partner that lacks a scope, and those that it has, where we are told. */
  limited: { keyId: string; secret: string; scopes: string[] | undefined } | undefined
  accessToken: string | undefined
  replaceWebhook: boolean
}

const PARTNER_BASE = '/api/partner/v1'
const agents = {
  http: new HttpAgent({ keepAlive: true }),
  https: new HttpsAgent({ keepAlive: true }),
}
const encoder = new TextEncoder()
/** Past the longest window of a limit, which is a minute; a service that still rejects then is at fault. */
const LONGEST_WAIT_S = 65

/** What checks speak to the service with: it sends what it is told, also what no client would. */
export class Wire {
  readonly options: WireOptions
  /** Milliseconds that the service's clock is ahead of ours, to the second. */
  #skewMs = 0

  constructor(options: WireOptions) {
    this.options = options
  }

  /** Unix seconds of the service's clock. */
  now(): number {
    return Math.floor((Date.now() + this.#skewMs) / 1000)
  }

  async readClock(): Promise<void> {
    const { headers } = await this.send({ method: 'GET', target: '/api/batch' })
    const theirs = Date.parse(headers.date ?? '')
    if (Number.isFinite(theirs) && Math.abs(theirs - Date.now()) > 2_000) {
      this.#skewMs = theirs - Date.now()
    }
  }

  /**
   * One call as each credential, before all others: with a wrong secret every check would fail.
   * @throws Error that says which secret is wrong
   */
  async proveSecrets(): Promise<void> {
    const { keyId, secret, limited } = this.options
    for (const [name, credential] of [
      ['SERVICE', { keyId, secret }],
      ['SERVICE_LIMITED', limited],
    ] as const) {
      if (!credential) continue
      const answer = await this.get('/availability?domain=example.com', credential)
      const { code, details } = answer.body?.error ?? {}
      if (code !== 'invalid_signature') continue
      throw new Error(
        `${answer.operation} responded ${answer.status} ${code}: ${name}_SECRET does not belong to ` +
          `${name}_KEY_ID ${credential.keyId}, or the service computes another signature than ` +
          `signing-vectors.json. ${details?.likely_cause ?? ''}`.trimEnd(),
      )
    }
  }

  send(sent: Sent): Promise<Answer> {
    return patiently(() => this.#once(sent))
  }

  #once({ method, target, headers = {}, body }: Sent): Promise<Answer> {
    const { protocol, hostname, port } = new URL(this.options.baseUrl)
    const isSecure = protocol === 'https:'
    const given = Object.entries(headers).filter(([, value]) => value !== undefined)
    const operation = `${method} ${target.replace(`${PARTNER_BASE}/`, '/').replace(/\?.*/, '')}`
    return new Promise((resolve, fail) => {
      const reject = ({ message }: Error) => fail(new Error(`${operation}: ${message}`))
      const request = (isSecure ? httpsRequest : httpRequest)(
        {
          agent: isSecure ? agents.https : agents.http,
          hostname: hostname.replace(/^\[|\]$/g, ''),
          port,
          method,
          path: target,
          timeout: 30_000,
          headers: {
            ...(Object.fromEntries(given) as Record<string, string | string[]>),
            ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
          },
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            const { statusCode: status = 0, headers: got } = response
            resolve({ operation, status, headers: got, text, body: valueOf(text) })
          })
        },
      )
      request.on('timeout', () => request.destroy(new Error('no response within 30 s')))
      request.on('error', reject)
      request.end(body)
    })
  }

  /** @param signed.target from `/`: below the versioned base, unless it starts with `/api` */
  signed(signed: Signed): Promise<Answer> {
    return patiently(async () => {
      const answer = await this.#signedOnce(signed)
      // The nonce is spent then, and this very request cannot be sent again.
      if (answer.status === 429 && signed.nonce !== undefined && !signed.isRepeatable) {
        throw new Skipped('the rate limit was reached meanwhile')
      }
      return answer
    })
  }

  async #signedOnce(signed: Signed): Promise<Answer> {
    const target = signed.target.startsWith('/api') ? signed.target : PARTNER_BASE + signed.target
    const mark = target.indexOf('?')
    const { method, body, signs } = signed
    const signedBody = signs?.body ?? body ?? ''
    const signing = await signatureHeaders(
      {
        keyId: signed.keyId ?? this.options.keyId,
        secret: signed.secret ?? this.options.secret,
      },
      {
        method: signs?.method ?? method,
        path: signs?.path ?? (mark === -1 ? target : target.slice(0, mark)),
        rawQuery: signs?.rawQuery ?? (mark === -1 ? '' : target.slice(mark + 1)),
        timestamp: signed.timestamp ?? String(this.now() + (signed.skewS ?? 0)),
        nonce: signed.nonce ?? crypto.randomUUID(),
        body: typeof signedBody === 'string' ? encoder.encode(signedBody) : signedBody,
      },
    )
    const { 'X-Service-Signature': signature = '' } = signing
    return await this.#once({
      method,
      target,
      headers: {
        ...signing,
        ...(signed.spells && { 'X-Service-Signature': signed.spells(signature) }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(signed.key !== undefined && { 'idempotency-key': signed.key }),
        ...signed.headers,
      },
      ...(body !== undefined && { body }),
    })
  }

  get(target: string, more: Partial<Signed> = {}): Promise<Answer> {
    return this.signed({ method: 'GET', target, ...more })
  }

  post(target: string, value: object, more: Partial<Signed> = {}): Promise<Answer> {
    return this.signed({ method: 'POST', target, body: JSON.stringify(value), ...more })
  }

  put(target: string, value: object, more: Partial<Signed> = {}): Promise<Answer> {
    return this.signed({ method: 'PUT', target, body: JSON.stringify(value), ...more })
  }
}

/** Sends again what came too soon, once the service takes it: its limit is no defect. */
async function patiently(send: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await send()
    if (answer.status !== 429) return answer
    const seconds = Number(answer.headers['retry-after'] ?? Number.NaN)
    expectThatOf(answer, Number.isInteger(seconds), 'a 429 has no Retry-After in seconds')
    if (tries === 3 || seconds > LONGEST_WAIT_S) return answer
    await sleep(seconds * 1000)
  }
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

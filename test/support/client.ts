import { createHash, createHmac, randomUUID } from 'node:crypto'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'

/** A response, with its body as text and, when it is JSON, as a value. */
export interface Result {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every shape
  body: any
}

export interface SendOptions {
  method: string
  /** The request target exactly as it goes over the wire. */
  target: string
  headers?: Record<string, string | string[]>
  body?: string | Uint8Array
}

const agent = new Agent({ keepAlive: true, maxSockets: 128 })

/** Sends a request as it is: nothing is normalised, joined or added. */
export function send(baseUrl: string, options: SendOptions): Promise<Result> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        agent,
        hostname,
        port,
        method: options.method,
        path: options.target,
        headers: {
          ...options.headers,
          ...(options.body !== undefined && {
            'content-length': String(Buffer.byteLength(options.body)),
          }),
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: parsed(text),
          })
        })
      },
    )
    request.on('error', reject)
    request.end(options.body)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface CredentialSecret {
  key_id: string
  secret: string
}

export interface CallOptions {
  /** Sent as Idempotency-Key; POST gets a fresh one unless null is given. */
  key?: string | null
  headers?: Record<string, string | string[]>
  nonce?: string
  /** Unix seconds. */
  timestamp?: string
  /** What is signed instead of the canonical string of the request. */
  canonical?: (canonical: string) => string
}

/**
 * A partner's own client, written from the specification and not from our library: signs and sends.
 * Targets given without a query are signed as they are; queries must be written canonically.
 */
export class PartnerClient {
  readonly #baseUrl: string
  readonly #now: () => Date
  readonly credential: CredentialSecret
  readonly partner_id: string

  constructor(
    baseUrl: string,
    now: () => Date,
    credential: CredentialSecret & { partner_id: string },
  ) {
    this.#baseUrl = baseUrl
    this.#now = now
    this.credential = credential
    this.partner_id = credential.partner_id
  }

  get(path: string, options?: CallOptions): Promise<Result> {
    return this.call('GET', path, undefined, options)
  }

  post(path: string, body?: unknown, options?: CallOptions): Promise<Result> {
    return this.call('POST', path, body ?? {}, options)
  }

  put(path: string, body: unknown, options?: CallOptions): Promise<Result> {
    return this.call('PUT', path, body, options)
  }

  delete(path: string, options?: CallOptions): Promise<Result> {
    return this.call('DELETE', path, undefined, options)
  }

  /** @param path relative to /api/partner/v1, or absolute from /api */
  call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Result> {
    const target = path.startsWith('/api') ? path : `/api/partner/v1${path}`
    const bytes =
      typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body)
    const key = options.key === undefined && method === 'POST' ? randomUUID() : options.key
    return send(this.#baseUrl, {
      method,
      target,
      headers: {
        ...this.sign(method, target, bytes ?? '', options),
        ...(bytes !== undefined && { 'content-type': 'application/json' }),
        ...(typeof key === 'string' && { 'idempotency-key': key }),
        ...options.headers,
      },
      ...(bytes !== undefined && { body: bytes }),
    })
  }

  sign(
    method: string,
    target: string,
    body: string,
    options: CallOptions = {},
  ): Record<string, string> {
    const timestamp = options.timestamp ?? String(Math.floor(this.#now().getTime() / 1000))
    const nonce = options.nonce ?? randomUUID()
    const mark = target.indexOf('?')
    const path = mark === -1 ? target : target.slice(0, mark)
    const query = mark === -1 ? '' : target.slice(mark + 1)
    const hash = createHash('sha256')
      .update(method === 'GET' ? '' : body)
      .digest('hex')
    const canonical = [method, path, query, timestamp, nonce, hash].join('\n')
    const signed = options.canonical ? options.canonical(canonical) : canonical
    return {
      'x-service-key-id': this.credential.key_id,
      'x-service-timestamp': timestamp,
      'x-service-nonce': nonce,
      'x-service-signature': `v1=${createHmac('sha256', this.credential.secret).update(signed).digest('hex')}`,
    }
  }
}

import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  method: string
  url: URL
  headers: IncomingMessage['headers']
  /** The body as it was sent, and what it says. */
  text: string
  body: any
}

/** What a request gets; `lost`: the connection breaks, before or after the effect. */
export interface Reply {
  status: number
  body: unknown
}

type Fault = { does: 'before' | 'after' } | { does: 'reply'; reply: Reply }

/** The HTTP API of a registrar, played by a test. */
export class HttpRegistrarServer {
  /** What happens to the next requests that change something. */
  readonly faults: Fault[] = []
  readonly performed: string[] = []
  readonly #isChange: (received: Received) => boolean
  readonly #respond: (received: Received) => Reply
  #server: Server | undefined
  #port = 0

  constructor(isChange: (received: Received) => boolean, respond: (received: Received) => Reply) {
    this.#isChange = isChange
    this.#respond = respond
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      request.on('end', () => {
        const received: Received = {
          method: request.method ?? '',
          url: new URL(request.url ?? '', this.baseUrl),
          headers: request.headers,
          text,
          body: text === '' ? undefined : JSON.parse(text),
        }
        const fault = this.#isChange(received) ? this.faults.shift() : undefined
        const isLost = fault?.does === 'before' || fault?.does === 'after'
        const hasEffect = fault?.does !== 'before' && fault?.does !== 'reply'
        const played = fault?.does === 'reply' ? fault.reply : { status: 500, body: null }
        const reply = hasEffect ? this.#respond(received) : played
        if (isLost) {
          request.socket.destroy()
          return
        }
        response.writeHead(reply.status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(reply.body))
      })
    })
    await new Promise<void>((resolve) => {
      server.listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
    return this
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    server?.closeAllConnections()
    await new Promise<void>((resolve) => {
      if (server) server.close(() => resolve())
      else resolve()
    })
  }
}

/** A domain of the account. */
export interface HttpDomain {
  expiresAt: Date
  locked: boolean
  privacy: boolean
  nameservers: string[]
  authCode: string
}

export function httpDomains(names: readonly string[]): Map<string, HttpDomain> {
  return new Map(
    names.map((name) => [
      name,
      {
        expiresAt: new Date(Date.UTC(2027, 5, 1)),
        locked: false,
        privacy: false,
        nameservers: ['ns1.registrar.example'],
        authCode: 'first',
      },
    ]),
  )
}

export function addYears(domain: HttpDomain, years: number): void {
  domain.expiresAt = new Date(domain.expiresAt)
  domain.expiresAt.setUTCFullYear(domain.expiresAt.getUTCFullYear() + years)
}

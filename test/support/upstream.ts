import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { createLiveRegistry, type Upstream } from '../../src/domain/registry/live-registry.ts'
import type { TestService } from './service.ts'

type AnswerRdap = (request: IncomingMessage, response: ServerResponse) => unknown
type AnswerWhois = (socket: Socket, query: string) => unknown

/** An RDAP and a WHOIS server on loopback, and what they were asked. */
export interface UpstreamServers {
  rdapUrl: string
  /** The paths asked for. */
  rdapAsked: string[]
  whoisPort: number
  whoisAsked: string[]
  rdap(response: AnswerRdap): void
  whois(response: AnswerWhois): void
  close(): Promise<void>
}

export async function startUpstream(): Promise<UpstreamServers> {
  const sockets = new Set<Socket>()
  let onRdap: AnswerRdap = (_request, response) => response.writeHead(404).end()
  let onWhois: AnswerWhois = (socket) => socket.end('')
  const rdapAsked: string[] = []
  const whoisAsked: string[] = []
  const http = createServer((request, response) => {
    rdapAsked.push(request.url ?? '')
    response.on('error', () => {})
    onRdap(request, response)
  })
  const tcp = createTcpServer((socket) => {
    socket.on('error', () => {})
    let query = ''
    socket.on('data', (chunk) => {
      query += chunk
      if (!query.endsWith('\r\n')) return
      whoisAsked.push(query.trim())
      onWhois(socket, query.trim())
    })
  })
  for (const server of [http, tcp]) {
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  }
  return {
    rdapUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}/rdap/`,
    rdapAsked,
    whoisPort: (tcp.address() as AddressInfo).port,
    whoisAsked,
    rdap(response) {
      onRdap = response
    },
    whois(response) {
      onWhois = response
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all(
        [http, tcp].map((server) => new Promise<unknown>((resolve) => server.close(resolve))),
      )
    },
  }
}

/**
 * Gives a service a live registry on these servers: .com has both, .org RDAP alone, .de WHOIS alone, and
 * .net neither.
 */
export function askUpstream(
  { app }: TestService,
  { rdapUrl, whoisPort }: UpstreamServers,
  more: { upstream?: Partial<Upstream>; queriesPerMinute?: number; eachMs?: number } = {},
): void {
  const { db, clock, http, log } = app
  app.registry = createLiveRegistry({
    db,
    clock,
    http,
    log,
    queriesPerMinute: more.queriesPerMinute ?? 100_000,
    upstream: {
      bootstrap: {
        publication: new Date('2026-01-01'),
        servers: new Map([
          ['com', [rdapUrl]],
          ['org', [rdapUrl]],
        ]),
      },
      whoisServers: new Map([
        ['com', { server: '127.0.0.1', query: 'domain {domain}' }],
        ['de', { server: 'localhost', query: '-T dn,ace {domain}' }],
      ]),
      whoisPort,
      allowLoopback: true,
      ...more.upstream,
    },
    deadlines: { wholeMs: 2_000, eachMs: more.eachMs ?? 600 },
  })
}

/** An RDAP response as a registry gives it (RFC 9083). */
export function rdapDomain(domain: string, more: Record<string, unknown> = {}) {
  return {
    objectClassName: 'domain',
    ldhName: domain.toUpperCase(),
    status: ['client transfer prohibited', 'active'],
    events: [
      { eventAction: 'registration', eventDate: '2001-02-03T04:05:06Z' },
      { eventAction: 'expiration', eventDate: '2031-02-03T04:05:06Z' },
      { eventAction: 'last changed', eventDate: '2025-01-02T03:04:05.678+02:00' },
    ],
    nameservers: [
      { objectClassName: 'nameserver', ldhName: 'NS1.EXAMPLE.NET.' },
      { objectClassName: 'nameserver', ldhName: 'ns2.example.net' },
    ],
    secureDNS: { delegationSigned: true },
    entities: [
      {
        objectClassName: 'entity',
        roles: ['registrar'],
        publicIds: [{ type: 'IANA Registrar ID', identifier: '9999' }],
        vcardArray: ['vcard', [['fn', {}, 'text', 'A Registrar, Inc.']]],
      },
      {
        objectClassName: 'entity',
        roles: ['registrant'],
        vcardArray: [
          'vcard',
          [
            ['fn', {}, 'text', 'Ada Lovelace'],
            ['org', {}, 'text', 'Analytical Engines Ltd'],
            ['email', {}, 'text', 'ada@engines.example'],
            ['adr', { cc: 'GB' }, 'text', ['', '', '1 Dorset St', 'London', '', 'W1', '']],
          ],
        ],
      },
    ],
    ...more,
  }
}

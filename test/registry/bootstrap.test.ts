import { readFileSync } from 'node:fs'
import { readBootstrap } from 'domain-marketplace-registry-lookup'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLiveRegistry, publicUpstream } from '../../src/domain/registry/live-registry.ts'
import { refreshBootstrap, shippedBootstrap } from '../../src/domain/registry/rdap-bootstrap.ts'
import { MINUTE, SECOND } from '../../src/lib/clock.ts'
import { startService, type TestService } from '../support/service.ts'
import { rdapDomain, startUpstream, type UpstreamServers } from '../support/upstream.ts'

const shipped = readFileSync(
  new URL('../../registries/rdap-bootstrap.json', import.meta.url),
  'utf8',
)

let service: TestService
let upstream: UpstreamServers
beforeAll(async () => {
  service = await startService()
  upstream = await startUpstream()
})
afterAll(async () => {
  await upstream.close()
  await service.stop()
})
beforeEach(() => {
  upstream.rdapAsked.length = 0
})

const refresh = () =>
  refreshBootstrap(service.app, { url: `${upstream.rdapUrl}dns.json`, allowLoopback: true })
const serve = (text: string, status = 200) =>
  upstream.rdap((_request, response) => response.writeHead(status).end(text))

describe("IANA's list of RDAP servers", () => {
  test('ships with the service, with its date', () => {
    const { publication, servers } = shippedBootstrap()
    expect(publication.getTime()).toBeGreaterThan(Date.parse('2026-01-01'))
    expect(servers.size).toBeGreaterThan(1_150)
    expect(servers.get('com')).toEqual(['https://rdap.verisign.com/com/v1/'])
    expect([...servers.values()].flat().every((url) => url.endsWith('/'))).toBe(true)
  })

  test('has servers over TLS first, and none that is no base URL', () => {
    const { servers } = readBootstrap(
      JSON.stringify({
        publication: '2026-01-01T00:00:00Z',
        services: [
          [
            ['a', 'B'],
            ['http://a.example/', 'https://a.example/'],
          ],
          [['c'], ['ftp://c.example/', 'https://user@c.example/', 'https://c.example/x', 'c', '/']],
        ],
      }),
    )
    expect(servers.get('a')).toEqual(['https://a.example/', 'http://a.example/'])
    expect(servers.get('b')).toEqual(servers.get('a'))
    expect(servers.has('c')).toBe(false)
  })

  test('leads to public servers only', () => {
    expect(publicUpstream()).toMatchObject({ allowLoopback: false, whoisPort: 43 })
  })
})

describe('refreshing the list', () => {
  test.each([
    ['no JSON', 'not JSON'],
    ['a list cut off', shipped.slice(0, shipped.length / 2)],
    ['another shape', '{"publication":"2026-10-01T00:00:00Z","services":{}}'],
    [
      'too few names',
      '{"publication":"2026-10-01T00:00:00Z","services":[[["com"],["https://a.example/"]]]}',
    ],
    [
      'a list from the future',
      shipped.replace(/"publication": "[^"]*"/, '"publication": "2199-01-01T00:00:00Z"'),
    ],
    ['too much', `${' '.repeat(3 * 1024 ** 2)}${shipped}`],
  ])('refuses %s', async (_what, text) => {
    serve(text)
    await expect(refresh()).rejects.toThrow()
    expect(await service.app.db.selectFrom('rdap_bootstrap').selectAll().execute()).toEqual([])
  })

  test('rejects another status, and redirects', async () => {
    serve(shipped, 404)
    await expect(refresh()).rejects.toThrow('404')
    upstream.rdap((_request, response) => response.writeHead(302, { location: '/other' }).end())
    await expect(refresh()).rejects.toThrow('302')
    expect(upstream.rdapAsked).toHaveLength(2)
  })

  test('a newer list is kept, and asked by from then on', async () => {
    const { db, clock, http, log } = service.app
    const registry = createLiveRegistry({
      db,
      clock,
      http,
      log,
      queriesPerMinute: 100,
      upstream: {
        bootstrap: shippedBootstrap(),
        whoisServers: new Map(),
        whoisPort: 43,
        allowLoopback: true,
      },
      deadlines: { wholeMs: 1_000, eachMs: 1_000 },
    })
    // No registry is asked about .al by RDAP yet.
    expect((await registry.lookup('acme.al')).state).toBe('unknown')

    const newer = shipped
      .replace(/"publication": "[^"]*"/, '"publication": "2026-10-01T00:00:00Z"')
      .replace('"services": [', `"services": [[["al"], ["${upstream.rdapUrl}"]],`)
    serve(newer)
    await refresh()
    await refresh()
    const rows = await db.selectFrom('rdap_bootstrap').select('publication').execute()
    expect(rows.map(({ publication }) => publication.toISOString())).toEqual([
      '2026-10-01T00:00:00.000Z',
    ])

    upstream.rdap((_request, response) => response.end(JSON.stringify(rdapDomain('acme.al'))))
    service.clock.advance(10 * MINUTE + SECOND)
    expect(await registry.lookup('acme.al')).toMatchObject({ state: 'registered', source: 'rdap' })
    await registry.close()
  })
})

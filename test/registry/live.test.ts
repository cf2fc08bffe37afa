import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createUpstreamLimits } from '../../packages/registry-lookup/src/upstream-limits.ts'
import { checkTransfers } from '../../src/domain/orders/check-transfers.ts'
import { HOUR, MINUTE, SECOND } from '../../src/lib/clock.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { must, offer, operate } from '../support/market.ts'
import { sell } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'
import {
  askUpstream,
  rdapDomain,
  startUpstream,
  type UpstreamServers,
} from '../support/upstream.ts'

let service: TestService
let upstream: UpstreamServers
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  upstream = await startUpstream()
  askUpstream(service, upstream)
})
afterEach(async () => {
  await service.app.registry.close()
  await upstream.close()
})

async function whois(domain: string) {
  const response = await service.send({
    method: 'POST',
    target: '/api/tools/whois',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ domain }),
  })
  expect(response.status, response.text).toBe(200)
  return response.body
}

let lastName = 0
/** A name that no test has asked for. */
function fresh(tld: string): string {
  lastName += 1
  return `name-${lastName}.${tld}`
}

function answerRdap(more: Record<string, unknown> = {}, status = 200): void {
  upstream.rdap((request, response) => {
    const domain = request.url?.split('/').at(-1) ?? ''
    response.writeHead(status, { 'content-type': 'application/rdap+json' })
    response.end(JSON.stringify(rdapDomain(domain, more)))
  })
}

const DE =
  'Domain: {domain}\nNserver: ns1.example.de\nNserver: ns2.example.de\nStatus: connect\nChanged: 2020-05-06T07:08:09+02:00\n'

function answerWhois(text: string): void {
  upstream.whois((socket, query) =>
    socket.end(text.replaceAll('{domain}', query.split(' ').at(-1) ?? '')),
  )
}

describe('by RDAP', () => {
  test('returns what the registry says, and no person', async () => {
    answerRdap()
    const domain = fresh('com')
    expect(await whois(domain)).toEqual({
      domain,
      registered: true,
      registrar: { name: 'A Registrar, Inc.', iana_id: '9999' },
      registrant: { organization: 'Analytical Engines Ltd', country: 'GB', redacted: true },
      created_at: '2001-02-03T04:05:06.000Z',
      updated_at: '2025-01-02T01:04:05.000Z',
      expires_at: '2031-02-03T04:05:06.000Z',
      status: ['clientTransferProhibited', 'ok'],
      nameservers: ['ns1.example.net', 'ns2.example.net'],
      dnssec: true,
      source: 'rdap',
      checked_at: expect.any(String),
    })
    expect(upstream.rdapAsked).toEqual([`/rdap/domain/${domain}`])
    expect(upstream.whoisAsked).toEqual([])
  })

  test('a 404 says that the name is free', async () => {
    expect(await whois(fresh('com'))).toMatchObject({
      registered: false,
      registrar: null,
      source: 'rdap',
    })
  })

  test('asks for the registered name of one below it', async () => {
    answerRdap()
    const domain = fresh('com')
    expect(await whois(`a.b.${domain}`)).toMatchObject({ domain, registered: true })
    expect(upstream.rdapAsked).toEqual([`/rdap/domain/${domain}`])
  })

  test('no name below a free one is free', async () => {
    const domain = fresh('com')
    const { state } = await service.app.registry.lookup(`www.${domain}`)
    expect(state).toBe('unknown')
    expect((await service.app.registry.lookup(domain)).state).toBe('available')
  })

  test('an individual registrant is not named, not even as an organisation', async () => {
    const vcard = [
      ['fn', {}, 'text', 'Ada Lovelace'],
      ['kind', {}, 'text', 'individual'],
      ['org', {}, 'text', 'Ada Lovelace'],
    ]
    answerRdap({ entities: [{ roles: ['registrant'], vcardArray: ['vcard', vcard] }] })
    expect((await whois(fresh('org'))).registrant).toEqual({
      organization: null,
      country: null,
      redacted: true,
    })
  })
})

async function search(q: string, from = '203.0.113.7') {
  const response = await service.send({
    method: 'POST',
    target: '/api/domain/search',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ q }),
  })
  expect(response.status, response.text).toBe(200)
  return response.body.results[0]
}

describe('what nobody can have at the usual price', () => {
  const notFound = (words: object) =>
    upstream.rdap((_request, response) => {
      response.writeHead(404, { 'content-type': 'application/rdap+json' })
      response.end(JSON.stringify({ errorCode: 404, ...words }))
    })

  test.each([
    [{ title: 'Not Found', description: ['This name is reserved by the registry.'] }, 'reserved'],
    [{ title: 'Reserved name', description: 'Not available for registration' }, 'reserved'],
    [{ title: 'Not Found', description: ['The domain is a premium name.'] }, 'premium'],
    [{ title: 'Not Found', description: ['example.com not found. All rights reserved.'] }, null],
    [{ title: 'Object not found', description: [] }, null],
  ])('a 404 says so: %o', async (words, state) => {
    notFound(words)
    const result = await search(fresh('com'))
    expect(result).toMatchObject({
      state: state ?? 'available',
      available: state !== 'reserved',
    })
    if (state === null) expect(result).not.toHaveProperty('reason')
    else expect(result.reason).toMatch(/reserved|premium/i)
    expect(result.registration_price_cents === null).toBe(state !== null)
  })

  test('by WHOIS, in a line of its own', async () => {
    answerWhois('% Terms: the use of reserved data is restricted.\nThis name is reserved.\n')
    const domain = fresh('de')
    expect(await search(domain)).toMatchObject({
      state: 'reserved',
      reason: 'This name is reserved.',
    })
    expect(await whois(domain)).toMatchObject({ registered: false })
  })

  test('a name that is connected without name servers is registered', async () => {
    answerWhois('Domain: {domain}\nStatus: connect\n')
    expect(await whois(fresh('de'))).toMatchObject({ registered: true, status: ['connect'] })
  })

  test('a registrar that is connected says what a premium name costs, and what is reserved', async () => {
    await service.admin('POST', '/registrars', {
      name: 'fees',
      driver: 'manual',
      config: { tlds: ['com'] },
    })
    const { registrars, settings } = service.app
    const checks = new Map<string, object>()
    const byId = registrars.byId
    const registry = settings.registry
    settings.registry = 'live'
    registrars.byId = async (id) => {
      const open = await byId(id)
      const connection = {
        capabilities: ['check_fees'],
        checkFees: async (domain: string) => checks.get(domain),
      }
      return open && ({ ...open, connection } as never)
    }
    try {
      const [premium, reserved, plain] = [fresh('com'), fresh('com'), fresh('com')]
      const usual = { available: true, reason: null, premium: false, register: null, renew: null }
      const register = { cents: 250_000, currency: 'USD' }
      checks.set(premium, { ...usual, premium: true, register })
      checks.set(reserved, { ...usual, available: false, reason: 'Reserved by policy' })
      checks.set(plain, usual)
      expect(await search(premium)).toMatchObject({
        state: 'premium',
        available: true,
        registration_price_cents: 250_000,
        currency: 'USD',
      })
      expect(await search(reserved)).toMatchObject({
        state: 'reserved',
        available: false,
        reason: 'Reserved by policy',
        registration_price_cents: null,
      })
      expect(await search(plain)).toMatchObject({ state: 'available' })
    } finally {
      registrars.byId = byId
      settings.registry = registry
    }
  })
})

describe('by WHOIS', () => {
  test('responds for a top-level domain without RDAP', async () => {
    answerWhois(DE)
    const domain = fresh('de')
    expect(await whois(domain)).toMatchObject({
      domain,
      registered: true,
      updated_at: '2020-05-06T05:08:09.000Z',
      nameservers: ['ns1.example.de', 'ns2.example.de'],
      status: ['connect'],
      source: 'whois',
    })
    expect(upstream.whoisAsked).toEqual([`-T dn,ace ${domain}`])
  })

  test('says that a name is free', async () => {
    answerWhois('Domain: {domain}\nStatus: free\n')
    expect(await whois(fresh('de'))).toMatchObject({ registered: false, source: 'whois' })
  })

  test('comes after RDAP has failed', async () => {
    upstream.rdap((_request, response) => response.writeHead(500).end('oops'))
    answerWhois('Domain Name: {domain}\nRegistrar: A Registrar\nCreation Date: 2001-02-03\n')
    expect(await whois(fresh('com'))).toMatchObject({
      registered: true,
      registrar: { name: 'A Registrar', iana_id: null },
      created_at: '2001-02-03T00:00:00.000Z',
      source: 'whois',
    })
    expect(upstream.rdapAsked).toHaveLength(1)
  })
})

describe('the responses', () => {
  test('are kept in the database, each kind for its time', async () => {
    answerRdap()
    const [taken, free, failed] = [fresh('com'), fresh('com'), fresh('org')]
    const first = await whois(taken)
    upstream.rdap((_request, response) => response.writeHead(404).end())
    await whois(free)
    upstream.rdap((_request, response) => response.writeHead(503).end())
    expect((await whois(failed)).registered).toBeNull()

    upstream.rdapAsked.length = 0
    expect(await whois(taken)).toEqual(first)
    expect((await whois(free)).registered).toBe(false)
    expect((await whois(failed)).registered).toBeNull()
    expect(upstream.rdapAsked).toEqual([])

    answerRdap()
    service.clock.advance(MINUTE + SECOND)
    expect((await whois(failed)).registered).toBe(true)
    expect((await whois(free)).registered).toBe(false)
    service.clock.advance(5 * MINUTE)
    expect((await whois(free)).registered).toBe(true)
    expect((await whois(taken)).checked_at).toBe(first.checked_at)
    service.clock.advance(6 * HOUR)
    const later = await whois(taken)
    expect(later.checked_at).not.toBe(first.checked_at)
    // The new response is kept in place of the one that is over.
    expect(await whois(taken)).toEqual(later)
  })

  test('to many at once come from one question', async () => {
    upstream.rdap((request, response) => {
      const domain = request.url?.split('/').at(-1) ?? ''
      setTimeout(() => response.end(JSON.stringify(rdapDomain(domain))), 100)
    })
    const domain = fresh('com')
    const responses = await Promise.all(Array.from({ length: 30 }, () => whois(domain)))
    expect(responses.every(({ registered }) => registered === true)).toBe(true)
    expect(upstream.rdapAsked).toHaveLength(1)
  })

  test('reach the others when one caller leaves', async () => {
    upstream.rdap((request, response) => {
      const domain = request.url?.split('/').at(-1) ?? ''
      setTimeout(() => response.end(JSON.stringify(rdapDomain(domain))), 150)
    })
    const domain = fresh('com')
    const leaving = service.app.registry.lookup(domain, AbortSignal.timeout(20))
    const staying = service.app.registry.lookup(domain)
    await expect(leaving).rejects.toThrow(/timeout/i)
    expect((await staying).state).toBe('registered')
    expect(upstream.rdapAsked).toHaveLength(1)
  })
})

describe('a server', () => {
  test('is asked by one client for a quarter of what it allows, and by others for the rest', async () => {
    const limits = createUpstreamLimits(120, service.app.clock)
    const asked = async (client: string | undefined, times: number) => {
      const now = AbortSignal.abort()
      const taken = Array.from({ length: times }, () => limits.take('rdap.example', client, now))
      return (await Promise.all(taken)).filter(Boolean).length
    }
    expect(await asked('one', 60)).toBe(30)
    expect(await asked('two', 60)).toBe(30)
    expect(await asked(undefined, 120)).toBe(60)
    service.clock.advance(MINUTE + SECOND)
    expect(await asked('one', 60)).toBe(30)
  })

  test('has questions wait for their turn: who has used least goes first, and who leaves loses theirs', async () => {
    const limits = createUpstreamLimits(60, service.app.clock)
    const leaving = new AbortController()
    const granted: string[] = []
    const ask = async (client: string, signal = new AbortController().signal) => {
      if (await limits.take('rdap.example', client, signal)) granted.push(client)
    }
    await Promise.all(Array.from({ length: 15 }, () => ask('greedy')))
    await Promise.all(Array.from({ length: 45 }, (_, index) => ask(`other ${index % 5}`)))
    expect(granted.splice(0)).toHaveLength(60)
    const waiting = [ask('greedy'), ask('greedy'), ask('modest'), ask('gone', leaving.signal)]
    leaving.abort()
    await waiting[3]
    expect(granted).toEqual([])
    service.clock.advance(1_100)
    await waiting[2]
    expect(granted).toEqual(['modest'])
    service.clock.advance(8_000)
    await Promise.all(waiting)
    expect(granted).toEqual(['modest', 'greedy', 'greedy'])
  })

  test('is asked for nobody at once, while a client waits for its own share', async () => {
    const limits = createUpstreamLimits(120, service.app.clock)
    const leaving = new AbortController()
    const take = (client?: string) => limits.take('rdap.example', client, leaving.signal)
    await Promise.all(Array.from({ length: 30 }, () => take('greedy')))
    const waiting = take('greedy')
    const taken = await Promise.all(Array.from({ length: 90 }, () => take()))
    expect(taken.filter(Boolean).length).toBeGreaterThan(85)
    leaving.abort()
    await waiting
  })

  test('that wants to be left alone keeps nobody waiting', async () => {
    const limits = createUpstreamLimits(1, service.app.clock)
    const { signal } = new AbortController()
    const take = (client?: string) => limits.take('rdap.example', client, signal)
    expect(await take('one')).toBe(true)
    expect(await take()).toBe(false)
    const waiting = take('one')
    limits.backOff('rdap.example', MINUTE)
    expect(await waiting).toBe(false)
    expect(await take('one')).toBe(false)
  })

  test('is asked for a search that waits its turn', async () => {
    askUpstream(service, upstream, { queriesPerMinute: 1 })
    await whois(fresh('org'))
    const waiting = whois(fresh('org'))
    await new Promise((resolve) => setTimeout(resolve, 150))
    service.clock.advance(MINUTE)
    expect((await waiting).registered).toBe(false)
  })

  test('is asked no more often than allowed, and asked again later', async () => {
    askUpstream(service, upstream, { queriesPerMinute: 3 })
    const names = Array.from({ length: 5 }, () => fresh('org'))
    const responses = []
    for (const name of names) responses.push((await whois(name)).registered)
    expect(responses).toEqual([false, false, false, null, null])
    service.clock.advance(MINUTE + SECOND)
    expect((await whois(names[4] ?? '')).registered).toBe(false)
  })

  test('that could not be asked is asked as soon as it can: nothing is kept of not asking', async () => {
    askUpstream(service, upstream, { queriesPerMinute: 1 })
    const late = fresh('org')
    await whois(fresh('org'))
    service.clock.advance(50 * SECOND)
    expect((await whois(late)).registered).toBeNull()
    service.clock.advance(11 * SECOND)
    expect((await whois(late)).registered).toBe(false)
  })

  test('that asks to be left alone is', async () => {
    upstream.rdap((_request, response) => response.writeHead(429, { 'retry-after': '120' }).end())
    expect((await whois(fresh('org'))).registered).toBeNull()
    expect((await whois(fresh('org'))).registered).toBeNull()
    expect(upstream.rdapAsked).toHaveLength(1)
    answerRdap()
    service.clock.advance(115 * SECOND)
    expect((await whois(fresh('org'))).registered).toBeNull()
    service.clock.advance(6 * SECOND)
    expect((await whois(fresh('org'))).registered).toBe(true)
  })

  test('that asks to be left alone for days is asked again after an hour', async () => {
    upstream.rdap((_request, response) =>
      response.writeHead(429, { 'retry-after': '864000' }).end(),
    )
    expect((await whois(fresh('org'))).registered).toBeNull()
    answerRdap()
    service.clock.advance(59 * MINUTE)
    expect((await whois(fresh('org'))).registered).toBeNull()
    service.clock.advance(2 * MINUTE)
    expect((await whois(fresh('org'))).registered).toBe(true)
  })

  test('is one of two at most, however many are named for a top-level domain', async () => {
    const bases = ['a', 'b', 'c'].map((place) => `${upstream.rdapUrl}${place}/`)
    const bootstrap = { publication: new Date(), servers: new Map([['org', bases]]) }
    askUpstream(service, upstream, { upstream: { bootstrap } })
    upstream.rdap((_request, response) => response.writeHead(500).end())
    const domain = fresh('org')
    expect((await whois(domain)).registered).toBeNull()
    expect(upstream.rdapAsked).toEqual([`/rdap/a/domain/${domain}`, `/rdap/b/domain/${domain}`])
  })

  test('that says it is asked too much, or rejects us, is left alone for a while', async () => {
    upstream.rdap((_request, response) => response.writeHead(429).end())
    answerWhois('Queries are blocked: quota exceeded.')
    for (const tld of ['org', 'org', 'de', 'de']) {
      expect((await whois(fresh(tld))).registered).toBeNull()
    }
    expect(upstream.rdapAsked).toHaveLength(1)
    expect(upstream.whoisAsked).toHaveLength(1)
    answerWhois(DE)
    service.clock.advance(2 * MINUTE)
    expect((await whois(fresh('de'))).registered).toBeNull()
    service.clock.advance(4 * MINUTE)
    expect((await whois(fresh('de'))).registered).toBe(true)
  })

  test('is not there for every top-level domain', async () => {
    expect(await whois(fresh('net'))).toMatchObject({ registered: null, status: [] })
  })
})

describe('what is away or hostile', () => {
  const unknown = { registered: null, registrar: null, nameservers: [] }

  test.each<[string, Parameters<UpstreamServers['rdap']>[0]]>([
    [
      'a redirect to another address',
      (_q, r) => r.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    ],
    [
      'a redirect to its own address',
      (q, r) => r.writeHead(301, { location: `/rdap/2${q.url}` }).end(),
    ],
    [
      'a body without end',
      (_q, r) => {
        r.writeHead(200)
        const more = () => {
          while (r.write(' '.repeat(65_536)));
          r.once('drain', more)
        }
        more()
      },
    ],
    [
      'a body that drips',
      (_q, r) => {
        r.writeHead(200)
        const timer = setInterval(() => r.write(' '), 50)
        r.on('close', () => clearInterval(timer))
      },
    ],
    ['silence', () => {}],
    ['a connection cut', (_q, r) => r.destroy()],
    [
      'half a body',
      (_q, r) => {
        r.writeHead(200, { 'content-length': '100' })
        r.write('{')
        setTimeout(() => r.destroy(), 20)
      },
    ],
    ['no JSON', (_q, r) => r.end('<html>not found</html>')],
    ['binary', (_q, r) => r.end(Buffer.from(Array.from({ length: 999 }, (_, at) => at % 256)))],
    ['deep JSON', (_q, r) => r.end('['.repeat(100_000) + ']'.repeat(100_000))],
    [
      'deep JSON in a field',
      (_q, r) =>
        r.end(
          `{"objectClassName":"domain","entities":${'[{"a":'.repeat(30_000)}1${'}]'.repeat(30_000)}}`,
        ),
    ],
    ['null', (_q, r) => r.end('null')],
    ['a number', (_q, r) => r.end('7')],
    ['an empty list', (_q, r) => r.end('[]')],
    ['an empty object', (_q, r) => r.end('{}')],
    ['an error with status 200', (_q, r) => r.end('{"errorCode":404,"title":"Not Found"}')],
    ['another name', (_q, r) => r.end(JSON.stringify(rdapDomain('other.org')))],
    [
      'another class',
      (q, r) =>
        r.end(
          JSON.stringify(rdapDomain(q.url?.split('/').at(-1) ?? '', { objectClassName: 'entity' })),
        ),
    ],
    ['no content', (_q, r) => r.writeHead(204).end()],
    ['a made-up status', (_q, r) => r.writeHead(999).end('{}')],
  ])('RDAP: %s is no response', async (_what, response) => {
    upstream.rdap(response)
    expect(await whois(fresh('org'))).toMatchObject(unknown)
    expect(upstream.rdapAsked).toHaveLength(1)
  })

  test.each<[string, Record<string, unknown>]>([
    [
      'numbers for lists',
      { status: 1, events: 2, nameservers: 3, entities: 4, secureDNS: 5, redacted: 6 },
    ],
    [
      'lists of wrong things',
      {
        status: [{}, 7, null],
        events: [null, 1, { eventAction: {} }],
        entities: [{ roles: 'registrar', vcardArray: {} }],
      },
    ],
    [
      'strings of wrong kinds',
      {
        events: [
          { eventAction: 'registration', eventDate: 'yesterday' },
          { eventAction: 'expiration', eventDate: '9999999-01-01' },
        ],
      },
    ],
    [
      'texts that are too long or unprintable',
      {
        entities: [
          {
            roles: ['registrar'],
            vcardArray: ['vcard', [['fn', {}, 'text', `\u0000\u202e${'x'.repeat(9_999)}`]]],
          },
        ],
      },
    ],
    [
      'a hundred thousand name servers',
      {
        nameservers: Array.from({ length: 5_000 }, (_, at) => ({ ldhName: `ns${at}.example.net` })),
      },
    ],
    [
      'name servers that are none',
      { nameservers: [{ ldhName: 'javascript:alert(1)' }, { ldhName: '../..' }, { ldhName: 7 }] },
    ],
    ['prototype keys', JSON.parse('{"__proto__": {"status": ["x"]}, "constructor": 1}')],
  ])('RDAP: %s are left out of the answer', async (_what, more) => {
    answerRdap(more)
    const body = await whois(fresh('org'))
    expect(body.registered).toBe(true)
    expect(body.nameservers.length).toBeLessThanOrEqual(30)
    expect(body.registrar?.name?.length ?? 0).toBeLessThanOrEqual(200)
    expect(JSON.stringify(body)).not.toMatch(/\\u0000|\u202e|javascript|\.\./)
  })

  test.each<[string, Parameters<UpstreamServers['whois']>[0]]>([
    ['nothing', (socket) => socket.end()],
    ['silence', () => {}],
    ['a reset', (socket) => socket.resetAndDestroy()],
    [
      'text without end',
      (socket) => {
        const more = () => {
          while (socket.write('Registrar: x\n'.repeat(5_000)));
          socket.once('drain', more)
        }
        more()
      },
    ],
    [
      'text that drips',
      (socket) => {
        const timer = setInterval(() => socket.write('x'), 50)
        socket.on('close', () => clearInterval(timer))
      },
    ],
    [
      'binary',
      (socket) => socket.end(Buffer.from(Array.from({ length: 9_999 }, (_, at) => (at * 7) % 256))),
    ],
    [
      'a refusal',
      (socket) => socket.end('Queries from your address are not permitted: rate limit exceeded.\n'),
    ],
    ['empty lines', (socket) => socket.end('\n'.repeat(60_000))],
    ['colons', (socket) => socket.end(': '.repeat(30_000))],
    [
      'labels of objects',
      (socket) => socket.end('__proto__: x\nconstructor: y\ntoString: z\nhasOwnProperty: 1\n'),
    ],
    [
      'prose',
      (socket) =>
        socket.end('Welcome. If a name was not found here, or does not exist, ask again.\n'),
    ],
    ['another name', (socket) => socket.end(DE.replace('{domain}', 'other.de'))],
  ])('WHOIS: %s is no response', async (_what, response) => {
    upstream.whois(response)
    expect(await whois(fresh('de'))).toMatchObject(unknown)
    expect(upstream.whoisAsked).toHaveLength(1)
  })

  test('no more is read of a response than may be', async () => {
    const sent: Promise<number>[] = []
    const flood = (socket: Socket) => {
      const more = () => {
        while (socket.write(' '.repeat(65_536)));
        socket.once('drain', more)
      }
      sent.push(new Promise((resolve) => socket.once('close', () => resolve(socket.bytesWritten))))
      more()
    }
    upstream.rdap((_request, response) => {
      response.writeHead(200)
      response.flushHeaders()
      if (response.socket) flood(response.socket)
    })
    upstream.whois(flood)
    askUpstream(service, upstream, { eachMs: 1_500 })
    expect(await whois(fresh('com'))).toMatchObject(unknown)
    // What lies in buffers of the system is on top of what was read.
    for (const bytes of await Promise.all(sent)) expect(bytes).toBeLessThan(32 * 1024 ** 2)
    expect(sent).toHaveLength(2)
  })

  test('WHOIS: a referral is not followed', async () => {
    const other = await startUpstream()
    const referral = `Registrar WHOIS Server: 127.0.0.1:${other.whoisPort}\nReferralServer: whois://127.0.0.1:${other.whoisPort}\nRegistrar URL: ${other.rdapUrl}\n`
    answerWhois(`${DE}${referral}`)
    expect((await whois(fresh('de'))).registered).toBe(true)
    expect(other.whoisAsked).toEqual([])
    expect(other.rdapAsked).toEqual([])
    await other.close()
  })

  test('RDAP: a link is not followed', async () => {
    const other = await startUpstream()
    const links = ['related', 'self', 'entity', 'registrar'].map((rel) => ({
      rel,
      type: 'application/rdap+json',
      href: rel === 'related' ? `${upstream.rdapUrl}domain/related` : other.rdapUrl,
    }))
    answerRdap({ links, port43: `127.0.0.1:${other.whoisPort}` })
    expect((await whois(fresh('com'))).registered).toBe(true)
    expect(upstream.rdapAsked).toHaveLength(1)
    expect(other.rdapAsked).toEqual([])
    await other.close()
  })

  test('servers on this machine are reached by tests only', async () => {
    askUpstream(service, upstream, { upstream: { allowLoopback: false } })
    answerRdap()
    answerWhois(DE)
    expect(await whois(fresh('com'))).toMatchObject(unknown)
    expect(await whois(fresh('de'))).toMatchObject(unknown)
    expect(upstream.rdapAsked).toEqual([])
    expect(upstream.whoisAsked).toEqual([])
  })

  test('a question ends in time, whatever the servers do', async () => {
    upstream.rdap(() => {})
    upstream.whois(() => {})
    askUpstream(service, upstream, { eachMs: 60_000 })
    expect(await whois(fresh('com'))).toMatchObject(unknown)
  })

  test('closing ends what is asked', async () => {
    upstream.rdap(() => {})
    askUpstream(service, upstream, { eachMs: 60_000 })
    const asked = service.app.registry.lookup(fresh('org'))
    await expect.poll(() => upstream.rdapAsked.length).toBe(1)
    const started = Date.now()
    await service.app.registry.close()
    expect((await asked).state).toBe('unknown')
    expect(Date.now() - started).toBeLessThan(1_000)
  })
})

describe('for the transfer of an order', () => {
  let live: TestService
  beforeAll(async () => {
    live = await startService({ settings: { registry: 'live' } })
    await holdJobs(live, checkTransfers)
  })
  beforeEach(() => askUpstream(live, upstream))
  afterEach(() => live.app.registry.close())
  afterAll(() => live.stop())

  test('the registry is asked anew, whatever it said before', async () => {
    const says = (identifier: string) => {
      const publicIds = [{ type: 'IANA Registrar ID', identifier }]
      answerRdap({ entities: [{ objectClassName: 'entity', roles: ['registrar'], publicIds }] })
    }
    says('9999')
    const domain = fresh('com')
    await offer(live, 'live', [domain])
    const partner = await live.partner({ environment: 'live' })
    const id = must(await sell(partner, domain), 201).body.public_id
    await live.app.registry.lookup(domain)
    says('292')
    must(await live.admin('POST', `/orders/${id}/clear`, { reason: 'It is ours.' }), 200)
    await operate(live, id, 'start')
    must(await live.admin('POST', `/orders/${id}/code`, { code: 'Secret-4711' }), 200)
    const shown = async () => must(await live.admin('GET', `/orders/${id}`), 200).body
    expect((await shown()).transfer.registrar.iana_id).toBe('292')
    says('146')
    const { registrar } = must(await live.admin('GET', `/orders/${id}/registry`), 200).body
    expect(registrar.iana_id).toBe('146')
    says('299')
    await checkTransfers.run(live.app, new AbortController().signal)
    const { status, transfer } = await shown()
    expect(status).toBe('TRANSFER_COMPLETED')
    expect(transfer.proof).toMatchObject({ source: 'registry', registrar_iana_id: '299' })
  })
})

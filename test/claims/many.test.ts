import { setMaxListeners } from 'node:events'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { checkClaims } from '../../src/domain/domains/check-claims.ts'
import type { RegistryResult } from '../../src/domain/registry/registry.ts'
import { DnsServer } from '../support/dns-server.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { must } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { registered } from '../support/registered.ts'
import { startService, type TestService } from '../support/service.ts'
import { askUpstream, rdapDomain, startUpstream } from '../support/upstream.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

let dns: DnsServer
let service: TestService
let big: Reader
let small: Reader
beforeAll(async () => {
  dns = await DnsServer.start()
  service = await startService({
    settings: { registry: 'live', dnsServers: [dns.address], registryQueriesPerMinute: 40 },
  })
  await holdJobs(service, checkClaims)
  const known = Array.from({ length: 60 }, (_, index) => `known-${index}.org`)
  big = await reader('big@example.com', known)
  small = await reader('small@example.com', ['later.org'])
})
afterAll(async () => {
  await service.stop()
  await dns.stop()
})
beforeEach(() => vi.restoreAllMocks())

async function reader(email: string, domains: string[]): Promise<Reader> {
  await makeUser(service, email, domains)
  const { token } = must(await service.admin('POST', '/user-tokens', { email }), 201).body
  return readerOf(() => service, token)
}

async function runJob(): Promise<void> {
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  await checkClaims.run(service.app, signal)
}

async function claim(who: Reader, ...domains: string[]) {
  return must(await who.post('/api/domains/claims', { domains }), 200).body.claims
}

async function checkedSince(moment: Date, like: string): Promise<number> {
  const rows = await service.app.db
    .selectFrom('claims')
    .select('domain')
    .where('domain', 'like', like)
    .where('checked_at', '>=', moment)
    .execute()
  return rows.length
}

async function statusOf(who: Reader, domain: string): Promise<string | undefined> {
  const { claims } = must(await who.get('/api/domains/claims?limit=100'), 200).body
  return claims.find((each: { domain: string }) => each.domain === domain)?.status
}

test('many proven claims of one user keep those of another from no registry', async () => {
  const upstream = await startUpstream()
  upstream.rdap((request, response) =>
    response.end(JSON.stringify(rdapDomain(request.url?.split('/').at(-1) ?? ''))),
  )
  askUpstream(service, upstream, { queriesPerMinute: 40 })
  const startedAt = service.app.clock.now()
  await runJob()
  // Three quarters of what the registry may be asked in a minute.
  expect(upstream.rdapAsked).toHaveLength(30)
  expect(upstream.rdapAsked).toContain('/rdap/domain/later.org')
  expect(await checkedSince(startedAt, 'known-%')).toBe(29)
  await runJob()
  expect(await checkedSince(startedAt, 'known-%')).toBe(59)
  await service.app.registry.close()
  await upstream.close()
})

test('many claims of one user that are not proven keep those of another waiting for none of them', async () => {
  const many = Array.from({ length: 600 }, (_, index) => `open-${index}.com`)
  await claim(big, ...many)
  const [{ txt }] = await claim(small, 'modest.com')
  dns.txt.set(txt.name, [[txt.value]])
  const startedAt = service.app.clock.now()
  vi.spyOn(service.app.registry, 'lookup').mockImplementation(async () => {
    // The run is over, after what it is at.
    service.clock.advance(2 * MINUTE)
    return registered()
  })
  await runJob()
  expect(await statusOf(small, 'modest.com')).toBe('verified')
  expect(await checkedSince(startedAt, 'open-%')).toBe(499)
})

test('a claim that is not proven waits for none that is', async () => {
  service.clock.advance(2 * DAY)
  const [{ txt }] = await claim(small, 'first.com')
  dns.txt.set(txt.name, [[txt.value]])
  let goOn = () => {}
  const hanging = new Promise<RegistryResult>((resolve) => {
    goOn = () => resolve(registered())
  })
  vi.spyOn(service.app.registry, 'lookup').mockImplementation(async (domain) =>
    domain === 'first.com' ? registered() : hanging,
  )
  const run = runJob()
  await expect.poll(() => statusOf(small, 'first.com'), { timeout: 20_000 }).toBe('verified')
  goOn()
  await run
})

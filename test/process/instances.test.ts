import { once } from 'node:events'
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { POSTGRES } from '../support/database.ts'
import {
  adminCall,
  cleanUp,
  clientFor,
  emptyDatabase,
  newFolder,
  printedCredential,
  type Running,
  start,
} from '../support/process.ts'
import { orderBody } from '../support/sale.ts'

const ADMIN_TOKEN = 'the-admin-token-of-this-test'
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64')

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })
const CHECK_EVERY_MS = 200
const balancers: Server[] = []
afterEach(() => {
  for (const balancer of balancers.splice(0)) {
    balancer.close()
    balancer.closeAllConnections()
  }
})
afterAll(cleanUp)

async function startInstances(count: number, settings: Record<string, string> = {}) {
  const { url } = await emptyDatabase()
  const instances: Running[] = []
  const launch = async (demo: 'on' | 'off') => {
    const instance = await start({
      DATABASE_URL: url,
      DATA_DIR: await newFolder(),
      SECRETS_KEY,
      ADMIN_TOKEN,
      DEMO_PARTNER: demo,
      DATABASE_POOL_SIZE: '8',
      LOG_LEVEL: 'error',
      ...settings,
    })
    instances.push(instance)
    return instance
  }
  const first = await launch('on')
  const credential = printedCredential(first.stdout())
  if (!credential) throw new Error('no credential was printed')
  await Promise.all(Array.from({ length: count - 1 }, () => launch('off')))
  return { instances, credential }
}

/**
 * Sends requests in turn to the instances that are ready. As deploy/haproxy.cfg does, it asks another when a
 * connection is rejected, since nothing was sent then, and repeats nothing else.
 */
async function balance(
  instances: Running[],
): Promise<{ baseUrl: string; served: Map<string, number> }> {
  let turn = 0
  let ready = instances
  const look = setInterval(async () => {
    const responses = await Promise.all(
      instances.map(({ baseUrl }) => fetch(`${baseUrl}/health/ready`).catch(() => null)),
    )
    ready = instances.filter((_, index) => responses[index]?.ok)
  }, CHECK_EVERY_MS)
  const served = new Map<string, number>()
  const balancer = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => pass(ready.length))

    function pass(left: number): void {
      turn += 1
      const { baseUrl } = ready[turn % ready.length] as Running
      const onward = httpRequest(
        baseUrl + request.url,
        { method: request.method, headers: request.headers, agent: false },
        (result) => {
          served.set(baseUrl, (served.get(baseUrl) ?? 0) + 1)
          response.writeHead(result.statusCode ?? 502, result.headers)
          result.pipe(response)
        },
      )
      onward.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED' && left > 1) pass(left - 1)
        else response.writeHead(502).end()
      })
      onward.end(Buffer.concat(chunks))
    }
  })
  balancer.once('close', () => clearInterval(look))
  balancers.push(balancer)
  balancer.listen(0, 'localhost')
  await once(balancer, 'listening')
  return { baseUrl: `http://localhost:${(balancer.address() as AddressInfo).port}`, served }
}

async function listNames(instance: Running, domains: string[]): Promise<void> {
  for (const domain of domains) {
    const csv = `domain,price_cents,floor_price_cents,currency\n${domain},129900,,USD\n`
    const response = await fetch(
      `${instance.baseUrl}/api/admin/v1/listings/import?environment=sandbox`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' },
        body: csv,
      },
    )
    expect(response.status, await response.text()).toBe(200)
  }
}

describe.skipIf(!POSTGRES).each([2, 4])('%i instances behind a load balancer', (count) => {
  test('sell each domain once, respond to repeats alike, and count together', async () => {
    const { instances, credential } = await startInstances(count, { RATE_LIMIT_PARTNER: '400' })
    const { baseUrl, served } = await balance(instances)
    const partner = clientFor({ baseUrl }, credential)
    const domains = Array.from({ length: 8 }, (_, index) => `many-${index}.test`)
    await listNames(instances[0] as Running, domains)

    // Whoever asks sees what was listed elsewhere, in searches too.
    for (const instance of instances) {
      const own = clientFor(instance, credential)
      expect((await own.get('/domains/many-3.test')).body.available).toBe(true)
      const { results } = (await own.get('/domains/search?q=many-3.test')).body
      expect(results[0].domain).toBe('many-3.test')
    }

    // Of orders for one domain at all instances at once, with one quote, one is recorded.
    for (const domain of domains) {
      const quoted = await partner.post('/quotes', { domain })
      expect(quoted.status, quoted.text).toBe(201)
      const responses = await Promise.all(
        Array.from({ length: 2 * count }, () => partner.post('/orders', orderBody(quoted.body))),
      )
      const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b)
      expect(statuses).toEqual([201, ...Array.from({ length: 2 * count - 1 }, () => 409)])
    }
    expect((await partner.get('/orders?limit=100')).body.orders).toHaveLength(domains.length)

    // A repeat meets another instance, and gets the same bytes.
    await listNames(instances[0] as Running, ['again.test'])
    const quoted = (await partner.post('/quotes', { domain: 'again.test' })).body
    const body = orderBody(quoted)
    const repeats = await Promise.all(
      Array.from({ length: 2 * count }, () => partner.post('/orders', body, { key: 'again' })),
    )
    expect(new Set(repeats.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(repeats[0]?.status).toBe(201)

    // A nonce that one has seen, all have.
    const nonce = 'seen-by-one-instance'
    const outcomes = await Promise.all(
      instances.map((instance) =>
        clientFor(instance, credential).get('/domains/again.test', { nonce }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(outcomes.filter(({ body }) => body.error?.code === 'replay_detected')).toHaveLength(
      count - 1,
    )

    // One limit for all: every response has taken one place of it.
    const left = await Promise.all(
      Array.from({ length: 4 * count }, async () =>
        Number(
          (await partner.get('/availability?domain=again.test')).headers['ratelimit-remaining'],
        ),
      ),
    )
    expect(new Set(left).size).toBe(4 * count)

    // A revocation at one is known to all with their next request.
    const revoked = await adminCall(
      instances[0] as Running,
      ADMIN_TOKEN,
      'POST',
      `/credentials/${credential.key_id}/revoke`,
    )
    expect(revoked.status, revoked.text).toBe(200)
    for (const instance of instances) {
      const { body } = await clientFor(instance, credential).get('/domains/again.test')
      expect(body.error.code).toBe('credential_not_active')
    }
    expect(served.size).toBe(count)
  })
})

describe.skipIf(!POSTGRES)('instances that are replaced one after another', () => {
  test('lose no request of those who go through the load balancer', async () => {
    const { instances, credential } = await startInstances(2, { DRAIN_SECONDS: '3' })
    const { baseUrl } = await balance(instances)
    const partner = clientFor({ baseUrl }, credential)
    const statuses = new Map<number, number>()
    let isOver = false
    const callers = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const { status } = await partner.get('/availability?domain=nobody.test')
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        // Within the limit of 600 a minute, however fast the machine is.
        await wait(200)
      }
    })
    await vi.waitUntil(() => (statuses.get(200) ?? 0) > 50, { timeout: 30_000 })
    const before = statuses.get(200) ?? 0
    const { code } = await (instances[0] as Running).stop()
    expect(code).toBe(0)
    await vi.waitUntil(() => (statuses.get(200) ?? 0) > before + 50, { timeout: 30_000 })
    isOver = true
    await Promise.all(callers)
    expect([...statuses.keys()]).toEqual([200])
  })
})

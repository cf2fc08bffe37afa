import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { POSTGRES } from '../support/database.ts'
import {
  cleanUp,
  clientFor,
  emptyDatabase,
  newFolder,
  printedCredential,
  start,
} from '../support/process.ts'
import { startProxy, through } from '../support/proxy.ts'

const RESPONSE_TIMEOUT_MS = 5_000
const FROZEN_MS = 2_000

afterAll(cleanUp)

describe.runIf(POSTGRES)('a network that swallows what is sent', () => {
  test('gets a response or a 503 within 5 s, and leaves no dead connection behind', async () => {
    const database = await emptyDatabase()
    const target = new URL(database.url)
    const proxy = await startProxy(() => ({
      host: target.hostname,
      port: Number(target.port || 5432),
    }))
    const service = await start({
      DATA_DIR: await newFolder(),
      DATABASE_URL: through(proxy, database.url),
    })
    const credential = printedCredential(service.stdout())
    if (!credential) throw new Error('no credential')
    const client = clientFor(service, credential)
    const names = (await client.get('/domains/search?q=dog')).body.results.map(
      ({ domain }: { domain: string }) => domain,
    )
    const quoteAll = () =>
      Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const startedAt = performance.now()
          const { status } = await client.post('/quotes', { domain: names[index % names.length] })
          return { status, ms: performance.now() - startedAt }
        }),
      )
    // Connections that are open and idle when it happens.
    for (const { status } of await quoteAll()) expect(status).toBe(201)

    proxy.freeze()
    const frozen = quoteAll()
    await pause(FROZEN_MS)
    proxy.open()
    const healedAt = performance.now()
    for (const { status, ms } of await frozen) {
      expect([201, 503]).toContain(status)
      expect(ms).toBeLessThan(RESPONSE_TIMEOUT_MS + 1_000)
    }
    while ((await quoteAll()).some(({ status }) => status !== 201)) await pause(50)
    expect(performance.now() - healedAt).toBeLessThan(2 * RESPONSE_TIMEOUT_MS)
    for (const { status, ms } of await quoteAll()) {
      expect(status).toBe(201)
      expect(ms).toBeLessThan(RESPONSE_TIMEOUT_MS)
    }
    expect((await service.stop()).code).toBe(0)
    proxy.close()
    await database.drop()
  }, 90_000)
})

test.runIf(POSTGRES)(
  'a database that is away once the service listens does not end the start',
  async () => {
    const database = await emptyDatabase()
    const target = new URL(database.url)
    const proxy = await startProxy(() => ({
      host: target.hostname,
      port: Number(target.port || 5432),
    }))
    let timesAway = 0
    proxy.watch({
      client(chunk) {
        if (timesAway > 0 || !chunk.includes('demo_credential')) return true
        timesAway += 1
        proxy.shut()
        setTimeout(() => proxy.open(), FROZEN_MS)
        return false
      },
    })
    const service = await start({
      DATA_DIR: await newFolder(),
      DATABASE_URL: through(proxy, database.url),
      LOG_LEVEL: 'error',
    })
    expect(timesAway).toBe(1)
    expect(printedCredential(service.stdout())).not.toBeNull()
    await service.stop()
    proxy.close()
    await database.drop()
  },
)

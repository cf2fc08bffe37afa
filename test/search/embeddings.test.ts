import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/core/settings.ts'
import { MINUTE } from '../../src/lib/clock.ts'
import type { PartnerClient } from '../support/client.ts'
import {
  type EmbeddingsServer,
  json,
  KEY,
  startEmbeddingsServer,
} from '../support/embeddings-server.ts'
import { queryOf } from '../support/inputs.ts'
import { must, offer } from '../support/market.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

const FELL_BACK = '; by the built-in lexicon, since the embeddings endpoint did not respond'
/** What fits `tulip saddle` as well by the lexicon is told apart by its vectors. */
const nearestFirst = ['tulipwalnut.test', 'tulipcopper.test']
const onPostgres = process.env.TEST_DATABASE_URL !== undefined

let endpoint: EmbeddingsServer
let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  endpoint = await startEmbeddingsServer({
    lights: ['tulip saddle', 'tulip walnut'],
    // What has nothing to do with each other, as a model may have it all the same.
    misleading: ['gallium toadstool', 'velvet paw', 'tulip bed', 'rocket yard'],
    gibberish: ['zzzzqqqq', 'zapli'],
  })
  service = await startService({ settings: { embeddings: endpoint.settings } })
  partner = await service.partner()
  await offer(service, 'sandbox', [
    'velvetpaw.test',
    'velvetpaw.shop',
    'zapli.test',
    'tulipbed.test',
    'tulipcopper.test',
    'tulipwalnut.test',
    'tulipwalnut.shop',
  ])
  await offer(service, 'live', ['tulipcopper.test', 'tulipwalnut.test', 'rocketyard.test'])
  await embedded()
})
afterAll(async () => {
  await service.stop()
  await endpoint.close()
})
afterEach(() => {
  endpoint.answer(undefined)
  // Past every rest and pause, so that each test begins with an endpoint that is asked.
  service.clock.advance(10 * MINUTE)
})

interface Result {
  domain: string
  score: number
  why: string
}

async function search(q: string, client = partner, more = {}): Promise<Result[]> {
  return must(await client.get(`/domains/search${queryOf({ q, ...more })}`), 200).body.results
}
const names = async (...question: Parameters<typeof search>) =>
  (await search(...question)).map(({ domain }) => domain)

/** The figure of a metric's line, such as `search_labels{state="waiting"}`. */
async function metric(name: string, of = service): Promise<number> {
  const { text } = await of.send({
    method: 'GET',
    target: '/metrics',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}
const fallbacks = (reason: string) => metric(`search_embedding_fallbacks_total{reason="${reason}"}`)

/** Waits until every listed label has its vector, on this instance. */
async function embedded(of = service): Promise<void> {
  await until(
    async () =>
      (await metric('search_labels{state="waiting"}', of)) === 0 &&
      (await metric('search_labels{state="embedded"}', of)) > 0,
  )
}

async function until(holds: () => Promise<boolean>, withinMs = 20_000): Promise<void> {
  for (let waited = 0; !(await holds()); waited += 100) {
    if (waited > withinMs) throw new Error('it did not come to hold')
    await sleep(100)
  }
}

describe('search by vectors', () => {
  const scoreOf = (found: Result[], domain: string) =>
    found.find((one) => one.domain === domain)?.score ?? 0

  test('puts the nearer first of names that fit as well, by a bounded bonus', async () => {
    const found = await search('tulip saddle')
    expect(found[0]?.domain).toMatch(/^tulipwalnut\./)
    const bonus = scoreOf(found, 'tulipwalnut.test') - scoreOf(found, 'tulipcopper.test')
    expect(bonus).toBeGreaterThan(0.02)
    expect(bonus).toBeLessThanOrEqual(0.1)
    expect(found[0]?.why).toBe('matches tulip')
  })

  test('reads a domain as words', async () => {
    const before = endpoint.asked.length
    await search('tulipgranite.xyz')
    expect(endpoint.asked.slice(before).map(({ input }) => input)).toEqual([['tulip granite']])
  })

  test('within the filters and the environment', async () => {
    expect(await names('tulip saddle', partner, { tld: 'shop' })).toEqual(['tulipwalnut.shop'])
    expect(await names('tulip saddle', partner, { max_price_cents: 10 })).toEqual([])
    const live = await service.partner({ environment: 'live' })
    expect(await names('tulip saddle', live)).toEqual(nearestFirst)
  })

  test('brings in nothing that the lexicon rules out, however near its vector is', async () => {
    expect(await names('gallium toadstool')).toEqual([])
    const found = await search('tulip bed')
    expect(found[0]?.domain).toBe('tulipbed.test')
    for (const { domain } of found) expect(domain).not.toMatch(/^(velvetpaw|rocketyard)/)
  })

  test('finds nothing for what is near nothing, nor letters by how they look', async () => {
    expect(await names('zzzzqqqq')).toEqual([])
    expect(await names('gallium hexafluoride toadstool')).toEqual([])
  })

  test('keeps the lexicon and its reasons', async () => {
    const [first] = await search('tulip bed')
    expect(first).toMatchObject({ domain: 'tulipbed.test', why: 'matches tulip, bed' })
  })

  test('asks for a query once, with the key, and logs neither', async () => {
    const before = endpoint.asked.length
    await search('a query that comes twice')
    await search('A query  that comes twice')
    expect(endpoint.asked.slice(before)).toMatchObject([
      {
        path: '/v1/embeddings',
        model: 'toy',
        input: ['a query that comes twice'],
        headers: { authorization: `Bearer ${KEY}` },
      },
    ])
    expect(service.logs.join('')).not.toContain(KEY)
    expect(service.logs.join('')).not.toContain('comes twice')
  })
})

describe('indexing', () => {
  test('goes on in the background, once for the same words, with its progress in the log', async () => {
    const before = endpoint.asked.length
    await offer(service, 'live', ['velvetpaw.org', 'harbourlantern.test'])
    await offer(service, 'sandbox', ['harbourlantern.shop'])
    await embedded()
    expect(endpoint.asked.slice(before).flatMap(({ input }) => input)).toEqual(['harbour lantern'])
    await until(async () =>
      service.logs.some((line) => {
        const { msg, model, waiting } = JSON.parse(line)
        return msg === 'search: labels embedded' && model === 'toy' && waiting === 0
      }),
    )
  })

  test('fits its requests to what the endpoint takes, waits while it is away, and goes on', async () => {
    endpoint.answer((response) => json(response, {}, 503))
    const many = Array.from({ length: 40 }, (_, at) => `beacon${at}copper.test`)
    await offer(service, 'sandbox', many)
    await until(async () =>
      service.logs.some((line) => JSON.parse(line).msg === 'search: labels wait to be embedded'),
    )
    expect(await metric('search_labels{state="waiting"}')).toBe(40)
    const sizes: number[] = []
    endpoint.answer((response, { input }) => {
      sizes.push(input.length)
      if (input.length > 16) json(response, { error: 'too many' }, 422)
      else {
        const vector = Array.from({ length: 256 }, () => Math.random())
        json(response, { data: input.map((_, index) => ({ index, embedding: vector })) })
      }
    })
    service.clock.advance(10 * MINUTE)
    await embedded()
    expect(Math.max(...sizes)).toBe(40)
    expect(sizes.filter((size) => size <= 16).reduce((sum, size) => sum + size, 0)).toBe(40)
  })

  test.runIf(onPostgres)('reaches another instance within seconds', async () => {
    const other = await service.another()
    await offer(service, 'live', ['tulipwalnut.shop'])
    const there = await other.partner({ environment: 'live' })
    await embedded(other)
    expect(await names('tulip saddle', there)).toEqual([
      'tulipwalnut.shop',
      'tulipwalnut.test',
      'tulipcopper.test',
    ])
  })
})

const OTHER_LENGTH = Array.from({ length: 64 }, (_, at) => at)
const AWAY: [string, string, (response: ServerResponse) => unknown][] = [
  ['answers 500', 'bad_status', (response) => json(response, { error: `no ${KEY}` }, 500)],
  ['refuses', 'refused', (response) => json(response, { error: 'bad request' }, 400)],
  [
    'redirects',
    'bad_status',
    (response) => response.writeHead(307, { location: endpoint.url }).end(),
  ],
  ['hangs up', 'unreachable', (response) => response.destroy()],
  ['is slow', 'timeout', () => {}],
  ['answers no JSON', 'bad_answer', (response) => response.end('<html>')],
  ['answers another shape', 'bad_answer', (response) => json(response, { data: [{ index: 0 }] })],
  ['answers too few', 'bad_answer', (response) => json(response, { data: [] })],
  [
    'answers another length',
    'bad_answer',
    (response) => json(response, { data: [{ index: 0, embedding: OTHER_LENGTH }] }),
  ],
  [
    'answers numbers out of range',
    'bad_answer',
    (response) =>
      json(response, { data: [{ index: 0, embedding: OTHER_LENGTH.map(() => 1e300) }] }),
  ],
  ['answers without end', 'bad_answer', (response) => response.end(Buffer.alloc(1_000_000, ' '))],
]

describe('when the endpoint is away', () => {
  test.each(AWAY)('%s: the lexicon does it, and says why', async (_, reason, respond) => {
    const before = await fallbacks(reason)
    const asked = endpoint.asked.length
    endpoint.answer(respond)
    const [first] = await search(`tulip bed ${reason}`)
    expect(first).toMatchObject({ domain: 'tulipbed.test' })
    expect(first?.why.endsWith(FELL_BACK)).toBe(true)
    expect(endpoint.asked.length).toBe(asked + 1)
    expect(await fallbacks(reason)).toBe(before + 1)
    expect(service.logs.join('')).not.toContain(KEY)
  })

  test('rests after three failures, and is asked again later', async () => {
    await search('a query that goes well')
    const before = await fallbacks('resting')
    endpoint.answer((response) => json(response, {}, 500))
    const asked = endpoint.asked.length
    for (let query = 0; query < 6; query += 1) await search(`tulip number ${query}`)
    expect(endpoint.asked.length - asked).toBe(3)
    expect(await fallbacks('resting')).toBe(before + 3)
    endpoint.answer(undefined)
    service.clock.advance(MINUTE)
    const [first] = await search('tulip bed again')
    expect(first?.why).not.toContain(FELL_BACK)
  })

  test('a late response serves anyone who asks again', async () => {
    endpoint.answer(async (response, { input }) => {
      await sleep(1_300)
      json(response, { data: input.map((_, index) => ({ index, embedding: Array(256).fill(1) })) })
    })
    expect((await search('tulip bed at dusk'))[0]?.why).toContain(FELL_BACK)
    await sleep(600)
    expect((await search('tulip bed at dusk'))[0]?.why).not.toContain(FELL_BACK)
  })
})

test('another model: its own vectors, and the lexicon until they are there', async () => {
  const other = await startEmbeddingsServer({ lights: ['tulip saddle', 'tulip walnut'] })
  other.answer((response) => json(response, {}, 503))
  const settings = { ...other.settings, model: 'newer', dimensions: 128 }
  let moved = await startService({ settings: { embeddings: settings } })
  try {
    await offer(moved, 'sandbox', ['tulipcopper.test', 'tulipwalnut.test'])
    let client = await moved.partner()
    const found = await search('tulip saddle', client)
    expect(found.slice(0, 2).map(({ domain }) => domain)).toEqual(nearestFirst.toReversed())
    expect(found[0]?.why).toBe(
      'matches tulip; by the built-in lexicon, since the embedding model is not ready yet',
    )
    other.answer(undefined)
    moved.clock.advance(10 * MINUTE)
    await embedded(moved)
    expect(other.asked.every(({ dimensions }) => dimensions === 128)).toBe(true)
    expect((await names('tulip saddle', client)).slice(0, 2)).toEqual(nearestFirst)

    settings.model = 'newest'
    moved = await moved.restart()
    client = await moved.partner()
    await embedded(moved)
    expect((await names('tulip saddle', client)).slice(0, 2)).toEqual(nearestFirst)
    const asked = other.asked.filter(({ input }) => input.includes('tulip walnut'))
    expect(asked.filter(({ model }) => model === 'newest')).toHaveLength(1)
  } finally {
    await moved.stop()
    await other.close()
  }
})

test('without an endpoint there is no job, no metric and no word of it', async () => {
  const plain = await startService()
  const client = await plain.partner()
  await offer(plain, 'sandbox', ['tulipbed.test'])
  expect((await search('tulip bed', client))[0]?.why).toBe('matches tulip, bed')
  const jobs = await plain.app.db.selectFrom('scheduled_jobs').select('name').execute()
  expect(jobs.map(({ name }) => name)).not.toContain('embed_labels')
  const { text } = await plain.send({
    method: 'GET',
    target: '/metrics',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  expect(text).not.toContain('search_embedding')
  await plain.stop()
})

describe('the settings', () => {
  const read = (variables: Record<string, string>) => readSettings(variables).embeddings

  test.each([
    ['https://host.example/v1', 'https://host.example/v1/embeddings'],
    ['http://10.0.0.5:8080/v1/', 'http://10.0.0.5:8080/v1/embeddings'],
    ['https://host.example/v1/embeddings?v=2', 'https://host.example/v1/embeddings?v=2'],
  ])('takes %s', (EMBEDDINGS_URL, url) => {
    expect(read({ EMBEDDINGS_URL, EMBEDDINGS_MODEL: 'm' })).toEqual({
      url,
      model: 'm',
      timeoutMs: 150,
    })
  })

  test.each([
    [
      { EMBEDDINGS_URL: 'https://host.example/v1' },
      'EMBEDDINGS_URL: needs EMBEDDINGS_MODEL beside it',
    ],
    [{ EMBEDDINGS_MODEL: 'm' }, 'EMBEDDINGS_MODEL: needs EMBEDDINGS_URL beside it'],
    [
      { EMBEDDINGS_KEY: KEY },
      'EMBEDDINGS_KEY: needs EMBEDDINGS_URL and EMBEDDINGS_MODEL beside it',
    ],
    [{ EMBEDDINGS_URL: 'host', EMBEDDINGS_MODEL: 'm' }, 'EMBEDDINGS_URL: must be an absolute'],
    [{ EMBEDDINGS_URL: 'http://a:b@host', EMBEDDINGS_MODEL: 'm' }, 'EMBEDDINGS_URL: must not hold'],
    [{ EMBEDDINGS_KEY: 'two words' }, 'EMBEDDINGS_KEY: must be of letters'],
    [{ EMBEDDINGS_DIMENSIONS: '4' }, 'EMBEDDINGS_DIMENSIONS'],
  ])('refuses %j', (variables, problem) => {
    expect(() => read(variables)).toThrow(problem)
  })

  test('are none by default', () => {
    expect(read({ EMBEDDINGS_URL: '' })).toBeUndefined()
  })
})

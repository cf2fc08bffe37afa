import { setTimeout as sleep } from 'node:timers/promises'
import { labelOf, lexicon, splitLabel } from 'domain-marketplace-name-search'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { judgedSet } from '../../src/domain/search/judged-set.ts'
import { MINUTE } from '../../src/lib/clock.ts'
import { type EmbeddingsServer, json, startEmbeddingsServer } from '../support/embeddings-server.ts'
import { queryOf } from '../support/inputs.ts'
import { must, offer } from '../support/market.ts'
import { Operator } from '../support/operator.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

const NOT_READY = 'by the built-in lexicon, since the embedding model is not ready yet'
const concepts = { lights: ['tulip saddle', 'tulip walnut'] }
const offered = ['tulipcopper.test', 'tulipwalnut.test']

describe('the judged set', () => {
  const { queries, names } = judgedSet()
  const lemmas = (words: string[]) => words.map((word) => lexicon().lemma(word))
  const wordsOf = (name: string) => lemmas(splitLabel(labelOf(name)))

  test('has queries of which half share no word with what fits them', () => {
    const apart = queries.filter(({ query, grades }) => {
      const own = new Set(lemmas(splitLabel(query)))
      return [...grades.keys()].flatMap(wordsOf).every((word) => !own.has(word))
    })
    expect(queries.length).toBeGreaterThanOrEqual(60)
    expect(apart.length).toBeGreaterThanOrEqual(queries.length / 2)
  })

  test('grades names for each query, and has others with its words', () => {
    for (const { query, grades } of queries) {
      expect([...grades.values()], query).toContain(2)
      const own = new Set(lemmas(splitLabel(query)))
      const misleading = names.filter(
        (name) => !grades.has(name) && wordsOf(name).some((word) => own.has(word)),
      )
      if (own.size > 1) expect(misleading, query).not.toEqual([])
    }
    for (const name of names) expect(name).toMatch(/^[a-z]+\.com$/)
  })
})

async function metricsOf(service: TestService): Promise<string[]> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  return (await service.send({ method: 'GET', target: '/metrics', headers })).text.split('\n')
}

const usedOf = async (service: TestService) =>
  (await metricsOf(service)).find((line) => line.startsWith('search_embedding_model_used{'))
const gauge = (model: string, value: number) =>
  `search_embedding_model_used{model="${model}"} ${value}`

function logged(service: TestService, message: string) {
  return service.logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message)
}
const HELPS = 'search: the embedding model helps, and is used'
const HELPS_NOT = 'search: the embedding model does not help, and is not used'
const WAITS = 'search: labels wait to be embedded'

async function until(holds: () => unknown, withinMs = 20_000): Promise<void> {
  for (let waited = 0; !(await holds()); waited += 100) {
    if (waited > withinMs) throw new Error('it did not come to hold')
    await sleep(100)
  }
}
const checked = (service: TestService) => until(() => usedOf(service))

async function search(service: TestService, q = 'tulip saddle') {
  const partner = await service.partner()
  const { body } = must(await partner.get(`/domains/search${queryOf({ q })}`), 200)
  return body.results as { domain: string; why: string }[]
}

/** The requests that have a text, of any of the names or queries here. */
const asking = (endpoint: EmbeddingsServer, ...texts: string[]) =>
  endpoint.asked.filter(({ input }) => texts.some((text) => input.includes(text)))
const [first] = judgedSet().queries
const checks = (endpoint: EmbeddingsServer) => asking(endpoint, first?.query ?? '')

/** Above the endpoint, which outlives what a test starts. */
let endpoint: EmbeddingsServer
let service: TestService

async function startWith(helps: boolean): Promise<void> {
  endpoint = await startEmbeddingsServer(concepts, { helps })
  service = await startService({ settings: { embeddings: endpoint.settings } })
  await offer(service, 'sandbox', offered)
}

async function stop(): Promise<void> {
  await service.stop()
  await endpoint.close()
}

describe('a model that does not help', () => {
  beforeAll(async () => {
    await startWith(false)
    await checked(service)
  })
  afterAll(stop)

  test('is not used, and the log says so once, with both figures', async () => {
    expect(await usedOf(service)).toBe(gauge('toy', 0))
    await sleep(3_000)
    const [line, ...others] = logged(service, HELPS_NOT)
    expect(others).toEqual([])
    expect(line).toMatchObject({
      model: 'toy',
      queries: judgedSet().queries.length,
      is_used: false,
    })
    expect(line.recall_without).toBeGreaterThan(0.3)
    expect(line.recall_with - line.recall_without).toBeLessThan(0.02)
    const lines = await metricsOf(service)
    expect(lines).toContain(`search_embedding_check_recall{with="lexicon"} ${line.recall_without}`)
    expect(lines).toContain(`search_embedding_check_recall{with="model"} ${line.recall_with}`)
  })

  test('has no labels embedded and no queries, and nothing waits', async () => {
    const found = await search(service)
    expect(found.slice(0, 2).map(({ domain }) => domain)).toEqual(offered)
    expect(found[0]?.why).toBe('matches tulip')
    await sleep(3_000)
    expect(asking(endpoint, 'tulip copper', 'tulip walnut', 'tulip saddle')).toEqual([])
    expect((await metricsOf(service)).join('\n')).not.toMatch(/^search_labels\{/m)
  })

  test('is named on the page of jobs', async () => {
    const operator = await Operator.enter(service)
    expect((await operator.visit('/operator/jobs')).text).toMatch(
      /toy is not used, since it does not help: recall@5 is 0\.\d{3} with it and 0\.\d{3} without \(\d+ of \d+ queries better, \d+ worse\)/,
    )
  })

  test('is not asked again at the next start', async () => {
    const before = checks(endpoint).length
    service = await service.restart()
    expect(await usedOf(service)).toBe(gauge('toy', 0))
    await sleep(3_000)
    expect(checks(endpoint)).toHaveLength(before)
  })

  test('is asked again with another lexicon, and under another name', async () => {
    const before = checks(endpoint).length
    await service.app.db.updateTable('embedding_checks').set({ checked_with: 'another' }).execute()
    service = await service.restart()
    await checked(service)
    expect(checks(endpoint)).toHaveLength(before + 1)
    endpoint.settings.model = 'newer'
    service = await service.restart()
    await checked(service)
    expect(
      checks(endpoint)
        .slice(before)
        .map(({ model }) => model),
    ).toEqual(['toy', 'newer'])
  })
})

describe('a model that helps', () => {
  beforeAll(() => startWith(true))
  afterEach(() => endpoint.answer(undefined))
  afterAll(stop)

  test('is used, and the log says so with both figures', async () => {
    await checked(service)
    expect(await usedOf(service)).toBe(gauge('toy', 1))
    const [line] = logged(service, HELPS)
    expect(line).toMatchObject({ model: 'toy', is_used: true })
    expect(line.recall_with - line.recall_without).toBeGreaterThanOrEqual(0.02)
    expect(line.better).toBeGreaterThan(line.worse)
    await until(() => asking(endpoint, 'tulip walnut').length > 0)
    await until(async () => (await search(service))[0]?.domain === 'tulipwalnut.test')
  })

  test('is not judged while the endpoint fails, and is later', async () => {
    const failing = checks(endpoint).length
    endpoint.settings.model = 'failing'
    endpoint.answer((response, { input }) => {
      // What measures a model goes through; the check does not.
      if (input.includes(first?.query ?? '')) json(response, {}, 503)
      else {
        const embedding = () => Array.from({ length: 64 }, () => Math.random() - 0.5)
        json(response, { data: input.map((_, index) => ({ index, embedding: embedding() })) })
      }
    })
    service = await service.restart()
    await until(() => logged(service, WAITS).length > 0)
    expect(await usedOf(service)).toBeUndefined()
    expect((await search(service))[0]?.why).toContain(NOT_READY)
    expect(
      await service.app.db
        .selectFrom('embedding_checks')
        .select('model')
        .where('model', '=', 'failing')
        .execute(),
    ).toEqual([])
    endpoint.answer((response, { input }) => {
      const embedding = () => Array.from({ length: 64 }, () => Math.random() - 0.5)
      json(response, { data: input.map((_, index) => ({ index, embedding: embedding() })) })
    })
    service.clock.advance(10 * MINUTE)
    await checked(service)
    expect(await usedOf(service)).toBe(gauge('failing', 0))
    expect(checks(endpoint).length).toBeGreaterThan(failing + 1)
  })
})

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { ApiError } from '../../src/core/errors.ts'
import { publicRead } from '../../src/core/operation.ts'
import { readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

let asked: string[] = []
const tell = (name: string, cacheSeconds: number) =>
  publicRead({
    name,
    summary: 'Tells',
    description: 'Tells what it was asked.',
    method: 'GET',
    path: `/api/test/${name}`,
    rate: 'public',
    cacheSeconds,
    input: z.object({ what: z.string() }),
    output: z.object({ what: z.string() }),
    status: 200,
    errors: ['not_found'],
    example: { input: { what: 'a' }, output: { what: 'a' } },
    async handler(_context, { what }) {
      asked.push(what)
      if (what === 'nothing') throw new ApiError('not_found', 'Nothing.')
      return { what }
    },
  })

let service: TestService
const anyone = readerOf(() => service)
const user = readerOf(() => service, 'good')
beforeAll(async () => {
  service = await startService({
    tokens: { good: 'usr_1' },
    operations: [tell('kept', 10), tell('fresh', 0)],
  })
})
beforeEach(() => {
  asked = []
})
afterAll(() => service.stop())

/** In one batch, whose entries run in one turn. */
async function ask(reader: typeof anyone, op: string, ...what: string[]) {
  const operations = what.map((each, index) => ({ id: `${index}`, op, params: { what: each } }))
  const { body } = await reader.post('/api/batch', { operations })
  return body.results
}

test('what anyone may keep is read once for all who ask at the same time', async () => {
  const results = await ask(anyone, 'kept', 'a', 'a', 'b', 'a')
  expect(asked).toEqual(['a', 'b'])
  expect(results.map(({ body }: { body: { what: string } }) => body.what)).toEqual([
    'a',
    'a',
    'b',
    'a',
  ])
})

test('and read anew for who asks later', async () => {
  await ask(anyone, 'kept', 'a')
  await ask(anyone, 'kept', 'a')
  expect(asked).toEqual(['a', 'a'])
})

test('a rejection is everybody’s too', async () => {
  const results = await ask(anyone, 'kept', 'nothing', 'nothing')
  expect(asked).toEqual(['nothing'])
  expect(results.map(({ status }: { status: number }) => status)).toEqual([404, 404])
})

test('what is fresh for each, or for somebody, is read for each', async () => {
  await ask(anyone, 'fresh', 'a', 'a')
  await ask(user, 'kept', 'b', 'b')
  expect(asked).toEqual(['a', 'a', 'b', 'b'])
})

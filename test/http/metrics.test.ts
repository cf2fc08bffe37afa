import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../src/db/server.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

const AWAY = new DatabaseUnavailable(new Error('on purpose'))

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

async function figures(): Promise<string> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const { status, text } = await service.send({ method: 'GET', target: '/metrics', headers })
  expect(status, text).toBe(200)
  return text
}

test('are for whoever sends a bearer token, and nothing like one', async () => {
  for (const authorization of [undefined, ADMIN_TOKEN, `Basic ${ADMIN_TOKEN}`, 'Bearer other']) {
    const { status, headers } = await service.send({
      method: 'GET',
      target: '/metrics',
      headers: authorization === undefined ? {} : { authorization },
    })
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer'])
  }
})

test('a database that answers is up', async () => {
  const text = await figures()
  expect(text).toMatch(/^database_up 1$/m)
  expect(text).toMatch(/^payment_disputes\{environment="live",status="needs_response"\} 0$/m)
})

test.each<[string, () => Promise<never>]>([
  ['is away', () => Promise.reject(AWAY)],
  ['answers late', () => pause(6_000).then(() => Promise.reject(AWAY))],
])('one that %s leaves the figures of the process', async (_what, query) => {
  const spy = vi.spyOn(service.app.server, 'query').mockImplementation(query)
  const text = await figures().finally(() => spy.mockRestore())
  expect(text).toMatch(/^database_up 0$/m)
  expect(text).toMatch(/^process_cpu_seconds_total \d/m)
  // What was true before is no response now.
  expect(text).not.toMatch(/^payment_(?:disputes|refunds_failed)\{/m)
  expect(await figures()).toMatch(/^database_up 1$/m)
})

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../src/db/server.ts'
import { must } from '../support/market.ts'
import { closeReceivers, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

const AWAY = new DatabaseUnavailable(new Error('on purpose'))

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  closeReceivers()
})

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

test('a database that responds is up', async () => {
  const text = await figures()
  expect(text).toMatch(/^database_up 1$/m)
  expect(text).toMatch(/^payment_disputes\{environment="live",status="needs_response"\} 0$/m)
})

test('requests are counted, but not those of monitors', async () => {
  const counted = async () => {
    const counts = (await figures()).matchAll(/^http_request_duration_seconds_count\{.*\} (\d+)$/gm)
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const before = await counted()
  for (const target of ['/health/live', '/health/ready', '/health/ready?now', '/metrics', '/']) {
    await service.send({ method: 'GET', target })
  }
  await expect.poll(async () => (await counted()) - before).toBe(1)
})

test('what waits for an operator is counted, each kind in each environment', async () => {
  const text = await figures()
  for (const environment of ['live', 'sandbox']) {
    for (const kind of [
      'review',
      'transfers_stalled',
      'operations_unknown',
      'operations_by_hand',
    ]) {
      expect(text).toContain(`operator_tasks{environment="${environment}",kind="${kind}"} 0\n`)
    }
  }
  expect(text).toMatch(/^webhook_backlog_seconds\{environment="live"\} 0$/m)

  const client = await service.partner()
  await service.list(
    'sandbox',
    'domain,price_cents,floor_price_cents,currency\ncounted.com,90000,80000,USD\n',
  )
  await sold(client, 'counted.com')
  expect(await figures()).toContain('operator_tasks{environment="sandbox",kind="to_start"} 1\n')
})

test('the backlog is as old as the delivery that is due longest, of endpoints that respond', async () => {
  const client = await service.partner()
  // It takes requests and says nothing: what was not sent yet stays due.
  const receiver = await startReceiver(() => {})
  must(
    await client.put('/api/partner/webhooks', { url: receiver.url, secret: 's'.repeat(32) }),
    200,
  )
  // More than go out to one endpoint at once.
  for (let sent = 0; sent < 20; sent++) {
    must(await client.post('/api/partner/webhooks/test', {}), 202)
  }
  await receiver.until(1)
  service.clock.advance(90_000)
  const [, seconds] =
    /^webhook_backlog_seconds\{environment="sandbox"\} (.+)$/m.exec(await figures()) ?? []
  expect(Number(seconds)).toBeGreaterThanOrEqual(75)
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
  expect(text).not.toMatch(
    /^(?:payment_disputes|payment_refunds_failed|operator_tasks|webhook_backlog_seconds)\b.* /m,
  )
  expect(await figures()).toMatch(/^database_up 1$/m)
})

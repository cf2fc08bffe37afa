import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../src/db/server.ts'
import { kindsOf } from '../../src/http/admin/overview.ts'
import { after, DAY, HOUR } from '../../src/lib/clock.ts'
import { firstIdAt, type IdPrefix } from '../../src/lib/ids.ts'
import { POSTGRES } from '../support/database.ts'
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

test('a page is named by its route, and the upload of a file apart', async () => {
  await service.send({ method: 'GET', target: '/sign-in' })
  await service.send({ method: 'GET', target: '/nothing/of/the/kind' })
  await service.send({
    method: 'POST',
    target: '/operator/imports/upload',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: '--x--\r\n',
  })
  await expect
    .poll(async () =>
      [
        ...(await figures()).matchAll(
          /^http_request_duration_seconds_count\{operation="([^"]*)"/gm,
        ),
      ].map(([, operation]) => operation),
    )
    .toEqual(expect.arrayContaining(['page /sign-in', 'other', 'upload /operator/imports/upload']))
})

test.runIf(POSTGRES)('the connections for transactions are counted', async () => {
  const text = await figures()
  expect(text).toMatch(/^database_connections\{state="limit"\} 20$/m)
  expect(text).toMatch(/^database_connections\{state="waiting"\} 0$/m)
  expect(text).toMatch(/^database_connections_refused_total 0$/m)
})

test('what belongs to neither environment is counted once', async () => {
  const text = await figures()
  const both = kindsOf('live').filter((kind) => !kindsOf('sandbox').includes(kind))
  expect(both).toContain('jobs_failed')
  for (const kind of both) {
    expect(text.match(new RegExp(`^operator_tasks\\{.*kind="${kind}"\\}`, 'gm'))).toHaveLength(1)
  }
})

test('what failed is counted for a day, and what is late while it is', async () => {
  await service.partner()
  const now = service.clock.now()
  const kinds = [
    'operations_failed',
    'payouts_failed',
    'imports_failed',
    'claim_conflicts',
    'alerts_undelivered',
    'jobs_overdue',
  ]
  const counted = async () => {
    const text = await figures()
    return kinds.filter((kind) => text.includes(`{environment="live",kind="${kind}"} 1\n`))
  }
  const make = async (failedAt: Date, statements: string) => {
    const at = `'${failedAt.toISOString()}'`
    let made = 10
    const id = (prefix: IdPrefix) => `'${firstIdAt(prefix, failedAt)}${made++}'`
    const filled = statements
      .replaceAll('$at', at)
      .replaceAll('$later', `'${after(now, HOUR).toISOString()}'`)
      .replace(/\$(rop|po|imp)/g, (_id, prefix: IdPrefix) => id(prefix))
    await service.app.server.query(filled, [])
  }
  const failures = `
    insert into registrar_operations (operation_id, environment, domain, op, registrar, params, status, error,
        created_at, updated_at, finished_at) values
      ($rop, 'live', 'a.com', 'lock', 'example', '{}', 'failed', null, $at, $at, $at),
      ($rop, 'live', 'b.com', 'push', 'example', '{}', 'failed', '{"code": "withdrawn"}', $at, $at, $at);
    insert into payouts (id, partner_id, environment, currency, kind, amount_cents, status, created_at, updated_at)
      select $po, id, 'live', 'USD', 'commission', 100, 'failed', $at, $at from partners limit 1;
    insert into listing_imports (id, environment, status, created_by, created_at, updated_at, finished_at)
      values ($imp, 'live', 'failed', 'test', $at, $at, $at);
    insert into alerts (alert_id, environment, type, cause, data, created_at, handled_at)
      values ('conflict ' || $at, 'live', 'alert.claim_conflict', 'test', '{}', $at, $at);`
  await make(after(now, -2 * DAY), failures)
  expect(await counted()).toEqual([])
  await make(after(now, -HOUR), failures)
  await make(
    after(now, -2 * HOUR),
    `insert into alerts (alert_id, environment, type, cause, data, created_at, handled_at, due_at, error) values
      ('refused', 'live', 'alert.order_held', 'test', '{}', $at, $at, $later, 'no response'),
      ('waiting', 'live', 'alert.order_paid', 'test', '{}', $at, $at, $later, null);
    insert into scheduled_jobs (name, due_at, leased_until) values ('purge_mails', $at, $later)
      on conflict (name) do update set due_at = $at, leased_until = $later;
    -- Of an instance that is set up with more: nobody runs it here.
    insert into scheduled_jobs (name, due_at) values ('embed_labels', $at);`,
  )
  expect(await counted()).toEqual(kinds)
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

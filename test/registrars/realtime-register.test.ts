import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  NotPerformed,
  type RegistrarConnection,
  ResponseLost,
} from '../../src/domain/registrars/driver.ts'
import { yearsAfter } from '../../src/lib/clock.ts'
import { startService, type TestService } from '../support/service.ts'
import { openConnection, ownProtection } from './benches/bench.ts'
import { realtimeRegisterBench } from './benches/realtime-register.ts'

const DOMAIN = {
  domainName: 'one.com',
  customer: 'acme',
  expiryDate: '2027-06-01T00:00:00Z',
  privacyProtect: false,
  status: ['OK'],
}
const NONSENSE = [null, true, 'text', [1, 2], {}, { entities: 'none' }]

let reply: { status: number; headers?: Record<string, string>; body: unknown }
/** What the requests after the next one get, where that is something else. */
let next: typeof reply | undefined
let server: Server
let config: object
let connection: RegistrarConnection
let service: TestService
beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    response.end(JSON.stringify(reply.body))
    reply = next ?? reply
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`
  config = { tlds: ['com'], api_key: 'key', customer: 'acme', base_url, requests_per_minute: 9_000 }
  connection = openConnection('realtime-register', config)
  service = await startService({ settings: { registry: 'live' } })
  const registrar = { name: 'rtr', driver: 'realtime-register', config }
  expect((await service.admin('POST', '/registrars', registrar)).status).toBe(201)
})
afterAll(async () => {
  await service.stop()
  await connection.close()
  server.close()
})

const call = () => ({
  reference: 'ref',
  signal: AbortSignal.timeout(20_000),
  protection: ownProtection(),
})

describe('a server that says nothing of what is documented', () => {
  test.each(NONSENSE)('fails the test of its connection: %j', async (body) => {
    reply = { status: 200, body }
    const tested = await service.admin('POST', '/registrars/rtr/test')
    expect(tested.status).toBe(503)
    expect(tested.body.error.details).toEqual({ step: 'greeting' })
  })

  test('passes it with a list of domains', async () => {
    reply = { status: 200, body: { entities: [], pagination: { total: 0 } } }
    expect((await service.admin('POST', '/registrars/rtr/test')).body).toMatchObject({ ok: true })
  })

  test.each([
    ...NONSENSE,
    { ...DOMAIN, domainName: 'other.com' },
    { ...DOMAIN, status: undefined },
    { ...DOMAIN, customer: undefined },
    { ...DOMAIN, expiryDate: undefined },
  ])('says nothing of a domain: %j', async (body) => {
    reply = { status: 200, body }
    await expect(connection.info('one.com', call())).rejects.toBeInstanceOf(ResponseLost)
  })

  test('knows no domain either where its path is wrong', async () => {
    reply = { status: 404, body: { timestamp: 1, error: 'Not Found', path: '/domains/one.com' } }
    await expect(connection.info('one.com', call())).rejects.toBeInstanceOf(NotPerformed)
    reply = { status: 404, body: null }
    await expect(connection.info('one.com', call())).rejects.toBeInstanceOf(NotPerformed)
  })

  test.each(NONSENSE)('has no messages: %j', async (body) => {
    reply = { status: 200, body }
    await expect(connection.poll?.(call())).rejects.toBeInstanceOf(ResponseLost)
  })

  test.each([
    [200, null],
    [200, []],
    [202, {}],
  ])('leaves open what became of a push: %i %j', async (status, body) => {
    reply = { status, body }
    const push = connection.perform('one.com', { op: 'push', account: 'ada' }, call())
    await expect(push).rejects.toBeInstanceOf(ResponseLost)
  })
})

test.each([
  [404, { type: 'ObjectDoesNotExist', message: 'No such domain.' }],
  [400, { type: 'ObjectDoesNotExist', message: 'No such domain.' }],
  [404, { type: 'NotFound', message: 'No such domain.' }],
  [200, { ...DOMAIN, customer: 'another' }],
])('a domain is not in the account: %i %j', async (status, body) => {
  reply = { status, body }
  expect(await connection.info('one.com', call())).toBeNull()
})

test('a process is found by its header, where the response has no body', async () => {
  reply = { status: 202, headers: { 'x-process-id': '77' }, body: undefined }
  next = { status: 200, body: { id: 77, status: 'FAILED', error: 'The account does not exist.' } }
  const push = connection.perform('one.com', { op: 'push', account: 'ada' }, call())
  await expect(push).rejects.toThrow('The account does not exist.')
  next = undefined
})

test('a domain is in the account', async () => {
  reply = { status: 200, body: DOMAIN }
  expect(await connection.info('one.com', call())).toMatchObject({
    expiresAt: new Date('2027-06-01'),
    locked: false,
    nameservers: [],
  })
})

describe('a renewal that was begun there before', () => {
  test.each([
    ['COMPLETED', 'is waited for, and no second one is sent', 0],
    ['FAILED', 'is waited for, and sent anew when it failed', 1],
  ] as const)('%s: %s', async (ends, _what, sent) => {
    const bench = await realtimeRegisterBench()
    try {
      const before = await bench.connection.info('one.com', call())
      const expiresAt = before?.expiresAt ?? null
      bench.renewals.push({
        id: 9_000,
        identifier: 'one.com',
        type: 'domain',
        action: 'renew',
        status: 'RUNNING',
        ends,
      })
      const renewed = await bench.connection.perform(
        'one.com',
        { op: 'renew', years: 1, expiresAt, maxFee: null },
        call(),
      )
      expect(bench.performedOn?.('one.com')).toBe(sent)
      expect(renewed.expiresAt).toEqual(yearsAfter(expiresAt ?? new Date(), 1))
    } finally {
      await bench.stop()
    }
  })
})

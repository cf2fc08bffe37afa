import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { RegistrarRejected } from '../../src/domain/registrars/driver.ts'
import { must, offer, operate } from '../support/market.ts'
import { makeUser, signIn } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { orderBody } from '../support/sale.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'
import { realtimeRegisterBench } from './benches/realtime-register.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NAMES = ['first.com', 'second.com', 'gone.com', 'sold.com', 'no.com', 'down.com', 'mine.com']
const ELSEWHERE = 'elsewhere.com'

let service: TestService
let registrar: ScriptedRegistrar
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  registrar = new ScriptedRegistrar([...NAMES, ELSEWHERE, 'unlisted.com'])
  registrar.domains.set(ELSEWHERE, {
    expiresAt: null,
    locked: null,
    privacy: null,
    nameservers: ['ns1.elsewhere.example'],
    hostsZone: false,
    statuses: [],
  })
  await connectScripted(service, registrar, ['com'])
  must(
    await service.admin('POST', '/registrars/scripted/syncs', {
      domains: [...registrar.domains.keys()],
    }),
    202,
  )
  await eventually(async () => {
    const { domains } = must(await service.admin('GET', '/registrar-domains'), 200).body
    expect(domains).toHaveLength(registrar.domains.size)
  })
})
afterAll(() => service.stop())

const recordOf = (domain: string, at = service) =>
  `v=FORSALE1;furi=${at.app.settings.baseUrl}/d/${domain}`
const publish = (name: string, enabled: boolean, at = service) =>
  at.admin('PUT', `/registrars/${name}/for-sale`, { enabled })

async function recordsAt(query = '', at = service) {
  return must(await at.admin('GET', `/for-sale-records${query}`), 200).body.records
}

/** The clock goes on while it is waited for, minute by minute. */
async function eventually(check: () => Promise<void> | void, at = service): Promise<void> {
  await vi.waitFor(
    async () => {
      at.clock.advance(MINUTE)
      await check()
    },
    { timeout: 30_000, interval: 150 },
  )
}

async function operationsOf(domain: string) {
  const { operations } = must(
    await service.admin('GET', `/registrar-operations?domain=${domain}`),
    200,
  ).body
  return operations
}

describe('names for sale at a connected registrar', () => {
  test('are published once an operator says so, without their price', async () => {
    await offer(service, 'live', ['first.com', 'second.com', ELSEWHERE], 123_400)
    for (let minute = 0; minute < 5; minute++) {
      service.clock.advance(MINUTE)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(registrar.forSale.size).toBe(0)

    const { body } = must(await publish('scripted', true), 200)
    expect(body).toMatchObject({ name: 'scripted', publishes_for_sale: true })
    await eventually(async () => {
      expect(await recordsAt()).toMatchObject([
        { domain: 'second.com', status: 'published', value: recordOf('second.com'), error: null },
        { domain: 'first.com', status: 'published', registrar: 'scripted' },
      ])
    })
    expect(Object.fromEntries(registrar.forSale)).toEqual({
      'first.com': recordOf('first.com'),
      'second.com': recordOf('second.com'),
    })
    expect(await operationsOf('first.com')).toMatchObject([
      { op: 'set_for_sale', status: 'succeeded', registrar: 'scripted' },
    ])
    expect(await operationsOf(ELSEWHERE)).toEqual([])
  })

  test('are published once while nothing changes', async () => {
    const before = registrar.performed.length
    for (let minute = 0; minute < 5; minute++) {
      service.clock.advance(MINUTE)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(registrar.performed).toHaveLength(before)
  })

  test('are not any more once they are withdrawn, and are again once they are listed', async () => {
    await offer(service, 'live', ['gone.com'])
    await eventually(() => expect(registrar.forSale.has('gone.com')).toBe(true))
    must(await service.admin('DELETE', '/listings/gone.com?environment=live'), 200)
    await eventually(async () => {
      expect(registrar.forSale.has('gone.com')).toBe(false)
      expect(await recordsAt('?domain=gone.com')).toEqual([])
    })
    await offer(service, 'live', ['gone.com'])
    await eventually(() => expect(registrar.forSale.has('gone.com')).toBe(true))
  })

  test('are withdrawn before a sale pushes them to the buyer', async () => {
    await offer(service, 'live', ['sold.com'])
    await eventually(async () => {
      expect(await recordsAt('?domain=sold.com')).toMatchObject([{ status: 'published' }])
    })
    const partner = await service.partner({ environment: 'live' })
    const quote = must(await partner.post('/quotes', { domain: 'sold.com' }), 201).body
    const delivery = { method: 'push', account: 'acct-9' }
    const made = must(await partner.post('/orders', { ...orderBody(quote), delivery }), 201).body
    await operate(service, made.public_id, 'start')
    await eventually(async () => {
      const { body } = await partner.get(`/orders/${made.public_id}`)
      expect(body.status).toBe('TRANSFER_COMPLETED')
    })
    const performed = registrar.performed.filter((each) => each.endsWith(' sold.com'))
    expect(performed).toEqual(['set_for_sale sold.com', 'set_for_sale sold.com', 'push sold.com'])
    expect(registrar.forSale.has('sold.com')).toBe(false)
    expect(await recordsAt('?domain=sold.com')).toEqual([])
  })

  test('show why a registrar rejected it, are asked for a day later, or when an operator says so', async () => {
    const rejected = new RegistrarRejected('other_records', 'There are other records.')
    registrar.faults.push(rejected)
    await offer(service, 'live', ['no.com'])
    const error = { code: 'other_records', message: 'There are other records.' }
    await eventually(async () => {
      expect(await recordsAt('?status=failed')).toMatchObject([{ domain: 'no.com', error }])
    })
    expect(registrar.forSale.has('no.com')).toBe(false)
    registrar.faults.push(rejected)
    service.clock.advance(DAY)
    await eventually(async () => expect(await operationsOf('no.com')).toHaveLength(2))
    await eventually(async () => {
      expect(await recordsAt('?status=failed')).toMatchObject([{ domain: 'no.com', error }])
    })

    const [latest, first] = await operationsOf('no.com')
    const again = (id: string) => service.admin('POST', `/registrar-operations/${id}/retry`, {})
    expect((await again(first.operation_id)).body.error).toMatchObject({
      code: 'conflict',
      details: { reason: 'not_allowed_now' },
    })
    must(await again(latest.operation_id), 202)
    await eventually(async () => {
      expect(await recordsAt('?domain=no.com')).toMatchObject([{ status: 'published' }])
    })
  })

  test('are given up for an hour where the registrar is down, so that nothing waits behind them', async () => {
    await offer(service, 'live', ['down.com'])
    await eventually(() => expect(registrar.forSale.has('down.com')).toBe(true))
    await eventually(async () => {
      expect(await recordsAt('?domain=down.com')).toMatchObject([{ status: 'published' }])
    })
    registrar.isDown = true
    must(await service.admin('DELETE', '/listings/down.com?environment=live'), 200)
    await eventually(async () => {
      const [record] = await recordsAt('?domain=down.com')
      expect(record).toMatchObject({ status: 'failed', error: { code: 'registrar_unreachable' } })
    })
    registrar.isDown = false
    service.clock.advance(HOUR)
    await eventually(async () => {
      expect(registrar.forSale.has('down.com')).toBe(false)
      expect(await recordsAt('?domain=down.com')).toEqual([])
    })
  })

  test('are shown to their seller as published', async () => {
    await makeUser(service, 'ann@example.com', ['mine.com', 'other.net'])
    const { token } = (await service.admin('POST', '/user-tokens', { email: 'ann@example.com' }))
      .body
    const ann = readerOf(() => service, token)
    const body = { domains: ['mine.com', 'other.net'], params: { price_cents: 50_000 } }
    must(await ann.post('/api/domains/bulk/list_for_sale', body), 200)
    await eventually(async () => {
      expect(await recordsAt('?domain=mine.com')).toMatchObject([{ status: 'published' }])
    })
    const { text } = await (await signIn(service, 'ann@example.com')).get('/account')
    expect(text).toMatch(/has published[^<]*mine\.com/)
    expect(text).not.toContain('_for-sale.mine.com')
    expect(text).toContain('_for-sale.other.net')
  })

  test('are withdrawn when it is switched off, and those of a removed connection are forgotten', async () => {
    const count = registrar.forSale.size
    expect(count).toBeGreaterThan(3)
    must(await publish('scripted', false), 200)
    await eventually(async () => {
      expect(registrar.forSale.size).toBe(0)
      expect(await recordsAt()).toEqual([])
    })
    must(await publish('scripted', true), 200)
    await eventually(() => expect(registrar.forSale.size).toBe(count))
    await eventually(async () => {
      expect(await recordsAt('?status=published')).toHaveLength(count)
    })
    must(await service.admin('DELETE', '/registrars/scripted'), 200)
    expect(await recordsAt()).toEqual([])
  })
})

test('what cannot be is rejected', async () => {
  expect((await publish('nobody', true)).status).toBe(404)
  const config = { tlds: ['org'] }
  must(await service.admin('POST', '/registrars', { name: 'hand', driver: 'manual', config }), 201)
  expect((await publish('hand', true)).body.error.details.reason).toBe('not_applicable')
  must(await publish('hand', false), 200)
  expect((await service.admin('PUT', '/registrars/hand/for-sale', {})).status).toBe(400)
  expect((await service.admin('GET', '/for-sale-records?status=lost')).status).toBe(400)
  const cursor = await service.admin('GET', '/for-sale-records?cursor=nonsense')
  expect(cursor.body.error.code).toBe('invalid_cursor')
})

test('names in a zone of Realtime Register are published there once, beside its other records', async () => {
  const bench = await realtimeRegisterBench()
  const before = bench.zone?.all('one.com')
  const connection = { name: 'rtr', driver: 'realtime-register', config: bench.config }
  must(await service.admin('POST', '/registrars', connection), 201)
  must(await service.admin('POST', '/registrars/rtr/syncs', { domains: bench.domains }), 202)
  must(await publish('rtr', true), 200)
  bench.lose?.('after')
  await offer(service, 'live', ['one.com'])
  await eventually(async () => {
    expect(await recordsAt('?domain=one.com')).toMatchObject([{ status: 'published' }])
  })
  const [operation] = await operationsOf('one.com')
  expect(operation).toMatchObject({ status: 'succeeded', attempts: 2 })
  expect(bench.performedOn?.('one.com')).toBe(1)
  expect(bench.zone?.texts('one.com')).toEqual([recordOf('one.com')])
  expect(bench.zone?.all('one.com').slice(0, -1)).toEqual(before)
  expect(bench.zone?.texts('two.com')).toEqual([])
  must(await publish('rtr', false), 200)
  await eventually(() => expect(bench.zone?.all('one.com')).toEqual(before))
  await bench.stop()
})

test('the simulated registrar publishes every listed name that it is for', async () => {
  const simulated = await startService({ settings: { registry: 'simulated' } })
  const connection = { name: 'sim', driver: 'simulated', config: { tlds: ['shop'] } }
  must(await simulated.admin('POST', '/registrars', connection), 201)
  await offer(simulated, 'live', ['tea.shop', 'tea.com'])
  must(await publish('sim', true, simulated), 200)
  await eventually(async () => {
    expect(await recordsAt('', simulated)).toMatchObject([
      { domain: 'tea.shop', status: 'published', value: recordOf('tea.shop', simulated) },
    ])
  }, simulated)
  await simulated.stop()
})

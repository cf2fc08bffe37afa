import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { checkTransfers } from '../../src/domain/orders/check-transfers.ts'
import { Buyer, CARDS, DETAILS } from '../support/buyer.ts'
import type { PartnerClient, Result } from '../support/client.ts'
import { eventsOf, must, offer, operate } from '../support/market.ts'
import { orderBody } from '../support/sale.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'

const HOUR = 3_600_000
const DELIVERIES = [{ method: 'auth_code' }, { method: 'push', account: 'ada' }, { method: 'hold' }]

let service: TestService
let client: PartnerClient
beforeAll(async () => {
  service = await startService()
  client = await service.partner()
})
afterAll(() => service.stop())

async function order(domain: string, delivery?: unknown, by = client): Promise<Result> {
  const quote = must(await by.post('/quotes', { domain }), 201).body
  return await by.post('/orders', { ...orderBody(quote), delivery })
}

async function sandboxOrder(domain: string, delivery?: unknown): Promise<string> {
  await offer(service, 'sandbox', [domain])
  return must(await order(domain, delivery), 201).body.public_id
}

async function shown(id: string, by = client): Promise<Result['body']> {
  return must(await by.get(`/orders/${id}`), 200).body
}

async function withCode(id: string, by = client): Promise<Result['body']> {
  return await vi.waitFor(
    async () => {
      service.clock.advance(3_000)
      const found = await shown(id, by)
      expect(found.transfer.code_available).toBe(true)
      return found
    },
    { timeout: 20_000, interval: 300 },
  )
}

describe('delivery', () => {
  test('is by auth_code unless something else is said', async () => {
    const id = await sandboxOrder('plain.test', null)
    const { delivery, transfer } = await shown(id)
    expect(delivery).toEqual({ method: 'auth_code', account: null, registrar_iana_id: null })
    expect(transfer).toMatchObject({ code_available: false, expected_by: null, proof: null })
  })

  test('is rejected where it cannot be', async () => {
    await offer(service, 'sandbox', ['bad.test'])
    const push = await order('bad.test', { method: 'push' })
    expect(push.status).toBe(400)
    expect(push.body.error.details[0].field).toBe('delivery.account')
    for (const account of ['', '   ', '\t']) {
      const blank = await order('bad.test', { method: 'push', account })
      expect(blank.status).toBe(400)
      const detail = { field: 'delivery.account', issue: 'must not be empty' }
      expect(blank.body.error.details).toContainEqual(detail)
    }
    const unknown = await order('bad.test', { method: 'hold', colour: 'red' })
    expect(unknown.status).toBe(400)
    const detail = { field: 'delivery.colour', issue: 'is not a known field' }
    expect(unknown.body.error.details).toEqual([detail])
    for (const registrar_iana_id of ['abc', 0, 1.5, 'a'.repeat(7), true]) {
      const { body } = await order('bad.test', { method: 'hold', registrar_iana_id })
      const issue = 'must be the IANA id of a registrar, such as "292"'
      expect(body.error.details).toEqual([{ field: 'delivery.registrar_iana_id', issue }])
    }
    expect((await order('bad.test', { method: 'pigeon' })).status).toBe(400)
  })

  test('follows the default of the partner, which an order may override', async () => {
    const other = await service.partner()
    const path = `/partners/${other.partner_id}/delivery`
    expect((await service.admin('PUT', path, { method: 'push' })).status).toBe(400)
    expect((await service.admin('PUT', path, { method: 'push', account: ' ' })).status).toBe(400)
    must(await service.admin('PUT', path, { method: 'push', account: 'acct-1' }), 200)
    await offer(service, 'sandbox', ['default.test', 'override.test'])
    const first = must(await order('default.test', undefined, other), 201).body
    expect(first.delivery).toEqual({ method: 'push', account: 'acct-1', registrar_iana_id: null })
    const second = must(await order('override.test', { method: 'hold' }, other), 201).body
    expect(second.delivery.method).toBe('hold')
  })
})

describe('the transfer code', () => {
  test('can be read while the transfer is in progress, and each read is recorded', async () => {
    const id = await sandboxOrder('code.test')
    expect((await client.get(`/orders/${id}/transfer-code`)).status).toBe(409)
    must(await client.post(`/sandbox/orders/${id}/start-transfer`), 200)
    const { transfer } = await withCode(id)
    expect(transfer.expected_by).not.toBeNull()
    const { body, headers } = must(await client.get(`/orders/${id}/transfer-code`), 200)
    expect(body).toMatchObject({ public_id: id, domain: 'code.test' })
    expect(body.auth_code).toMatch(/^[\x21-\x7e]{16,}$/)
    const entries = must(await service.admin('GET', `/audit-entries?subject=${id}`), 200).body
    const read = { operation: 'get_transfer_code', request_id: headers['x-request-id'] }
    expect(entries.entries).toContainEqual(expect.objectContaining(read))
    expect(JSON.stringify(entries)).not.toContain(body.auth_code)
    const events = await eventsOf(client)
    const available = events.filter(({ type }) => type === 'transfer.code_available')
    expect(available).toHaveLength(1)
    expect(available[0]?.data.transfer.code_available).toBe(true)
    expect(JSON.stringify(events)).not.toContain(body.auth_code)

    const done = must(await client.post(`/sandbox/orders/${id}/complete-transfer`), 200).body
    expect(done.transfer.proof).toMatchObject({ source: 'simulated' })
    expect((await client.get(`/orders/${id}/transfer-code`)).status).toBe(409)
  })

  test('of another method there is none', async () => {
    const id = await sandboxOrder('held.test', { method: 'hold' })
    must(await client.post(`/sandbox/orders/${id}/start-transfer`), 200)
    const { status, body } = await client.get(`/orders/${id}/transfer-code`)
    expect(status).toBe(409)
    expect(body.error.details.reason).toBe('not_applicable')
    expect((await client.get('/orders/ord_nobody/transfer-code')).status).toBe(404)
  })

  test('is forgotten when the transfer fails', async () => {
    const id = await sandboxOrder('failing.test')
    must(await client.post(`/sandbox/orders/${id}/start-transfer`), 200)
    await withCode(id)
    must(await client.post(`/sandbox/orders/${id}/fail-transfer`), 200)
    expect((await client.get(`/orders/${id}/transfer-code`)).status).toBe(409)
    const row = await service.app.db
      .selectFrom('orders')
      .select('transfer_code')
      .where('public_id', '=', id)
      .executeTakeFirst()
    expect(row?.transfer_code).toBeNull()
  })
})

describe('a simulated transfer', () => {
  test('arrives by itself after an hour, and says that it is simulated', async () => {
    const id = await sandboxOrder('arrives.test')
    must(await client.post(`/sandbox/orders/${id}/start-transfer`), 200)
    await withCode(id)
    service.clock.advance(HOUR)
    await checkTransfers.run(service.app, new AbortController().signal)
    await vi.waitFor(async () => expect((await shown(id)).status).toBe('TRANSFER_COMPLETED'))
    expect((await shown(id)).transfer.proof.source).toBe('simulated')
  })

  test.each(DELIVERIES)(
    'past its time it is stalled, once, and then arrives: $method',
    async (delivery) => {
      const id = await sandboxOrder(`late-${delivery.method.replace('_', '-')}.test`, delivery)
      must(await client.post(`/sandbox/orders/${id}/start-transfer`), 200)
      await vi.waitFor(
        async () => {
          service.clock.advance(3_000)
          expect((await shown(id)).transfer.expected_by).not.toBeNull()
        },
        { timeout: 20_000, interval: 300 },
      )
      must(await client.post('/sandbox/clock', { advance_seconds: 6 * 86_400 }), 200)
      for (const _ of [1, 2]) await checkTransfers.run(service.app, new AbortController().signal)
      const { transfer } = await shown(id)
      expect(transfer.stalled).toBe(true)
      must(await client.post('/sandbox/clock', { advance_seconds: 3_600 }), 200)
      await checkTransfers.run(service.app, new AbortController().signal)
      const arrived = await shown(id)
      expect(arrived.status).toBe('TRANSFER_COMPLETED')
      expect(arrived.transfer.proof.source).toBe('simulated')
      const events = (await eventsOf(client)).filter(({ type }) => type === 'transfer.stalled')
      const stalled = events.filter(({ data }) => data.order.public_id === id)
      expect(stalled).toHaveLength(1)
    },
  )
})

describe('a buyer of the hosted checkout', () => {
  test('reads the code on the page behind the mailed link', async () => {
    await offer(service, 'sandbox', ['hosted.test'])
    const { checkout_url } = must(
      await client.post('/checkout-session', { domain: 'hosted.test' }),
      201,
    ).body
    const buyer = new Buyer(service)
    await buyer.visit(checkout_url)
    expect(buyer.page.text).toContain('<select name="delivery_method"><option value="auth_code">')
    for (const delivery_account of ['', '   ']) {
      await buyer.submit({ ...DETAILS, delivery_method: 'push', delivery_account })
      expect(buyer.page.text).toContain('give your account at the registrar')
    }
    await buyer.submit({ ...DETAILS, delivery_method: 'push', delivery_account: 'ada' })
    expect(buyer.page.text).toContain('Moved into the account ada.')
    await buyer.visit(checkout_url)
    await buyer.submit({ ...DETAILS, delivery_method: 'auth_code' })
    await buyer.card(CARDS.succeeds)
    const id = buyer.publicId ?? ''
    must(await client.post(`/sandbox/orders/${id}/start-transfer`), 200)
    await withCode(id)
    const mails = await service.app.db.selectFrom('mails').select(['subject', 'body']).execute()
    const mail = mails.find(({ subject }) => subject.includes('transfer code of hosted.test'))
    const path = /http:\/\/localhost:3000(\/orders\/[\w-]+)/.exec(mail?.body ?? '')?.[1] ?? ''
    const page = await service.send({ method: 'GET', target: path })
    expect(page.status).toBe(200)
    expect(page.headers['x-robots-tag']).toContain('noindex')
    expect(page.headers['referrer-policy']).toBe('no-referrer')
    const code = must(await client.get(`/orders/${id}/transfer-code`), 200).body.auth_code
    expect(page.text).not.toContain(code)
    const revealed = await service.send({
      method: 'POST',
      target: path,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
      body: '',
    })
    expect(revealed.status).toBe(200)
    const entries = must(await service.admin('GET', `/audit-entries?subject=${id}`), 200).body
    const requestId = revealed.headers['x-request-id']
    const read = { operation: 'get_transfer_code', actor: 'buyer', request_id: requestId }
    expect(entries.entries).toContainEqual(expect.objectContaining(read))
    expect(revealed.text.replaceAll('&amp;', '&').replaceAll('&lt;', '<')).toContain(code)
    expect((await service.send({ method: 'GET', target: '/orders/nonsense' })).status).toBe(404)
  })
})

test('the code of a sale through a tracked link is its buyer’s alone', async () => {
  const affiliate = await service.partner({ affiliate: true })
  await offer(service, 'sandbox', ['linked.test'])
  const { url } = must(
    await affiliate.post('/links', { type: 'domain', domain: 'linked.test' }),
    201,
  ).body
  const buyer = new Buyer(service)
  await buyer.visit(url)
  await buyer.pay('/d/linked.test', undefined, { email: 'linked@example.com' })
  const id = buyer.publicId ?? ''
  must(await affiliate.post(`/sandbox/orders/${id}/start-transfer`), 200)
  await withCode(id, affiliate)
  const { status, body } = await affiliate.get(`/orders/${id}/transfer-code`)
  expect(status).toBe(409)
  expect(body.error.details.reason).toBe('not_applicable')
})

describe('with real registries', () => {
  let live: TestService
  beforeAll(async () => {
    live = await startService({ settings: { registry: 'live' } })
  })
  afterAll(() => live.stop())

  async function liveOrder(domain: string, delivery?: object) {
    const partner = await live.partner({ environment: 'live' })
    await offer(live, 'live', [domain])
    const quote = must(await partner.post('/quotes', { domain }), 201).body
    const made = must(await partner.post('/orders', { ...orderBody(quote), delivery }), 201).body
    return { partner, id: made.public_id as string }
  }

  test('an operator gives the code by hand, and says how the delivery is known', async () => {
    const { partner, id } = await liveOrder('by-hand.example')
    const why = { reason: 'Bought with its registrar account.' }
    must(await live.admin('POST', `/orders/${id}/clear`, why), 200)
    await operate(live, id, 'start')
    expect((await live.admin('POST', `/orders/${id}/code`, { code: 'Secret-4711' })).status).toBe(
      200,
    )
    const { auth_code } = must(await partner.get(`/orders/${id}/transfer-code`), 200).body
    expect(auth_code).toBe('Secret-4711')
    const without = await live.admin('POST', `/orders/${id}/complete`, {})
    expect(without.status).toBe(400)
    const reason = 'The gaining registrar confirmed it by phone.'
    const done = must(await live.admin('POST', `/orders/${id}/complete`, { reason }), 200).body
    expect(done.transfer.proof).toMatchObject({ source: 'operator', note: reason })
  })

  test('the domain that has left our account completes the order', async () => {
    const registrar = new ScriptedRegistrar(['pulled.example'])
    await connectScripted(live, registrar, ['example'])
    const { partner, id } = await liveOrder('pulled.example')
    await operate(live, id, 'start')
    await vi.waitFor(
      async () => {
        live.clock.advance(3_000)
        expect((await partner.get(`/orders/${id}`)).body.transfer.code_available).toBe(true)
      },
      { timeout: 20_000, interval: 300 },
    )
    registrar.domains.delete('pulled.example')
    live.clock.advance(HOUR)
    await checkTransfers.run(live.app, new AbortController().signal)
    const done = must(await partner.get(`/orders/${id}`), 200).body
    expect(done).toMatchObject({ status: 'TRANSFER_COMPLETED' })
    expect(done.transfer.proof.source).toBe('registrar')
  })

  test('a push that the registrar made completes the order', async () => {
    const registrar = new ScriptedRegistrar(['pushed.org'])
    await connectScripted(live, registrar, ['org'], 'second')
    const { partner, id } = await liveOrder('pushed.org', { method: 'push', account: 'acct-9' })
    await operate(live, id, 'start')
    await vi.waitFor(
      async () => {
        live.clock.advance(3_000)
        const { body } = await partner.get(`/orders/${id}`)
        expect(body.status).toBe('TRANSFER_COMPLETED')
      },
      { timeout: 20_000, interval: 300 },
    )
    expect(registrar.performed).toEqual(['push pushed.org'])
  })
})

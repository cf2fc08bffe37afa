import { createHash } from 'node:crypto'
import { compactVerify, createLocalJWKSet, decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { checkTransfers } from '../../src/domain/orders/check-transfers.ts'
import { issueReceipts } from '../../src/domain/orders/delivery-receipt.ts'
import { Buyer } from '../support/buyer.ts'
import type { PartnerClient, Result } from '../support/client.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { must, offer, operate } from '../support/market.ts'
import { makeUser, signIn } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { registered } from '../support/registered.ts'
import { orderBody } from '../support/sale.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'

const CLAIMS = [
  'iss',
  'jti',
  'iat',
  'public_id',
  'domain',
  'price_cents',
  'currency',
  'quote_sha256',
  'payment_ref_sha256',
  'registrar',
  'registry',
  'sold_at',
  'delivered_at',
]

let service: TestService
let client: PartnerClient
beforeAll(async () => {
  service = await startService()
  client = await service.partner()
})
afterAll(() => service.stop())

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/** Sells a name and returns the order with the token of its quote. */
async function sale(environment: 'sandbox' | 'live', domain: string, by = client) {
  await offer(service, environment, [domain])
  const quote = must(await by.post('/quotes', { domain }), 201).body
  const body = { ...orderBody(quote), external_payment_ref: `pay of ${domain}` }
  const order = must(await by.post('/orders', body), 201).body
  return { id: order.public_id as string, quote, order }
}

async function play(id: string, move: 'start' | 'complete' | 'fail', by = client) {
  return must(await by.post(`/sandbox/orders/${id}/${move}-transfer`, {}), 200).body
}

/** With the published keys alone, as anyone would. */
async function verified(token: string) {
  const { body } = await service.send({ method: 'GET', target: '/.well-known/jwks.json' })
  const { payload, protectedHeader } = await compactVerify(token, createLocalJWKSet(body), {
    algorithms: ['EdDSA'],
  })
  return { claims: JSON.parse(Buffer.from(payload).toString()), header: protectedHeader }
}

async function receiptOf(id: string, by = client): Promise<Result['body']> {
  return must(await by.get(`/orders/${id}/receipt`), 200).body
}

describe('a delivery receipt', () => {
  test('proves what was delivered, with the public keys alone', async () => {
    const { id, quote } = await sale('sandbox', 'proven.test')
    await play(id, 'start')
    const done = await play(id, 'complete')
    const { receipt_id, receipt } = await receiptOf(id)
    expect(receipt_id).toMatch(/^rct_[0-9a-z]{26}$/)
    const { claims, header } = await verified(receipt)
    expect(header).toMatchObject({
      alg: 'EdDSA',
      typ: 'delivery-receipt+jwt',
      environment: 'sandbox',
    })
    expect(Object.keys(claims)).toEqual(CLAIMS)
    const simulated = { iana_id: null, name: 'Simulated registrar' }
    expect(claims).toMatchObject({
      iss: 'http://localhost:3000',
      jti: receipt_id,
      public_id: id,
      domain: 'proven.test',
      price_cents: quote.price_cents,
      currency: 'USD',
      quote_sha256: hash(quote.quote_token),
      payment_ref_sha256: hash('pay of proven.test'),
      registrar: { asked: { op: 'set_auth_code', registrar: simulated } },
      registry: {
        before: { registrar: simulated, source: 'simulated' },
        after: { registrar: null, source: 'simulated' },
      },
      sold_at: done.created_at,
      delivered_at: done.transfer.completed_at,
    })
    expect(JSON.stringify(claims)).not.toMatch(/buyer|@/)
    expect(await receiptOf(id)).toEqual({ receipt_id, receipt })
  })

  test('is there once the domain is delivered, and not before', async () => {
    const { id } = await sale('sandbox', 'early.test')
    for (const move of ['start', 'fail', 'start'] as const) {
      const early = await client.get(`/orders/${id}/receipt`)
      expect(early.status).toBe(409)
      expect(early.body.error).toMatchObject({
        code: 'conflict',
        details: { reason: 'not_allowed_now' },
      })
      await play(id, move)
    }
    await play(id, 'complete')
    const { receipt } = await receiptOf(id)
    must(await client.post('/sandbox/settlement-runs', {}), 201)
    expect((await receiptOf(id)).receipt).toBe(receipt)
  })

  test('is its partner’s, who needs the scope', async () => {
    const { id } = await sale('sandbox', 'own.test')
    const other = await service.partner()
    expect((await other.get(`/orders/${id}/receipt`)).status).toBe(404)
    expect((await client.get('/orders/ord_00000000000000000000000000/receipt')).status).toBe(404)
    const reader = await service.partner({ partner_id: client.partner_id, scopes: ['search'] })
    expect((await reader.get(`/orders/${id}/receipt`)).status).toBe(403)
  })

  test('is made once, however many complete the order', async () => {
    const { id } = await sale('sandbox', 'raced.test')
    await play(id, 'start')
    const path = `/sandbox/orders/${id}/complete-transfer`
    const all = await Promise.all([1, 2, 3, 4].map(() => client.post(path, {})))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(all.filter(({ status }) => status === 409)).toHaveLength(3)
    await receiptOf(id)
  })

  test('is no quote, though the same key signs both', async () => {
    const { id, quote } = await sale('sandbox', 'confused.test')
    await play(id, 'start')
    await play(id, 'complete')
    const { receipt } = await receiptOf(id)
    expect((await client.get(`/quotes/${receipt}`)).status).toBe(404)
    await offer(service, 'sandbox', ['confused-too.test'])
    const body = { ...orderBody(quote), quote_id: receipt, domain: 'confused-too.test' }
    expect((await client.post('/orders', body)).status).toBe(400)
  })

  test('stays good after the key was rotated and the clock has moved', async () => {
    const { id } = await sale('sandbox', 'lasting.test')
    await play(id, 'start')
    await play(id, 'complete')
    const before = await receiptOf(id)
    must(await service.admin('POST', '/signing-keys', {}), 201)
    must(await client.post('/sandbox/clock', { advance_seconds: 86_400 * 300 }), 200)
    const after = await receiptOf(id)
    expect(after).toEqual(before)
    await verified(after.receipt)
  })

  test('of a live sale says what the registry said before and after', async () => {
    const live = await service.partner({ environment: 'live' })
    const { id } = await sale('live', 'livedelivery.com', live)
    await operate(service, id, 'start', 'complete')
    const { claims, header } = await verified((await receiptOf(id, live)).receipt)
    expect(header.environment).toBe('live')
    expect(claims.registry).toMatchObject({
      before: { source: 'simulated' },
      after: { source: 'simulated' },
    })
    expect(claims.registrar.asked.op).toBe('set_auth_code')
  })

  test('of a hosted sale has the hash of the payment, and no quote', async () => {
    await offer(service, 'live', ['hosted-receipt.com'])
    const buyer = new Buyer(service)
    await buyer.pay('/d/hosted-receipt.com')
    const public_id = buyer.publicId ?? ''
    await operate(service, public_id, 'start', 'complete')
    const row = await service.app.db
      .selectFrom('delivery_receipts')
      .select('token')
      .where('public_id', '=', public_id)
      .executeTakeFirstOrThrow()
    const payment = await service.app.db
      .selectFrom('payments')
      .select('id')
      .where('public_id', '=', public_id)
      .executeTakeFirstOrThrow()
    expect(decodeJwt(row.token)).toMatchObject({
      quote_sha256: null,
      payment_ref_sha256: hash(payment.id),
    })
  })

  test('is made late for what was delivered before there were any', async () => {
    const { id } = await sale('sandbox', 'of-old.test')
    await play(id, 'start')
    await play(id, 'complete')
    const { db } = service.app
    await db.deleteFrom('delivery_receipts').where('public_id', '=', id).execute()
    await db
      .updateTable('orders')
      .set({ receipt_id: null, transfer_registry: null })
      .where('public_id', '=', id)
      .execute()
    await issueReceipts.run(service.app, AbortSignal.timeout(10_000))
    const { claims } = await verified((await receiptOf(id)).receipt)
    expect(claims).toMatchObject({ public_id: id, registry: { before: null, after: null } })
  })
})

describe('the address of a receipt', () => {
  const open = (id: string, accept: string) =>
    service.send({ method: 'GET', target: `/receipts/${id}`, headers: { accept } })

  test('shows people each claim, and gives programs the signed token', async () => {
    const { id, quote } = await sale('sandbox', 'shown.test')
    await play(id, 'start')
    await play(id, 'complete')
    const { receipt_id, receipt } = await receiptOf(id)
    const jwt = await open(receipt_id, 'application/jwt')
    expect(jwt.status).toBe(200)
    expect(jwt.headers).toMatchObject({
      'content-type': 'application/jwt',
      'access-control-allow-origin': '*',
      vary: 'Accept',
    })
    expect(jwt.text).toBe(receipt)
    for (const accept of ['text/html,*/*;q=0.8', '*/*']) {
      const page = await open(receipt_id, accept)
      expect(page.status).toBe(200)
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(page.headers['x-robots-tag']).toContain('noindex')
      for (const shown of [id, 'shown.test', '$100', 'This is a test', hash(quote.quote_token)]) {
        expect(page.text).toContain(shown)
      }
      expect(page.text).toContain('To set a transfer code')
      expect(page.text).toContain('a simulated registry')
      expect(page.text).not.toContain('buyer@example.com')
    }
  })

  test('is nothing for an id that no receipt has', async () => {
    for (const id of [
      'rct_00000000000000000000000000',
      'rct_%00',
      'ord_1',
      `rct_${'a'.repeat(200)}`,
    ]) {
      const page = await open(id, 'text/html')
      expect(page.status).toBe(404)
      expect(page.headers['content-type']).toContain('text/html')
      const jwt = await open(id, 'application/jwt')
      expect(jwt.status).toBe(404)
      expect(jwt.body.error.code).toBe('not_found')
    }
  })

  test('is linked where the buyer and the seller look at the order', async () => {
    const email = 'seller@example.com'
    await makeUser(service, email, ['sellers-own.com'])
    const tokens = must(await service.admin('POST', '/user-tokens', { email }), 201)
    const reader = readerOf(() => service, tokens.body.token)
    const listing = { domains: ['sellers-own.com'], params: { price_cents: 10_000 } }
    must(await reader.post('/api/domains/bulk/list_for_sale', listing), 200)
    const buyer = new Buyer(service)
    await buyer.pay('/d/sellers-own.com')
    const public_id = buyer.publicId ?? ''
    const checkout = buyer.path
    await operate(service, public_id, 'start', 'complete')
    const { receipt_id } = await service.app.db
      .selectFrom('delivery_receipts')
      .select('receipt_id')
      .where('public_id', '=', public_id)
      .executeTakeFirstOrThrow()
    expect((await buyer.visit(checkout)).text).toContain(`href="/receipts/${receipt_id}"`)
    const seller = await signIn(service, email)
    expect((await seller.get('/account/sales')).text).toContain(`href="/receipts/${receipt_id}"`)
  })
})

describe('with real registries and registrars', () => {
  let live: TestService
  let partner: PartnerClient
  let iana = '292'
  beforeAll(async () => {
    live = await startService({ settings: { registry: 'live' } })
    vi.spyOn(live.app.registry, 'lookup').mockImplementation(async () =>
      registered({ registrar: { name: 'A registrar', iana_id: iana }, status: ['ok'] }),
    )
    partner = await live.partner({ environment: 'live' })
  })
  afterAll(() => live.stop())

  async function started(domain: string, delivery: object) {
    await offer(live, 'live', [domain])
    const quote = must(await partner.post('/quotes', { domain }), 201).body
    const order = must(await partner.post('/orders', { ...orderBody(quote), delivery }), 201).body
    if (order.held) {
      must(await live.admin('POST', `/orders/${order.public_id}/clear`, { reason: 'Ours.' }), 200)
    }
    await operate(live, order.public_id, 'start')
    return order.public_id as string
  }

  async function claimsOf(id: string) {
    return decodeJwt((await receiptOf(id, partner)).receipt)
  }

  test('it says what the registrar did, and what the registry said before and after', async () => {
    // The service's own check may be between the registry and the registrar.
    await holdJobs(live, checkTransfers)
    const registrar = new ScriptedRegistrar(['pulled.example'])
    await connectScripted(live, registrar, ['example'])
    const id = await started('pulled.example', { method: 'auth_code' })
    await vi.waitFor(
      async () => {
        live.clock.advance(3_000)
        const { body } = await partner.get(`/orders/${id}`)
        expect(body.transfer.code_available).toBe(true)
      },
      { timeout: 20_000, interval: 300 },
    )
    registrar.domains.delete('pulled.example')
    iana = '146'
    live.clock.advance(3_600_000)
    await checkTransfers.run(live.app, new AbortController().signal)
    // The service's own job may have taken the order first.
    const claims = await vi.waitFor(() => claimsOf(id), { timeout: 20_000, interval: 200 })
    const said = (iana_id: string) => ({
      registrar: { name: 'A registrar', iana_id },
      status: ['ok'],
      source: 'rdap',
    })
    expect(claims).toMatchObject({
      registrar: {
        asked: { op: 'set_auth_code', registrar: { iana_id: '292' } },
        answered: { status: 'succeeded', left_account_at: expect.any(String) },
      },
      registry: { before: said('292'), after: said('146') },
    })
    iana = '292'
  })

  test('it names no account into which a domain was pushed, and no word of the registry then', async () => {
    const registrar = new ScriptedRegistrar(['pushed.org'])
    await connectScripted(live, registrar, ['org'], 'second')
    const id = await started('pushed.org', { method: 'push', account: 'acct-of-somebody' })
    await vi.waitFor(
      async () => {
        live.clock.advance(3_000)
        await receiptOf(id, partner)
      },
      { timeout: 20_000, interval: 300 },
    )
    const claims = await claimsOf(id)
    expect(claims).toMatchObject({
      registrar: { asked: { op: 'push' }, answered: { status: 'succeeded' } },
      registry: { before: { source: 'rdap' }, after: null },
    })
    expect(JSON.stringify(claims)).not.toContain('acct-of-somebody')
  })

  test('it invents nothing where an operator delivered by hand and the registry is away', async () => {
    const id = await started('by-hand.net', { method: 'auth_code' })
    const lookup = vi.spyOn(live.app.registry, 'lookup').mockRejectedValue(new Error('away'))
    must(await live.admin('POST', `/orders/${id}/complete`, { reason: 'I saw it.' }), 200)
    lookup.mockRestore()
    expect(await claimsOf(id)).toMatchObject({
      registrar: { asked: null, answered: null },
      registry: { before: { source: 'rdap' }, after: null },
    })
  })
})

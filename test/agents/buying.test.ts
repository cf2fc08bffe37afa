import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MINUTE } from '../../src/lib/clock.ts'
import { type Agent, agentOf, buy, consent, letIn } from '../support/agent.ts'
import {
  type Browser,
  exchange,
  makeUser,
  refresh,
  signIn,
  tokenRequest,
} from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

const ORDERS = '/api/agent/orders'

let service: TestService
let browser: Browser
let userId: string
let other: Browser
let number = 0

beforeAll(async () => {
  service = await startService()
  userId = await makeUser(service, 'ann@example.com')
  browser = await signIn(service, 'ann@example.com')
  await makeUser(service, 'bob@example.com')
  other = await signIn(service, 'bob@example.com')
})
afterAll(() => service.stop())

/** Lists a name of its own for a test. */
async function listed(price = 10_000, currency = 'USD'): Promise<string> {
  number += 1
  const domain = `agent${number}.com`
  await service.list(
    'live',
    `domain,price_cents,floor_price_cents,currency\n${domain},${price},${price},${currency}\n`,
  )
  return domain
}

async function listedMany(count: number, price = 10_000): Promise<string[]> {
  const domains = Array.from({ length: count }, () => `agent${(number += 1)}.com`)
  const rows = domains.map((domain) => `${domain},${price},${price},USD\n`)
  await service.list('live', `domain,price_cents,floor_price_cents,currency\n${rows.join('')}`)
  return domains
}

async function card(number: string, whose: Browser = browser): Promise<void> {
  const response = await whose.post('/account/payment-method', {
    card_number: number,
    card_expiry: '12/39',
    card_cvc: '123',
  })
  expect(response.status).toBe(303)
}

async function count(domain: string): Promise<{ orders: number; payments: number }> {
  const { db } = service.app
  const orders = await db
    .selectFrom('orders')
    .select('public_id')
    .where('domain', '=', domain)
    .execute()
  const payments = await db
    .selectFrom('payments')
    .innerJoin('checkout_sessions as s', 's.id', 'payments.session_id')
    .select('payments.id')
    .where('s.domain', '=', domain)
    .execute()
  return { orders: orders.length, payments: payments.length }
}

describe('the consent', () => {
  test('says what the app may spend, and the token response has it', async () => {
    const agent = await letIn(service, browser, {
      max_per_order: '250.00',
      max_total: '1,000',
      expires_at: new Date(service.clock.now().getTime() + 20 * 86_400_000)
        .toISOString()
        .slice(0, 10),
    })
    expect(agent.tokens.scope).toBe('pricing:read orders:create')
    expect(agent.tokens.mandate).toMatchObject({
      max_per_order_cents: 25_000,
      max_total_cents: 100_000,
      currency: 'USD',
      expires_at: expect.stringMatching(/T23:59:59\.999Z$/),
    })
  })

  test.each([
    [{ max_per_order: 'much' }, 'Enter an amount'],
    [{ max_per_order: '900', max_total: '100' }, 'at least as much'],
    [{ currency: 'XYZ' }, 'currency code'],
    [{ currency: '' }, 'currency code'],
    [{ expires_at: '' }, 'still to come'],
    [{ expires_at: '2001-01-01' }, 'still to come'],
    [{ expires_at: '2999-01-01' }, 'within a year'],
  ])('rejects %j', async (limits, text) => {
    await expect(consent(service, browser, limits)).rejects.toThrow(text)
  })

  test('takes amounts in cents from programs', async () => {
    const limits = { max_per_order_cents: '100', max_total_cents: '300', currency: 'EUR' }
    const agent = await letIn(service, browser, limits)
    expect(agent.tokens.mandate).toMatchObject({
      max_per_order_cents: 100,
      max_total_cents: 300,
      currency: 'EUR',
    })
  })

  test('keeps the mandate and what was spent on refresh, and grants no more', async () => {
    const agent = await letIn(service, browser, { max_per_order: '100', max_total: '150' })
    expect((await buy(agent, await listed())).status).toBe(201)
    const wider = await tokenRequest(service, {
      grant_type: 'refresh_token',
      client_id: agent.clientId,
      refresh_token: agent.tokens.refresh_token,
      scope: 'orders:create domains:manage',
    })
    expect([wider.status, wider.body.error]).toEqual([400, 'invalid_scope'])
    const next = await refresh(service, agent.clientId, agent.tokens.refresh_token)
    expect(next.body.mandate).toEqual(agent.tokens.mandate)
    const later = agentOf(service, agent.clientId, next.body)
    const response = await later.post(ORDERS, { domain: await listed() })
    expect([response.status, response.body.error.code]).toEqual([409, 'mandate_exceeded'])
    expect(response.body.error.details.left_cents).toBe(5_000)
  })

  test('gives a refresh less when it asks for less', async () => {
    const agent = await letIn(service, browser)
    const less = await tokenRequest(service, {
      grant_type: 'refresh_token',
      client_id: agent.clientId,
      refresh_token: agent.tokens.refresh_token,
      scope: 'pricing:read',
    })
    expect(less.body).toMatchObject({ scope: 'pricing:read' })
    expect(less.body.mandate).toBeUndefined()
    const narrow = agentOf(service, agent.clientId, less.body)
    expect((await narrow.post(ORDERS, { domain: await listed() })).status).toBe(403)
    const again = await refresh(service, agent.clientId, less.body.refresh_token)
    expect(again.body.scope).toBe('pricing:read orders:create')
  })

  test('rejects a scope that the code was not granted', async () => {
    const code = await consent(service, browser, { scope: 'pricing:read' })
    const asked = await tokenRequest(service, {
      grant_type: 'authorization_code',
      client_id: code.clientId,
      code: code.code,
      code_verifier: code.verifier,
      redirect_uri: 'https://app.example/callback',
      scope: 'orders:create',
    })
    expect(asked.body.error).toBe('invalid_scope')
    expect((await exchange(service, code)).status).toBe(200)
  })
})

describe('a purchase', () => {
  let agent: Agent
  beforeAll(async () => {
    agent = await letIn(service, browser, { max_per_order: '500', max_total: '50000' })
  })

  test('is said first, and made second, with the saved card', async () => {
    const domain = await listed(12_345)
    const quote = await agent.post('/api/agent/quotes', { domain })
    expect(quote.status).toBe(200)
    expect(quote.body).toMatchObject({
      price_cents: 12_345,
      total: '123.45 USD',
      within_mandate: true,
    })
    const first = await agent.post(ORDERS, { domain })
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({
      status: 'confirmation_required',
      domain,
      price_cents: 12_345,
      currency: 'USD',
      public_id: null,
    })
    expect(await count(domain)).toEqual({ orders: 0, payments: 0 })
    const second = await agent.post(ORDERS, { domain, confirm: first.body.confirmation })
    expect(second.status).toBe(201)
    expect(second.body).toMatchObject({ status: 'PAID', domain, total_cents: 12_345 })
    const again = await agent.post(ORDERS, { confirm: first.body.confirmation })
    expect(again.status).toBe(201)
    expect(again.body.public_id).toBe(second.body.public_id)
    expect(await count(domain)).toEqual({ orders: 1, payments: 1 })
    for (const id of [second.body.id, second.body.public_id]) {
      const found = await agent.get(`${ORDERS}/${id}`)
      expect(found.body).toMatchObject({ status: 'PAID', public_id: second.body.public_id })
    }
    const mails = await service.admin('GET', '/mails?to=ann@example.com')
    expect(JSON.stringify(mails.body)).toContain(`Test app bought ${domain} for you`)
  })

  test('is followed to its delivery', async () => {
    const domain = await listed()
    const { body } = await buy(agent, domain)
    await service.admin('POST', `/orders/${body.public_id}/start`, {})
    await service.admin('POST', `/orders/${body.public_id}/complete`, {})
    const found = await agent.get(`${ORDERS}/${body.public_id}`)
    expect(found.body).toMatchObject({
      status: 'TRANSFER_COMPLETED',
      transfer: { status: 'completed' },
    })
  })

  test('is made once when its confirmation is raced', async () => {
    const domain = await listed()
    const { body } = await agent.post(ORDERS, { domain })
    const all = await Promise.all(
      Array.from({ length: 8 }, () => agent.post(ORDERS, { confirm: body.confirmation })),
    )
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
    expect(new Set(all.map((each) => each.body.public_id)).size).toBe(1)
    expect(await count(domain)).toEqual({ orders: 1, payments: 1 })
  })

  test('needs a confirmation of this name, app, user and time', async () => {
    const [domain, second] = [await listed(), await listed()]
    const { body } = await agent.post(ORDERS, { domain })
    const swapped = await agent.post(ORDERS, { domain: second, confirm: body.confirmation })
    expect([swapped.status, swapped.body.error.details[0].field]).toEqual([400, 'confirm'])
    const stranger = await letIn(service, other)
    const theirs = await stranger.post(ORDERS, { domain, confirm: body.confirmation })
    expect(theirs.status).toBe(400)
    const sibling = await letIn(service, browser)
    expect((await sibling.post(ORDERS, { confirm: body.confirmation })).status).toBe(400)
    const [head, payload, signature] = String(body.confirmation).split('.')
    const claims = JSON.parse(Buffer.from(String(payload), 'base64url').toString())
    const cheap = Buffer.from(JSON.stringify({ ...claims, price_cents: 1 })).toString('base64url')
    const forged = await agent.post(ORDERS, { confirm: `${head}.${cheap}.${signature}` })
    expect(forged.status).toBe(400)
    const quote = await agent.post('/api/agent/quotes', { domain })
    expect((await agent.post(ORDERS, { confirm: quote.body.quote_token })).status).toBe(400)
    expect(await count(domain)).toEqual({ orders: 0, payments: 0 })
  })

  test('is not made at another price', async () => {
    const domain = await listed(10_000)
    const { body } = await agent.post(ORDERS, { domain })
    await service.list(
      'live',
      `domain,price_cents,floor_price_cents,currency\n${domain},11000,11000,USD\n`,
    )
    const response = await agent.post(ORDERS, { domain, confirm: body.confirmation })
    expect([response.status, response.body.error.code]).toEqual([409, 'price_changed'])
    expect(response.body.error.details).toMatchObject({ current_price_cents: 11_000 })
    expect(await count(domain)).toEqual({ orders: 0, payments: 0 })
  })

  test('is not made of what is sold, reserved or not there', async () => {
    const domain = await listed()
    const [mine, late] = [
      await agent.post(ORDERS, { domain }),
      await agent.post(ORDERS, { domain }),
    ]
    expect((await agent.post(ORDERS, { confirm: mine.body.confirmation })).status).toBe(201)
    const sold = await agent.post(ORDERS, { confirm: late.body.confirmation })
    expect([sold.status, sold.body.error.details.reason]).toEqual([409, 'domain_sold'])
    expect((await agent.post(ORDERS, { domain })).body.error.details.reason).toBe('domain_sold')
    expect((await agent.post('/api/agent/quotes', { domain })).status).toBe(409)
    expect((await agent.post(ORDERS, { domain: 'unlisted.com' })).status).toBe(404)
    const reserved = await listed()
    const partner = await service.partner({ environment: 'live' })
    expect((await partner.post('/quotes', { domain: reserved })).status).toBe(201)
    const held = await agent.post(ORDERS, { domain: reserved })
    expect(held.body.error.details.reason).toBe('domain_reserved')
  })

  test('needs the scope, a token, and one that is its own', async () => {
    const domain = await listed()
    const bare = await service.send({
      method: 'POST',
      target: ORDERS,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domain }),
    })
    expect(bare.status).toBe(401)
    expect(bare.headers['www-authenticate']).toContain('scope="orders:create"')
    const reader = await letIn(service, browser, { scope: 'pricing:read' })
    const narrow = await reader.post(ORDERS, { domain })
    expect([narrow.status, narrow.body.error.code]).toEqual([403, 'insufficient_scope'])
    expect(narrow.headers['www-authenticate']).toContain('error="insufficient_scope"')
    const { body } = await buy(agent, domain)
    const stranger = await letIn(service, other)
    expect((await stranger.get(`${ORDERS}/${body.public_id}`)).status).toBe(404)
    const sibling = await letIn(service, browser)
    expect((await sibling.get(`${ORDERS}/${body.public_id}`)).status).toBe(404)
    const made = await service.admin('POST', '/user-tokens', { email: 'ann@example.com' })
    const personal = agentOf(service, '', { ...agent.tokens, access_token: made.body.token })
    expect((await personal.post(ORDERS, { domain })).body.error.code).toBe('insufficient_scope')
    const { db } = service.app
    await db
      .updateTable('oauth_grants')
      .set({ resource: 'https://other.example' })
      .where('client_id', '=', reader.clientId)
      .execute()
    expect((await reader.get(`${ORDERS}/${body.public_id}`)).body.error.code).toBe('invalid_token')
  })

  test('is in a batch where it only reads', async () => {
    const { body } = await buy(agent, await listed())
    const batch = await agent.post('/api/batch', {
      operations: [
        { id: 'a', op: 'order_status', params: { id: body.public_id } },
        { id: 'b', op: 'get_quote', params: { domain: await listed() } },
        { id: 'c', op: 'buy_domain', params: { domain: await listed() } },
      ],
    })
    const statuses = batch.body.results.map(({ status }: { status: number }) => status)
    expect(statuses).toEqual([200, 200, 400])
  })

  test('repeats the first step by an Idempotency-Key, no matter who has the name by then', async () => {
    const agent = await letIn(service, browser)
    const domain = await listed()
    const key = { 'idempotency-key': 'agent-first-step' }
    const first = await agent.post(ORDERS, { domain }, key)
    expect(first.status).toBe(200)
    const partner = await service.partner({ environment: 'live' })
    expect((await partner.post('/quotes', { domain })).status).toBe(201)
    const again = await agent.post(ORDERS, { domain }, key)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(again.headers['idempotent-replayed']).toBe('true')
    const anew = await agent.post(ORDERS, { domain })
    expect([anew.status, anew.body.error.details.reason]).toEqual([409, 'domain_reserved'])
  })

  test('repeats its response by an Idempotency-Key', async () => {
    const { body } = await agent.post(ORDERS, { domain: await listed() })
    const key = { 'idempotency-key': 'agent-1' }
    const one = await agent.post(ORDERS, { confirm: body.confirmation }, key)
    const two = await agent.post(ORDERS, { confirm: body.confirmation }, key)
    expect([one.status, two.status, two.text === one.text]).toEqual([201, 201, true])
    expect(two.headers['idempotent-replayed']).toBe('true')
  })
})

describe('the mandate', () => {
  test('covers three of ten that are bought at once', async () => {
    const agent = await letIn(service, browser, { max_per_order: '100', max_total: '300' })
    const domains = await listedMany(10)
    const quoted = await Promise.all(domains.map((domain) => agent.post(ORDERS, { domain })))
    const bought = await Promise.all(
      quoted.map(({ body }) => agent.post(ORDERS, { confirm: body.confirmation })),
    )
    const statuses = bought.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(3)
    const rejected = bought.filter(({ status }) => status !== 201)
    expect(rejected).toHaveLength(7)
    for (const { status, body } of rejected) {
      expect([status, body.error.code, body.error.details.left_cents]).toEqual([
        409,
        'mandate_exceeded',
        0,
      ])
    }
  })

  test('limits one purchase, the currency and the time', async () => {
    const agent = await letIn(service, browser, { max_per_order: '100', max_total: '300' })
    const dear = await agent.post(ORDERS, { domain: await listed(10_001) })
    expect(dear.body.error).toMatchObject({
      code: 'mandate_exceeded',
      details: { left_cents: 30_000, max_per_order_cents: 10_000 },
    })
    const foreign = await agent.post(ORDERS, { domain: await listed(100, 'EUR') })
    expect(foreign.body.error.details).toMatchObject({ left_cents: 30_000, currency: 'USD' })
    const soon = new Date(service.clock.now().getTime() + MINUTE).toISOString()
    const brief = await letIn(service, browser, { expires_at: soon })
    const domain = await listed()
    const { body } = await brief.post(ORDERS, { domain })
    service.clock.advance(2 * MINUTE)
    const late = await brief.post(ORDERS, { domain, confirm: body.confirmation })
    expect(late.body.error).toMatchObject({ code: 'mandate_exceeded', details: { left_cents: 0 } })
  })

  test('is not used up by what failed, and the card is said to be declined', async () => {
    const agent = await letIn(service, other, { max_per_order: '100', max_total: '100' })
    await card('4000000000000341', other)
    const domain = await listed()
    const { body } = await agent.post(ORDERS, { domain })
    const declined = await agent.post(ORDERS, { confirm: body.confirmation })
    expect([declined.status, declined.body.error.code]).toEqual([402, 'payment_failed'])
    const again = await agent.post(ORDERS, { confirm: body.confirmation })
    expect(again.status).toBe(402)
    await other.post('/account/payment-method/remove', {})
    const none = await buy(agent, domain)
    expect([none.status, none.body.error.details.reason]).toEqual([402, 'no_saved_card'])
    await card('4000002500003155', other)
    expect((await buy(agent, domain)).status).toBe(402)
    await card('4242424242424242', other)
    expect((await buy(agent, domain)).status).toBe(201)
  })

  test('counts a payment that takes its time', async () => {
    const agent = await letIn(service, other, { max_per_order: '100', max_total: '100' })
    await card('4000000000000077', other)
    const { body, status } = await buy(agent, await listed())
    expect([status, body.status, body.public_id]).toEqual([201, 'processing', null])
    expect((await buy(agent, await listed())).body.error.code).toBe('mandate_exceeded')
    service.clock.advance(MINUTE)
    await expect
      .poll(async () => (await agent.get(`${ORDERS}/${body.id}`)).body.status, { timeout: 15_000 })
      .toBe('PAID')
    await card('4242424242424242', other)
  })

  test('ends with its confirmation after ten minutes', async () => {
    const agent = await letIn(service, browser)
    const domain = await listed()
    const { body } = await agent.post(ORDERS, { domain })
    service.clock.advance(11 * MINUTE)
    const late = await agent.post(ORDERS, { domain, confirm: body.confirmation })
    expect([late.status, late.body.error.code]).toEqual([422, 'quote_expired'])
  })

  test('loses nothing to a stop between the charge and the order', async () => {
    const agent = await letIn(service, browser)
    const domain = await listed()
    const { body } = await agent.post(ORDERS, { domain })
    const provider = service.app.payments.byId('test')
    const { charge } = provider.cards
    let charged = 0
    provider.cards.charge = async (request) => {
      charged += 1
      await charge(request)
      throw new Error('the service stopped here')
    }
    const pending = agent.post(ORDERS, { confirm: body.confirmation })
    await expect.poll(() => charged).toBe(1)
    provider.cards.charge = charge
    service.clock.advance(2 * MINUTE)
    const response = await pending
    expect(response.status).toBe(201)
    await expect
      .poll(async () => (await agent.post(ORDERS, { confirm: body.confirmation })).body.status, {
        timeout: 15_000,
      })
      .toBe('PAID')
    expect(await count(domain)).toEqual({ orders: 1, payments: 1 })
  })
})

describe('the user', () => {
  test('ends an app at once', async () => {
    const agent = await letIn(service, browser)
    const domain = await listed()
    const { body } = await agent.post(ORDERS, { domain })
    const grant = await service.app.db
      .selectFrom('oauth_grants')
      .select('id')
      .where('user_id', '=', userId)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    await browser.post('/account/apps/revoke', { id: grant.id })
    const response = await agent.post(ORDERS, { domain, confirm: body.confirmation })
    expect([response.status, response.body.error.code]).toEqual([401, 'invalid_token'])
  })

  test('sees what an app spent, and cancels a purchase before its transfer starts', async () => {
    const agent = await letIn(service, browser, { max_per_order: '150', max_total: '400' })
    const [domain, started] = [await listed(12_000), await listed(11_000)]
    const { body } = await buy(agent, domain)
    const late = await buy(agent, started)
    const page = await browser.get('/account/access')
    expect(page.text).toContain('$230.00 of $400.00')
    expect(page.text).toContain(domain)
    const orderPage = async () => {
      const { headers } = await browser.get(`/account/purchases/${body.public_id}`)
      return (await browser.get(String(headers.location).replace(service.baseUrl, ''))).text
    }
    expect(await orderPage()).toMatch(/you can cancel it under <a href="\/account\/access">/)
    expect(await orderPage()).toContain('<nav aria-label="Site">')
    const stranger = await other.post('/account/apps/cancel', { public_id: body.public_id })
    expect(stranger.status).toBe(404)
    const cancelled = await browser.post('/account/apps/cancel', { public_id: body.public_id })
    expect(cancelled.status).toBe(303)
    expect(await orderPage()).not.toContain('you can cancel it')
    expect((await agent.get(`${ORDERS}/${body.id}`)).body.status).toBe('CANCELLED')
    await expect
      .poll(
        async () =>
          (
            await service.app.db
              .selectFrom('payments')
              .select('status')
              .where('public_id', '=', body.public_id)
              .executeTakeFirst()
          )?.status,
        { timeout: 15_000 },
      )
      .toBe('refunded')
    await service.admin('POST', `/orders/${late.body.public_id}/start`, {})
    const tooLate = await browser.post('/account/apps/cancel', { public_id: late.body.public_id })
    expect(tooLate.status).toBe(409)
    expect((await agent.get(`${ORDERS}/${late.body.id}`)).body.status).toBe('TRANSFER_IN_PROGRESS')
  })
})

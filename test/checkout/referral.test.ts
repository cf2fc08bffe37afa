import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moveCase, openCase } from '../support/brokerage.ts'
import { Buyer, CARDS, DETAILS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { queryOf } from '../support/inputs.ts'
import { freshName, must, operate } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const HALF_AN_HOUR = 30 * 60_000
const DAY = 86_400_000
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

let service: TestService
let client: PartnerClient
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

async function affiliate() {
  client = await service.partner({ affiliate: true })
  return client
}

async function link(body: object = { type: 'generic' }) {
  return must(await client.post('/links', body), 201).body
}

/** What the five reading endpoints say together, held against each other. */
async function readings() {
  const clicks = must(await client.get('/me/clicks'), 200).body
  const { sales } = must(await client.get('/me/sales'), 200).body
  const commissions = must(await client.get('/me/commissions'), 200).body
  const payouts = must(await client.get('/me/payouts'), 200).body
  const analytics = must(await client.get('/analytics'), 200).body
  const { links } = must(await client.get('/links'), 200).body
  const sum = (items: Record<string, number>[], field: string) =>
    items.reduce((total, item) => total + (item[field] ?? 0), 0)
  expect(analytics.totals).toMatchObject({
    clicks: clicks.total,
    sales: sales.length,
    gmv_cents: sum(sales, 'amount_cents'),
    commission_cents: sum(sales, 'commission_cents'),
  })
  expect(sum(links, 'clicks')).toBe(clicks.total)
  expect(sum(links, 'sales')).toBe(sales.length)
  expect(sum(links, 'commission_cents')).toBe(analytics.totals.commission_cents)
  expect(commissions.balance_cents + payouts.total_paid_cents).toBe(
    analytics.totals.commission_cents,
  )
  for (const field of ['clicks', 'checkouts', 'sales', 'gmv_cents', 'commission_cents']) {
    expect(sum(analytics.series, field)).toBe(analytics.totals[field])
  }
  return { clicks, sales, commissions, payouts, analytics, links }
}

describe('a tracked link', () => {
  test('earns by the sale that it brought', async () => {
    await affiliate()
    const domain = await freshName(service)
    const made = await link({ type: 'domain', domain, label: 'Newsletter' })
    expect(made).toMatchObject({ type: 'domain', domain, product: null, clicks: 0, sales: 0 })
    expect(made.url).toMatch(/^http:\/\/localhost:3000\/r\/[\w-]{12}$/)
    const buyer = new Buyer(service)
    await buyer.visit(made.url)
    expect(buyer.path).toBe(`/d/${domain}`)
    expect(buyer.page.text).toContain('This is a test')
    await buyer.pay(`/d/${domain}`)
    expect(buyer.publicId).toBeDefined()
    const { sales, commissions, analytics, links } = await readings()
    expect(sales).toEqual([
      expect.objectContaining({
        public_id: buyer.publicId,
        link_id: made.id,
        buyer: 'b***@example.com',
        domain,
        amount_cents: 10_000,
        commission_cents: 500,
        status: 'PAID',
      }),
    ])
    expect(commissions.entries).toEqual([
      expect.objectContaining({ type: 'accrued', amount_cents: 500, sale_id: sales[0].id }),
    ])
    expect(analytics.totals).toEqual({
      clicks: 1,
      checkouts: 1,
      sales: 1,
      gmv_cents: 10_000,
      commission_cents: 500,
    })
    expect(links[0]).toMatchObject({ clicks: 1, sales: 1, sale_amount_cents: 10_000 })
    const order = must(await client.get(`/orders/${buyer.publicId}`), 200).body
    expect(order.buyer).toEqual({ email: 'b***@example.com', name: null, country: 'US' })
    const seen = await service.admin('GET', `/orders/${buyer.publicId}`)
    expect(seen.body.buyer.email).toBe('buyer@example.com')
  })

  test('is counted with others that are visited at the same moment, until the sandbox is reset', async () => {
    await affiliate()
    const links = [await link(), await link(), await link()]
    const visits = Array.from({ length: 5 }, () => links).flat()
    await Promise.all(visits.map(({ url }) => new Buyer(service).visit(url)))
    const { clicks } = await readings()
    expect(clicks).toMatchObject({ total: 15, series: [{ clicks: 15 }] })
    must(await client.post('/sandbox/reset', {}), 200)
    expect((await readings()).clicks).toMatchObject({ total: 0, series: [] })
  })

  test('of the sandbox takes no live sale from anybody', async () => {
    await affiliate()
    const tests = await link()
    const { partner_id } = client
    const live = await service.partner({ partner_id, environment: 'live' })
    const real = must(await live.post('/links', { type: 'generic' }), 201).body
    const buyer = new Buyer(service)
    await buyer.visit(real.url)
    await buyer.visit(tests.url)
    await buyer.pay(`/d/${await freshName(service, 'live')}`)
    expect(must(await live.get('/me/sales'), 200).body.sales).toMatchObject([
      { public_id: buyer.publicId, link_id: real.id },
    ])
    expect(must(await client.get('/me/sales'), 200).body.sales).toEqual([])
  })

  test('counts repeats within a day in the total, and robots apart', async () => {
    await affiliate()
    const { url } = await link()
    const buyer = new Buyer(service)
    await buyer.visit(url)
    expect(buyer.path).toBe('/')
    await buyer.visit(url)
    await new Buyer(service).visit(url)
    await new Buyer(service, 'Mozilla/5.0 (iPhone) Mobile/15E148 Safari/604.1').visit(url)
    await new Buyer(service, BOT).visit(url)
    const { clicks } = await readings()
    expect(clicks).toMatchObject({ total: 4, unique: 2, bots: 1 })
  })

  test('leads to this service alone', async () => {
    await affiliate()
    const here = await link({ type: 'product', product: 'search', destination_url: '/docs?x=1' })
    const buyer = new Buyer(service)
    await buyer.visit(here.url)
    expect(buyer.path).toBe('/docs?x=1')
    for (const destination_url of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
      '/..//evil.example/',
      '/.//evil.example/',
      '/./\\evil.example',
      '/a/../..//evil.example',
      '/%2e%2e//evil.example',
      '..//evil.example',
      `${service.baseUrl}/..//evil.example`,
      'http://user:pass@localhost:3000/',
    ]) {
      const rejected = await client.post('/links', { type: 'generic', destination_url })
      expect(rejected.status, destination_url).toBe(400)
      expect(rejected.body.error.code).toBe('validation_error')
    }
    await buyer.visit('/r/unknown')
    expect(buyer.page.status).toBe(404)
    await buyer.visit('/r/%00')
    expect(buyer.page.status).toBe(404)
  })

  test('needs what its type says, and a listed domain', async () => {
    await affiliate()
    expect((await client.post('/links', { type: 'domain' })).status).toBe(400)
    expect((await client.post('/links', { type: 'product' })).status).toBe(400)
    const unknown = await client.post('/links', { type: 'domain', domain: 'never-listed.test' })
    expect(unknown.status).toBe(404)
    expect(unknown.body.error.code).toBe('not_found')
    const live = await freshName(service, 'live')
    expect((await client.post('/links', { type: 'domain', domain: live })).status).toBe(404)
  })

  test('is found among the others by its type and its domain', async () => {
    await affiliate()
    const domain = await freshName(service)
    const other = await link({ type: 'domain', domain: await freshName(service) })
    const made = [await link({ type: 'domain', domain }), await link({ type: 'domain', domain })]
    const generic = await link()
    const found = async (query: Record<string, string>) =>
      must(await client.get(`/links${queryOf(query)}`), 200).body
    const ids = ({ links }: { links: { id: string }[] }) => links.map(({ id }) => id)
    expect(ids(await found({ type: 'generic' }))).toEqual([generic.id])
    expect(ids(await found({ type: 'domain' }))).toContain(other.id)
    const first = await found({ domain: domain.toUpperCase(), limit: '1' })
    expect(ids(first)).toEqual([made[1].id])
    const rest = await found({ domain, limit: '1', cursor: first.next_cursor })
    expect(ids(rest)).toEqual([made[0].id])
    expect(rest.next_cursor).toBeNull()
    const elsewhere = await client.get(`/links${queryOf({ cursor: first.next_cursor })}`)
    expect(elsewhere.body.error.code).toBe('invalid_cursor')
    for (const query of [{ type: 'any' }, { domain: 'no name' }]) {
      const response = await client.get(`/links${queryOf(query)}`)
      expect(response.body.error?.code).toBe('validation_error')
    }
  })
})

describe('attribution', () => {
  test('the last click wins', async () => {
    const first = await affiliate()
    const one = await link()
    const second = await affiliate()
    const other = await link()
    const buyer = new Buyer(service)
    await buyer.visit(one.url)
    await buyer.visit(other.url)
    await buyer.pay(`/d/${await freshName(service)}`)
    expect(must(await second.get('/me/sales'), 200).body.sales).toHaveLength(1)
    expect(must(await first.get('/me/sales'), 200).body.sales).toHaveLength(0)
  })

  test('nobody earns by buying', async () => {
    await affiliate()
    const { url } = await link()
    const me = await service.admin('GET', '/partners?limit=100')
    const { email } = me.body.partners.find(
      ({ partner_id }: { partner_id: string }) => partner_id === client.partner_id,
    )
    const buyer = new Buyer(service)
    await buyer.visit(url)
    await buyer.pay(`/d/${await freshName(service)}`, undefined, { email: email.toUpperCase() })
    expect(buyer.publicId).toBeDefined()
    const { sales, analytics } = await readings()
    expect(sales).toEqual([])
    expect(analytics.totals).toMatchObject({ checkouts: 1, sales: 0 })
  })

  test.each(['affiliate_id', 'partner_id'])(
    'nor do those whose account is linked to it by %s',
    async (field) => {
      await affiliate()
      const { url } = await link()
      const { partner_id } = client
      const email = `${field}@example.org`
      const made = await service.admin('POST', '/users', { email, password: 'correct horse 42' })
      const { affiliate_id } = must(await service.admin('GET', `/partners/${partner_id}`), 200).body
      const links = {
        partner_id,
        ...(field === 'affiliate_id' && { affiliate_id, partner_id: null }),
      }
      must(await service.admin('PUT', `/users/${must(made, 201).body.user_id}`, links), 200)
      const buyer = new Buyer(service)
      await buyer.visit(url)
      await buyer.pay(`/d/${await freshName(service)}`, undefined, { email })
      expect(buyer.publicId).toBeDefined()
      expect((await readings()).sales).toEqual([])
    },
  )

  test('has the checkout that it came to later, and the one that had it before keeps it', async () => {
    const first = await affiliate()
    const one = await link()
    const second = await affiliate()
    const other = await link()
    const buyer = new Buyer(service)
    await buyer.visit(one.url)
    await buyer.visit(`/d/${await freshName(service)}`)
    await buyer.submit()
    const checkout = buyer.path
    await buyer.visit(other.url)
    await buyer.visit(checkout)
    await buyer.submit(DETAILS)
    await buyer.card(CARDS.succeeds)
    const totals = async (who: PartnerClient) => must(await who.get('/analytics'), 200).body.totals
    expect(await totals(first)).toMatchObject({ checkouts: 1, sales: 0 })
    expect(await totals(second)).toMatchObject({ checkouts: 1, sales: 1 })
  })

  test("a partner's own link is that partner's alone", async () => {
    const first = await affiliate()
    const { url } = await link()
    const second = await service.partner({ affiliate: true })
    const buyer = new Buyer(service)
    await buyer.visit(url)
    const domain = await freshName(service)
    const session = must(await second.post('/checkout-session', { domain }), 201).body
    await buyer.pay(session.checkout_url)
    expect(must(await first.get('/me/sales'), 200).body.sales).toEqual([])
    expect(must(await first.get('/transactions'), 200).body.totals.count).toBe(0)
    expect(must(await second.get('/transactions'), 200).body.totals.count).toBe(1)
  })

  test.each([
    ['with the sale', 'CANCELLED'],
    ['while its payment is disputed', 'PAID'],
  ])('is taken back %s, on the day of the sale', async (how, status) => {
    await affiliate()
    const { url } = await link()
    const buyer = new Buyer(service)
    await buyer.visit(url)
    await buyer.pay(`/d/${await freshName(service)}`)
    const publicId = buyer.publicId ?? ''
    service.clock.advance(DAY)
    if (status === 'CANCELLED') await operate(service, publicId, 'cancel')
    else {
      const { payments } = (await service.admin('GET', `/payments?public_id=${publicId}`)).body
      must(await service.admin('POST', `/payments/${payments[0].id}/play/dispute`), 200)
    }
    const { commissions, sales, analytics } = await readings()
    expect(commissions.balance_cents, how).toBe(0)
    expect(commissions.entries.map(({ type }: { type: string }) => type)).toEqual([
      'reversed',
      'accrued',
    ])
    expect(sales[0]).toMatchObject({ status, commission_cents: 0 })
    expect(analytics.totals).toMatchObject({ sales: 1, commission_cents: 0 })
    expect(analytics.series).toHaveLength(1)
  })

  test('is read by spans, of one environment, and without what no link brought', async () => {
    const { partner_id } = await affiliate()
    const live = await service.partner({ partner_id, environment: 'live' })
    must(await live.post('/links', { type: 'generic' }), 201)
    const { id, url } = await link()
    const sale = async (page: string, ...before: string[]) => {
      const buyer = new Buyer(service)
      for (const visit of before) await buyer.visit(visit)
      await buyer.pay(page)
      return buyer.publicId
    }
    const first = await sale(`/d/${await freshName(service)}`, url)
    service.clock.advance(DAY)
    const second = await sale(`/d/${await freshName(service)}`, url)
    const domain = await freshName(service)
    await sale(must(await client.post('/checkout-session', { domain }), 201).body.checkout_url)

    const now = service.clock.now().toISOString()
    const today = now.slice(0, 10)
    const later = encodeURIComponent(new Date(Date.parse(now) + 1).toISOString())
    for (const [span, sold, days] of [
      ['limit=100', [second, first], 2],
      [`from=${today}`, [second], 1],
      [`to=${today}`, [first], 1],
      [`from=${today}&to=${later}`, [second], 1],
      [`from=${later}`, [], 1],
    ] as const) {
      const { sales } = must(await client.get(`/me/sales?${span}`), 200).body
      expect(sales.map(({ public_id }: { public_id: string }) => public_id)).toEqual(sold)
      expect(must(await client.get(`/me/clicks?${span}`), 200).body.total, span).toBe(days)
      const { totals } = must(await client.get(`/analytics?${span}`), 200).body
      expect(totals, span).toMatchObject({ clicks: days, sales: days })
    }
    const { links } = must(await client.get('/links'), 200).body
    expect(links).toMatchObject([{ id, clicks: 2, sales: 2 }])
  })

  test('ends after thirty days', async () => {
    const own = await startService()
    client = await own.partner({ affiliate: true })
    const { url } = await link()
    const buyer = new Buyer(own)
    await buyer.visit(url)
    own.clock.advance(30 * DAY)
    await buyer.pay(`/d/${await freshName(own)}`)
    expect(buyer.publicId).toBeDefined()
    // Begun in time, and paid too late.
    const late = new Buyer(own)
    await late.visit(url)
    own.clock.advance(30 * DAY - HALF_AN_HOUR)
    await late.visit(`/d/${await freshName(own)}`)
    await late.submit()
    await late.submit(DETAILS)
    own.clock.advance(HALF_AN_HOUR)
    await late.card(CARDS.succeeds)
    expect(late.publicId).toBeDefined()
    expect(must(await client.get('/me/sales'), 200).body.sales).toEqual([])
    await own.stop()
  })

  test('earns a suspended partner nothing', async () => {
    await affiliate()
    const { url } = await link()
    const buyer = new Buyer(service)
    await buyer.visit(url)
    const path = `/partners/${client.partner_id}/status`
    must(await service.admin('POST', path, { status: 'suspended' }), 200)
    await buyer.pay(`/d/${await freshName(service)}`)
    expect(buyer.publicId).toBeDefined()
    must(await service.admin('POST', path, { status: 'active' }), 200)
    const { sales, commissions } = await readings()
    expect(sales).toEqual([])
    expect(commissions.entries).toEqual([])
  })
})

test('without an affiliate account there is no referral', async () => {
  const plain = await service.partner()
  for (const response of [
    await plain.post('/links', { type: 'generic' }),
    await plain.post('/links', {}),
    await plain.get('/links'),
    await plain.get('/links?limit=many'),
    await plain.get('/me/clicks'),
    await plain.get('/me/sales'),
    await plain.get('/me/commissions'),
    await plain.get('/me/payouts'),
    await plain.get('/analytics'),
  ]) {
    expect(response.status).toBe(403)
    expect(response.body.error).toMatchObject({
      code: 'forbidden',
      details: { reason: 'affiliate_not_linked' },
    })
  }
  must(await plain.get('/payouts'), 200)
  must(await plain.get('/transactions'), 200)
})

test('spans may be of any year that RFC 3339 can write', async () => {
  await affiliate()
  for (const path of ['/transactions', '/analytics', '/me/clicks', '/me/sales', '/orders']) {
    for (const [from, to] of [
      ['0000-01-01', '9999-12-31'],
      ['0001-01-01T00:00:00+23:59', '9999-12-31T23:59:59.999-23:59'],
    ]) {
      must(await client.get(path + queryOf({ from, to })), 200)
    }
  }
})

describe('payouts', () => {
  test('pay what is payable, line by line, and only once', async () => {
    await affiliate()
    const { url } = await link()
    const ids: string[] = []
    for (let sales = 0; sales < 3; sales++) {
      const buyer = new Buyer(service)
      await buyer.visit(url)
      await buyer.pay(`/d/${await freshName(service)}`)
      ids.push(buyer.publicId ?? '')
    }
    await operate(service, ids[2] ?? '', 'refund')
    const mine = (payout: { partner_id: string }) => payout.partner_id === client.partner_id
    const made = must(await service.admin('POST', '/payouts', { environment: 'sandbox' }), 201)
    const [payout] = made.body.payouts.filter(mine)
    expect(payout).toMatchObject({ amount_cents: 1_000, status: 'pending', kind: 'commission' })
    const again = must(await service.admin('POST', '/payouts', { environment: 'sandbox' }), 201)
    expect(again.body.payouts.filter(mine)).toEqual([])
    const detail = must(await client.get(`/payouts/${payout.id}`), 200).body
    expect(detail.lines).toHaveLength(4)
    expect(detail.lines.map(({ amount_cents }: { amount_cents: number }) => amount_cents)).toEqual([
      500, 500, 500, -500,
    ])

    must(await service.admin('POST', `/payouts/${payout.id}/fail`, { reason: 'closed' }), 200)
    const rejected = await service.admin('POST', `/payouts/${payout.id}/paid`, {})
    expect(rejected.status).toBe(409)
    const retry = must(await service.admin('POST', '/payouts', { environment: 'sandbox' }), 201)
    const [second] = retry.body.payouts.filter(mine)
    expect(second.amount_cents).toBe(1_000)
    must(await service.admin('POST', `/payouts/${second.id}/process`, {}), 200)
    must(await service.admin('POST', `/payouts/${second.id}/paid`, {}), 200)
    const { payouts, commissions } = await readings()
    expect(payouts.total_paid_cents).toBe(1_000)
    expect(payouts.payouts.map(({ status }: { status: string }) => status)).toEqual([
      'paid',
      'failed',
    ])
    expect(commissions.balance_cents).toBe(0)
    const paid = commissions.entries.filter(({ type }: { type: string }) => type === 'paid_out')
    expect(paid).toMatchObject([
      { sale_id: ids[1], amount_cents: -500, balance_cents: 0 },
      { sale_id: ids[0], amount_cents: -500, balance_cents: 500 },
    ])
    const pages: object[] = []
    for (let cursor = ''; ; ) {
      const page = must(await client.get(`/me/commissions?${cursor}limit=2`), 200).body
      pages.push(...page.entries)
      if (page.next_cursor === null) break
      cursor = `cursor=${page.next_cursor}&`
    }
    expect(pages).toEqual(commissions.entries)
    expect((await client.get('/me/commissions?cursor=nonsense')).body.error.code).toBe(
      'invalid_cursor',
    )
    expect((await service.admin('POST', '/payouts/po_none/paid', {})).status).toBe(404)
    const csv = await service.send({
      method: 'GET',
      target: '/api/admin/v1/payouts?status=paid',
      headers: { authorization: 'Bearer test-admin-token-0123456789', accept: 'text/csv' },
    })
    expect(csv.text).toContain(`${second.id},${client.partner_id},1000,USD`)
  })

  test('what was taken back after it was paid comes off the next sale, and `paid_out` subtracts', async () => {
    await affiliate()
    const { url } = await link()
    const buy = async () => {
      const buyer = new Buyer(service)
      await buyer.visit(url)
      await buyer.pay(`/d/${await freshName(service)}`)
      return buyer.publicId ?? ''
    }
    const payOut = async () => {
      const { payouts } = must(
        await service.admin('POST', '/payouts', { environment: 'sandbox' }),
        201,
      ).body
      const own = payouts.filter(
        ({ partner_id }: { partner_id: string }) => partner_id === client.partner_id,
      )
      for (const { id } of own) must(await service.admin('POST', `/payouts/${id}/paid`, {}), 200)
      return own.map(({ amount_cents }: { amount_cents: number }) => amount_cents)
    }
    const first = await buy()
    expect(await payOut()).toEqual([500])
    await operate(service, first, 'refund')
    expect(await payOut()).toEqual([])
    // It owes 500 by sales, and earns more by a case.
    const { case_id } = await openCase(client)
    const moves = ['source', 'contact', 'negotiate', 'agree', 'complete']
    const { commission_cents } = await moveCase(service, case_id, ...moves)
    expect(commission_cents).toBeGreaterThan(500)
    expect(await payOut()).toEqual([commission_cents - 500])
    await buy()
    await buy()
    expect(await payOut()).toEqual([1_000])
    const commissions = must(await client.get('/me/commissions'), 200).body
    for (const { type, amount_cents } of commissions.entries) {
      if (type === 'paid_out' || type === 'reversed') expect(amount_cents).toBeLessThan(0)
    }
    expect(commissions.balance_cents).toBe(0)
  })

  test('a live commission is held for thirty days', async () => {
    const own = await startService()
    const live = await own.partner({ environment: 'live', affiliate: true })
    const domain = await freshName(own, 'live')
    const session = must(await live.post('/checkout-session', { domain }), 201).body
    const buyer = new Buyer(own)
    await buyer.pay(session.checkout_url)
    expect(buyer.publicId).toBeDefined()
    const early = must(await own.admin('POST', '/payouts', { environment: 'live' }), 201).body
    expect(early.count).toBe(0)
    own.clock.advance(30 * DAY)
    const due = must(await own.admin('POST', '/payouts', { environment: 'live' }), 201).body
    expect(due).toMatchObject({ count: 1, total_cents: 1_000 })
    await own.stop()
  })
})

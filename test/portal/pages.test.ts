import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listQuotes } from '../../src/domain/quotes/list-quotes.ts'
import { Buyer } from '../support/buyer.ts'
import { PartnerClient } from '../support/client.ts'
import { freshName, must, operate } from '../support/market.ts'
import { hidden } from '../support/oauth.ts'
import { copied, type SignedInPartner, signedInPartner } from '../support/portal.ts'
import { closeReceivers, eventually, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let ann: SignedInPartner
beforeAll(async () => {
  service = await startService()
  ann = await signedInPartner(service, 'ann@example.com')
})
afterAll(async () => {
  await service.stop()
  closeReceivers()
})

const BASE = '/partner/sandbox'
const page = async (path: string) => must(await ann.browser.get(BASE + path), 200).text
const post = (path: string, form: Record<string, string> = {}) =>
  ann.browser.post(BASE + path, form)

const LISTS = [
  '',
  '/orders',
  '/quotes',
  '/offers',
  '/checkout-sessions',
  '/cases',
  '/links',
  '/members',
  '/transactions',
  '/settlements',
  '/payouts',
  '/credentials',
  '/webhook',
  '/deliveries',
  '/events',
  '/requests',
  '/signature',
]

describe('every page', () => {
  test.each(LISTS)('of an empty partner says what to do next: %s', async (path) => {
    for (const environment of ['sandbox', 'live']) {
      const response = must(await ann.browser.get(`/partner/${environment}${path}`), 200)
      expect(response.text.match(/<h1>/g)).toHaveLength(1)
      expect(response.headers['cache-control']).toBe('no-store')
      expect(response.headers['content-security-policy']).toContain("default-src 'none'")
    }
  })

  test.each([
    '/orders',
    '/quotes',
    '/offers',
    '/checkout-sessions',
    '/cases',
    '/links',
    '/transactions',
    '/payouts',
    '/events',
  ])('with a cursor or a filter that is none says so: %s', async (path) => {
    const response = await ann.browser.get(`${BASE}${path}?cursor=nonsense`)
    expect(response.status).toBe(400)
    expect(response.text).toContain('This cursor is not one of this list')
    expect(response.text).not.toContain('class="empty"')
    if (path === '/payouts' || path === '/events') return
    const filter = path === '/transactions' ? 'from' : 'domain'
    expect((await ann.browser.get(`${BASE}${path}?${filter}=no%20way`)).status).toBe(400)
  })

  test('takes no cursor of another environment', async () => {
    const { client, partnerId } = await signedInPartner(service, 'cursor@example.com')
    for (let index = 0; index < 2; index++) {
      must(await client.post('/quotes', { domain: await freshName(service) }), 201)
    }
    const partner = { partnerId, environment: 'sandbox' } as const
    const { db, clock } = service.app
    const { next_cursor } = await listQuotes(db, partner, clock.now(), { limit: 1 })
    const rest = { limit: 1, cursor: String(next_cursor) }
    expect((await listQuotes(db, partner, clock.now(), rest)).quotes).toHaveLength(1)
    const live = { ...partner, environment: 'live' } as const
    await expect(listQuotes(db, live, clock.now(), rest)).rejects.toThrow('not one of this list')
  })

  test.each([
    '/orders/ord_0',
    '/cases/case_0',
    '/events/evt_0',
    '/settlements/stl_0',
    '/payouts/po_0',
  ])('of what is not there, or another’s, is not found: %s', async (path) => {
    expect((await ann.browser.get(BASE + path)).status).toBe(404)
  })
})

describe('orders', () => {
  test('are listed, shown with their timeline, and refunded once', async () => {
    const order = await sold(ann.client, await freshName(service))
    expect(await page(`/orders?domain=${order.domain}`)).toContain(order.public_id)
    expect(await page(`/orders?status=SETTLED`)).toContain('No matching orders')
    expect(await page('/orders?from=2126-01-01')).toContain('No matching orders')
    expect(await page('/orders?to=2026-01-01')).toContain('No matching orders')
    expect(await page(`/orders/${order.public_id}`)).toContain('order.recorded')
    const refund = () => post(`/orders/${order.public_id}/refund`, { reason: 'duplicate' })
    const before = await page('')
    expect((await refund()).status).toBe(303)
    const again = await refund()
    expect(again.status).toBe(409)
    expect(again.text).toContain('This order is refunded by now: this can no longer be done.')
    expect(again.text).toContain('<dt>Commission, taken back</dt>')
    expect(await page(`/orders?domain=${order.domain}`)).toContain('taken back</div>')
    expect((await post('/orders/ord_0/refund', { reason: 'other' })).status).toBe(404)
    // A sale that was taken back stays a sale, and earns nothing.
    const after = await page('')
    expect(before).toMatch(/Net sales<\/dt><dd>\$100</)
    expect(before).toContain('<small>more than the 30 days before</small>')
    expect(after).toMatch(/Net sales<\/dt><dd>\$0</)
    expect(after).toContain('; 1 refunded or cancelled</small>')
  })

  test('count in totals by day as they do one by one', async () => {
    const { client, partnerId } = await signedInPartner(service, 'totals@example.com')
    const orders = []
    for (let index = 0; index < 3; index++)
      orders.push(await sold(client, await freshName(service)))
    must(await client.post('/refunds', { public_id: orders[0].public_id }), 201)
    await operate(service, orders[1].public_id, 'cancel')
    const byDay = must(await client.get('/transactions'), 200).body.totals
    // Not from a day's beginning: these are counted from the rows.
    const byRow = must(await client.get('/transactions?from=2026-01-01T00%3A00%3A01Z'), 200).body
      .totals
    expect(byDay).toEqual({ gmv_cents: 30_000, commission_cents: 1_000, count: 3 })
    expect(byRow).toEqual(byDay)
    must(await client.post('/sandbox/reset'), 200)
    expect(must(await client.get('/transactions'), 200).body.totals.count).toBe(0)
    expect(partnerId).toMatch(/^prt_/)
  })

  test('come as a file that no spreadsheet runs', async () => {
    const csv = must(await ann.browser.get(`${BASE}/transactions.csv`), 200)
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
    const [head, ...lines] = csv.text.trim().split('\r\n')
    expect(head).toBe(
      'public_id,domain,payment_model,status,amount_cents,commission_cents,currency,created_at',
    )
    expect(lines.length).toBeGreaterThan(0)
    expect((await ann.browser.get(`${BASE}/transactions.csv?from=no`)).status).toBe(400)
    expect(must(await ann.browser.get(`${BASE}/payouts.csv`), 200).text).toMatch(/^id,/)
    const [statement] = must(await ann.client.get('/settlements'), 200).body.settlements
    const lines2 = must(await ann.browser.get(`${BASE}/settlements/${statement.id}/lines.csv`), 200)
    expect(lines2.text).toMatch(/^public_id,/)
  })
})

describe('a case', () => {
  const written = {
    domain: 'Wanted-Bakery.test',
    tier: 'managed',
    buyer_email: 'buyer@example.com',
    budget: '$5,000',
    note: 'In a hurry.\r\nVery.',
  }

  test('is opened once, as the API would', async () => {
    const form = { ...written, once: hidden(await ann.browser.get(`${BASE}/cases/new`), 'once') }
    const { location } = must(await post('/cases', form), 303).headers
    expect((await post('/cases', form)).headers.location).toBe(location)
    const { cases } = must(await ann.client.get('/brokerage?domain=wanted-bakery.test'), 200).body
    expect(location).toBe(`${BASE}/cases/${cases[0].case_id}`)
    expect(cases).toHaveLength(1)
    const found = must(await ann.client.get(`/brokerage/${cases[0].case_id}`), 200).body
    expect(found).toMatchObject({
      domain: 'wanted-bakery.test',
      tier: 'managed',
      buyer_email: 'buyer@example.com',
      budget: 500_000,
      note: 'In a hurry.\nVery.',
    })
    const again = await post('/cases', written)
    expect(again.status).toBe(409)
    expect(again.text).toMatch(/id="domain-note" class="problem">[^<]*is in a running case already/)
    expect(again.text).toContain('value="Wanted-Bakery.test"')
  })

  test.each([
    ['domain', 'no way', 'is not a domain name'],
    ['domain', 'active-site.test', 'runs an active site'],
    ['tier', 'best', 'must be managed or self serve'],
    ['buyer_email', 'nobody', 'must be an e-mail address'],
    ['budget', 'plenty', 'must be an amount such as'],
    ['note', 'x'.repeat(2_001), 'must have at most 2000 characters'],
  ])('is refused beside its field: %s %s', async (field, value, problem) => {
    const response = await post('/cases', { ...written, domain: 'wanted-too.test', [field]: value })
    expect(response.status).toBe(problem.startsWith('runs') ? 409 : 400)
    const beside = new RegExp(`id="${field}-note" class="problem">([^<]*)`).exec(response.text)?.[1]
    expect(beside).toContain(problem)
  })
})

test('tracked links are found by their domain and their type', async () => {
  const domain = await freshName(service)
  must(await ann.client.post('/links', { type: 'domain', domain, label: 'a May letter' }), 201)
  must(await ann.client.post('/links', { type: 'generic', label: 'of everything' }), 201)
  const found = await page(`/links?domain=${domain}`)
  expect(found).toContain('a May letter')
  expect(found).not.toContain('of everything')
  expect(await page('/links?type=generic')).not.toContain('a May letter')
  expect(await page('/links?type=product')).toContain('No matching links')
})

describe('quotes and checkout links', () => {
  test('are listed by state, and a quote is released', async () => {
    const domain = await freshName(service)
    const { quote_id } = must(await ann.client.post('/quotes', { domain }), 201).body
    expect(await page('/quotes?status=active')).toContain(quote_id)
    expect((await post(`/quotes/${quote_id}/release`)).status).toBe(303)
    expect(await page('/quotes?status=released')).toContain(quote_id)
    expect(await page(`/quotes?domain=${domain}`)).toContain(quote_id)
    expect(await page('/quotes?status=active')).not.toContain(quote_id)
    expect((await post('/quotes/qt_0/release')).status).toBe(404)
  })

  test('a link is made for a listed name, and rejected for another', async () => {
    const domain = await freshName(service)
    const form = { domain, external_ref: 'cart-7', once: 'a-form-of-this-test' }
    const made = await post('/checkout-sessions', form)
    expect(made.status).toBe(303)
    expect((await post('/checkout-sessions', form)).headers.location).toBe(made.headers.location)
    // A form's key is its partner's own: to nobody else does it give what was made with it.
    const other = await signedInPartner(service, 'same-form@example.com')
    const theirs = must(await other.browser.post(`${BASE}/checkout-sessions`, form), 303)
    expect(theirs.headers.location).not.toBe(made.headers.location)
    const shown = must(await ann.browser.get(String(made.headers.location)), 200).text
    expect(shown).toContain('/checkout?pt=')
    expect(shown).toContain('cart-7')
    expect(await page('/checkout-sessions?status=open')).toContain(domain)
    const absent = await post('/checkout-sessions', { domain: 'not-listed.test' })
    expect(absent.status).toBe(404)
    const malformed = await post('/checkout-sessions', { domain: 'not a name' })
    expect(malformed.status).toBe(400)
    expect(malformed.text).toContain('It is not a domain name')
  })
})

describe('credentials', () => {
  test('are made, rotated and revoked, each safe to send twice', async () => {
    const path = '/credentials'
    const text = await page(path)
    // The first hidden fields of the page are of the rotations.
    const form = /value="([^"]*)"\/><fieldset>/.exec(text)?.[1] ?? ''
    expect((await post(path, { once: form })).status).toBe(400)
    const made = must(await post(path, { once: form, scopes: 'search' }), 200)
    const again = must(await post(path, { once: form, scopes: 'search' }), 200)
    const keyId = copied(made, 'key-id')
    expect(copied(again, 'secret')).toBe(copied(made, 'secret'))
    const client = (secret: string) =>
      new PartnerClient(service.baseUrl, service.clock.now, {
        key_id: keyId,
        secret,
        partner_id: '',
      })
    must(await client(copied(made, 'secret')).get('/domains/search?q=dog'), 200)
    must(await client(copied(made, 'secret')).get('/settlements'), 403)

    const rotation = new RegExp(
      `${keyId}/rotate"[^>]*><input type="hidden" name="once" value="([^"]*)"`,
    )
    const rotate = { once: rotation.exec(await page(path))?.[1] ?? '' }
    const first = must(await post(`${path}/${keyId}/rotate`, rotate), 200)
    const second = must(await post(`${path}/${keyId}/rotate`, rotate), 200)
    expect(copied(second, 'secret')).toBe(copied(first, 'secret'))
    for (const secret of [copied(made, 'secret'), copied(first, 'secret')]) {
      must(await client(secret).get('/domains/search?q=dog'), 200)
    }
    const other = await service.partner()
    const foreign = other.credential.key_id
    expect((await post(`${path}/${foreign}/revoke`)).status).toBe(404)
    expect((await post(`${path}/${foreign}/rotate`, rotate)).status).toBe(409)
    expect((await post(`${path}/${keyId}/revoke`)).status).toBe(303)
    expect((await post(`${path}/${keyId}/revoke`)).status).toBe(303)
    must(await client(copied(first, 'secret')).get('/domains/search?q=dog'), 403)
  })
})

describe('the webhook', () => {
  test('is registered, tried, shown with its bodies, resent and replayed', async () => {
    expect((await post('/webhook/test')).status).toBe(404)
    const rejected = await post('/webhook', { url: 'ftp://x', secret: 'short' })
    expect(rejected.status).toBe(400)
    expect(rejected.text).toContain('aria-invalid')
    expect(rejected.text).toContain('It must have 16 characters or more.')
    const receiver = await startReceiver((response) => response.end('<b>Thank you</b>'))
    const endpoint = { url: receiver.url, secret: 'a secret of 16 signs' }
    expect((await post('/webhook', endpoint)).status).toBe(303)
    expect((await post('/webhook/test')).status).toBe(303)
    const got = await receiver.until(1, 20_000)
    await eventually(
      async () => (await page('/deliveries')).includes('webhook.test'),
      10_000,
      () => 'no attempt',
    )
    expect(await page('/deliveries')).toContain('<code>&lt;b>Thank you&lt;/b></code>')
    const attempts = must(await ann.client.get('/api/partner/webhooks/deliveries'), 200).body
    expect(await page('/deliveries?result=failed')).toContain('No matching attempts')
    const event = await page(`/events/${got.event.id}`)
    expect(event).toContain('A test: nothing has happened.')
    expect((await post(`/deliveries/${attempts.deliveries[0].id}/resend`)).status).toBe(303)
    expect((await receiver.until(2, 20_000)).event.id).toBe(got.event.id)
    expect((await post('/deliveries/att_0/resend')).status).toBe(404)
    const order = await sold(ann.client, await freshName(service))
    await receiver.until(3, 20_000)
    expect(await page(`/events?subject=${order.public_id}`)).toContain('order.recorded')
    expect(await page('/events?type=order.settled')).toContain('No matching events')
    expect(await page('/events?to=2026-01-01')).toContain('No matching events')
    const span = { from: '2026-01-01T00:00', type: 'order.recorded' }
    expect((await post('/webhook/replays', { ...span, from: 'soon' })).status).toBe(400)
    expect((await post('/webhook/replays', { ...span, from: '2126-01-01T00:00' })).status).toBe(400)
    expect((await post('/webhook/replays', span)).status).toBe(303)
    const [replay] = must(await ann.client.get('/api/partner/webhooks/replays'), 200).body.replays
    expect(await page('/webhook')).toContain(`of ${replay.event_count}`)
    expect((await post(`/webhook/replays/${replay.id}/cancel`)).status).toBe(303)
    expect((await post('/webhook/replays/rpl_0/cancel')).status).toBe(404)
  }, 90_000)
})

describe('the sandbox controls', () => {
  test('play the operator and start over, but not in live', async () => {
    const order = await sold(ann.client, await freshName(service))
    const move = (name: string) => post(`/sandbox/orders/${order.public_id}/${name}`)
    expect(await page('/sandbox')).toContain(order.domain)
    expect((await move('start-transfer')).status).toBe(303)
    expect((await move('start-transfer')).status).toBe(409)
    expect((await move('complete-transfer')).status).toBe(303)
    expect((await move('unheard-of')).status).toBe(404)
    const controls = await page('/sandbox')
    expect(controls).toContain('X-Sandbox-Fault')
    const guide = /href="(\/docs\/guides\/testing-retries)"/.exec(controls)?.[1] ?? ''
    expect(must(await ann.browser.get(guide), 200).text).toContain('Request a fault')
    expect((await post('/sandbox/cases/case_0/source')).status).toBe(404)
    expect((await post('/sandbox/settlement-run')).status).toBe(303)
    expect((await post('/sandbox/clock', { advance_seconds: '86400' })).status).toBe(303)
    expect((await post('/sandbox/clock', { advance_seconds: 'soon' })).status).toBe(400)
    expect(await page(`/orders/${order.public_id}`)).toContain('settled')
    expect(must(await ann.browser.get('/partner/live'), 200).text).not.toContain('Sandbox controls')
    expect((await ann.browser.get('/partner/live/sandbox')).status).toBe(404)
    expect((await ann.browser.post('/partner/live/sandbox/reset', {})).status).toBe(404)
    expect((await post('/sandbox/reset')).status).toBe(303)
    expect(await page('/orders')).toContain('No orders yet')
  })

  test('move sales and checkout links out of the overview alike', async () => {
    const { browser, client } = await signedInPartner(service, 'older@example.com')
    const make = async () =>
      must(await client.post('/checkout-session', { domain: await freshName(service) }), 201).body
    const made = async () => {
      const { text } = must(await browser.get(BASE), 200)
      return /Links made<\/dt><dd>(\d+)/.exec(text)?.[1]
    }
    await new Buyer(service).pay((await make()).checkout_url)
    expect(await made()).toBe('1')
    const advanced = await browser.post(`${BASE}/sandbox/clock`, { advance_seconds: '2678400' })
    expect(advanced.status).toBe(303)
    expect(await made()).toBe('0')
    expect((await browser.get(`${BASE}?days=90`)).text).toMatch(/Links made<\/dt><dd>1/)
    await make()
    expect(await made()).toBe('1')
  })
})

test('a suspended partner looks, and changes nothing', async () => {
  const { browser, partnerId } = await signedInPartner(service, 'late@example.com')
  must(await service.admin('POST', `/partners/${partnerId}/status`, { status: 'suspended' }), 200)
  expect(must(await browser.get(BASE), 200).text).toContain('This account is suspended')
  expect((await browser.post(`${BASE}/links`, { type: 'generic' })).status).toBe(403)
})

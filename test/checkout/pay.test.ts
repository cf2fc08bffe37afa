import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { beforeNextTransaction } from '../support/before-transaction.ts'
import { Buyer, CARDS, DETAILS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, ledgerOf, must, operate } from '../support/market.ts'
import { closeReceivers, startReceiver } from '../support/receiver.ts'
import { quote, sell } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let client: PartnerClient
beforeAll(async () => {
  service = await startService()
  client = await service.partner({ affiliate: true })
})
afterAll(async () => {
  closeReceivers()
  await service.stop()
})

async function session(body: object = {}) {
  const domain = await freshName(service)
  return must(await client.post('/checkout-session', { domain, ...body }), 201).body
}

async function paymentsOf({ id }: { id: string }) {
  return await service.app.db
    .selectFrom('payments')
    .select('status')
    .where('session_id', '=', id)
    .execute()
}

async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 100; tries++) {
    const found = await look()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('it did not come')
}

describe('a checkout link', () => {
  test('leaves its token in no line of the log', async () => {
    const { checkout_url } = await session()
    const before = service.logs.length
    const buyer = new Buyer(service)
    await buyer.pay(checkout_url)
    await buyer.visit(checkout_url)
    expect(buyer.page.text).toContain('Receipt')
    expect(buyer.page.text).toContain('<dd>Test card ending in 4242</dd>')
    const lines = service.logs.slice(before)
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.join('')).not.toContain(new URL(checkout_url).searchParams.get('pt'))
    expect(lines.filter((line) => JSON.parse(line).level > 30)).toEqual([])
  })

  test('sells the domain for the partner', async () => {
    const made = await session({ external_ref: 'cart-1', metadata: { cart: 1 } })
    expect(made).toMatchObject({ status: 'open', external_ref: 'cart-1', metadata: { cart: 1 } })
    expect(made.id).toMatch(/^cs_/)
    expect(made.checkout_url).toMatch(/^http:\/\/localhost:3000\/checkout\?pt=/)
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url)
    expect(buyer.page.status, buyer.page.text).toBe(200)
    const publicId = buyer.publicId
    expect(publicId, buyer.page.text).toBeDefined()

    const read = must(await client.get(`/checkout-session/${made.id}`), 200).body
    expect(read).toMatchObject({
      status: 'paid',
      public_id: publicId,
      checkout_url: made.checkout_url,
    })
    const order = must(await client.get(`/orders/${publicId}`), 200).body
    expect(order).toMatchObject({
      domain: made.domain,
      status: 'PAID',
      payment_model: 'hosted_checkout',
      sale_price_cents: made.price_cents,
      buyer: { email: 'buyer@example.com', name: 'Robin Buyer', country: 'US' },
    })
    const { transactions, totals } = must(await client.get('/transactions'), 200).body
    expect(transactions[0]).toMatchObject({
      public_id: publicId,
      payment_model: 'hosted_checkout',
      amount_cents: made.price_cents,
      commission_cents: order.commission_cents,
    })
    expect(totals.count).toBe(transactions.length)
    const { entries, balance_cents } = must(await client.get('/me/commissions'), 200).body
    expect(entries[0]).toMatchObject({
      type: 'accrued',
      sale_id: publicId,
      amount_cents: order.commission_cents,
      balance_cents,
    })
    const { events } = must(await client.get('/events'), 200).body
    expect(events.at(-1)).toMatchObject({
      type: 'order.paid',
      data: { order: { public_id: publicId, status: 'PAID' } },
    })
    const detail = must(await client.get(`/domains/${made.domain}`), 200).body
    expect(detail.status).toBe('sold')
  })

  test('tells the partner of the sale by its webhook', async () => {
    const receiver = await startReceiver()
    const secret = 'a-secret-of-the-partner'
    must(await client.put('/api/partner/webhooks', { url: receiver.url, secret }), 200)
    const made = await session()
    await new Buyer(service).pay(made.checkout_url)
    const { event, headers, body } = await receiver.until(1)
    expect(event).toMatchObject({
      type: 'order.paid',
      data: { order: { domain: made.domain, status: 'PAID' } },
    })
    const expected = createHmac('sha256', secret).update(body).digest('hex')
    expect(headers['x-service-signature']).toBe(expected)
  })

  test('is declined, and takes another card', async () => {
    const made = await session()
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url, CARDS.declined)
    expect(buyer.page.status).toBe(402)
    expect(buyer.page.text).toContain('declined')
    await buyer.card(CARDS.succeeds)
    expect(buyer.publicId).toBeDefined()
  })

  test('asks the bank, and takes no for an answer', async () => {
    const made = await session()
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url, CARDS.asks)
    expect(buyer.page.text).toContain('Confirm the payment')
    await buyer.submit({ answer: 'refuse' })
    expect(buyer.page.text).toContain('was not confirmed')
    await buyer.card(CARDS.asks)
    await buyer.submit({ answer: 'confirm' })
    expect(buyer.publicId).toBeDefined()
  })

  test('waits for a payment that takes its time', async () => {
    const made = await session()
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url, CARDS.later)
    expect(buyer.page.text).toContain('on its way')
    expect(buyer.page.headers.refresh).toBeDefined()
    await until(async () => {
      await buyer.visit(made.checkout_url)
      return buyer.publicId
    })
  })

  test('leads back to the partner', async () => {
    const made = await session({
      return_url: 'https://shop.example/thanks?cart=1',
      cancel_url: 'https://shop.example/cart',
    })
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url)
    expect(buyer.page.status).toBe(303)
    const location = new URL(buyer.page.headers.location ?? '')
    expect(location.origin + location.pathname).toBe('https://shop.example/thanks')
    expect(location.searchParams.get('cart')).toBe('1')
    expect(location.searchParams.get('public_id')).toMatch(/^ord_/)
    await buyer.visit(made.checkout_url)
    expect(buyer.publicId).toBe(location.searchParams.get('public_id'))
  })

  test('cannot be changed', async () => {
    const made = await session()
    const buyer = new Buyer(service)
    // The same bits in other letters: the last letter of a signature has four that say nothing.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = letters.indexOf(made.checkout_url.at(-1))
    const respelt = letters[last ^ 1] ?? ''
    for (const url of [
      `${made.checkout_url.slice(0, -1)}${respelt}`,
      `${made.checkout_url}%20`,
      made.checkout_url.slice(0, -3),
      `${made.checkout_url}A`,
      '/checkout',
      '/checkout?pt=x.y.z',
      `/checkout?pt=${(await quote(client, await freshName(service))).quote_token}`,
    ]) {
      await buyer.visit(url)
      expect(buyer.page.status, url).toBe(404)
      expect(buyer.page.headers['content-type']).toContain('text/html')
    }
  })

  test('can be cancelled', async () => {
    const made = await session({ cancel_url: 'https://shop.example/cart' })
    const buyer = new Buyer(service)
    await buyer.visit(made.checkout_url)
    await buyer.submit({}, '/cancel')
    expect(buyer.page.headers.location).toBe('https://shop.example/cart')
    const read = must(await client.get(`/checkout-session/${made.id}`), 200).body
    expect(read.status).toBe('cancelled')
    await buyer.visit(made.checkout_url)
    expect(buyer.page.status).toBe(410)
  })

  describe('that is paid in another tab while a form of this one is under way', () => {
    afterEach(() => vi.restoreAllMocks())

    /** Has a tab at the card's form pay just before the other's form takes hold of the session. */
    async function payFirst(made: { checkout_url: string }) {
      const paying = new Buyer(service)
      await paying.visit(made.checkout_url)
      await paying.submit(DETAILS)
      beforeNextTransaction(service, () => paying.card(CARDS.succeeds))
      return paying
    }

    test('is not cancelled any more', async () => {
      const made = await session({ cancel_url: 'https://shop.example/cart' })
      const buyer = new Buyer(service)
      await buyer.visit(made.checkout_url)
      const paying = await payFirst(made)
      await buyer.submit({}, '/cancel')
      expect(buyer.page.text).toContain('Receipt')
      expect(buyer.publicId).toBe(paying.publicId)
      const read = must(await client.get(`/checkout-session/${made.id}`), 200).body
      expect(read).toMatchObject({ status: 'paid', public_id: paying.publicId })
    })

    test('keeps the details that were paid with', async () => {
      const made = await session()
      const buyer = new Buyer(service)
      await buyer.visit(made.checkout_url)
      await payFirst(made)
      await buyer.submit({ ...DETAILS, email: 'mallory@example.com' })
      const row = await service.app.db
        .selectFrom('checkout_sessions')
        .select(['status', 'registrant'])
        .where('id', '=', made.id)
        .executeTakeFirst()
      expect(row).toMatchObject({ status: 'paid', registrant: { email: DETAILS.email } })
    })
  })

  test('of a suspended partner takes no new payment, and ends well what was begun', async () => {
    const other = await service.partner({ affiliate: true })
    const link = async () => {
      const domain = await freshName(service)
      return must(await other.post('/checkout-session', { domain }), 201).body
    }
    const [begun, open] = [await link(), await link()]
    const early = new Buyer(service)
    await early.pay(begun.checkout_url, CARDS.asks)
    const late = new Buyer(service)
    await late.visit(open.checkout_url)
    await late.submit(DETAILS)
    const status = (to: string) =>
      service.admin('POST', `/partners/${other.partner_id}/status`, { status: to })
    must(await status('suspended'), 200)
    await late.card(CARDS.succeeds)
    expect(late.page.status).toBe(410)
    expect(late.page.text).toContain('This checkout is not open')
    expect(await paymentsOf(open)).toEqual([])
    await early.submit({}, '/confirm')
    expect(early.publicId, early.page.text).toBeDefined()

    must(await status('active'), 200)
    const order = must(await other.get(`/orders/${early.publicId}`), 200).body
    expect(order).toMatchObject({ status: 'PAID', commission_cents: 1_000 })
    await late.pay(open.checkout_url)
    expect(late.publicId, late.page.text).toBeDefined()
  })

  test.each([
    ['ch', 'de-DE', 'CH'],
    ['UK', 'de-DE,de;q=0.9', 'DE'],
    ['UK', 'en-ZZ', 'US'],
    [null, 'de-AT', 'AT'],
    [null, 'en', 'US'],
  ])(
    'a buyer of %s with a browser of %s is taken to be in %s',
    async (country, languages, taken) => {
      const { checkout_url } = await session({ buyer: { email: 'known@example.com', country } })
      const { pathname, search } = new URL(checkout_url)
      const headers = { 'accept-language': languages }
      const { text } = await service.send({ method: 'GET', target: pathname + search, headers })
      expect(text.match(/<option\b[^>]*\bselected\b[^>]*>/g)).toEqual([
        `<option value="${taken}" selected>`,
      ])
    },
  )

  test('says which details are missing or wrong', async () => {
    const made = await session({ buyer: { email: 'known@example.com', country: 'ch' } })
    const buyer = new Buyer(service)
    await buyer.visit(made.checkout_url)
    expect(buyer.page.text).toContain('value="known@example.com"')
    await buyer.submit({ email: 'nobody' })
    expect(buyer.page.status).toBe(400)
    expect(buyer.page.text).toContain('must be an e-mail address')
    expect(buyer.page.text).toContain('Please fill this in')
    await buyer.pay(made.checkout_url, '4242 4242 4242 4241')
    expect(buyer.page.status).toBe(400)
    expect(buyer.page.text).toContain('not a card number')
    await buyer.submit({ card_number: '', card_expiry: '', card_cvc: '' })
    for (const field of ['card_number', 'card_expiry', 'card_cvc']) {
      const [input = ''] =
        new RegExp(`<input[^>]*name="${field}"[^>]*>`).exec(buyer.page.text) ?? []
      expect(input).toContain('aria-invalid="true"')
    }
  })
})

describe('a domain is sold once', () => {
  test('to the first of two buyers on one link; the other is not charged', async () => {
    const made = await session()
    const [first, second] = [new Buyer(service), new Buyer(service)]
    await second.visit(made.checkout_url)
    await second.submit({ ...DETAILS })
    await first.pay(made.checkout_url)
    await second.card(CARDS.succeeds)
    expect(second.publicId).toBe(first.publicId)
    expect(await paymentsOf(made)).toEqual([{ status: 'succeeded' }])
  })

  test('and registered to who paid, though somebody else has filled in the details meanwhile', async () => {
    const made = await session()
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url, CARDS.asks, { email: 'alice@example.com', name: 'Alice' })
    const asked = buyer.again()
    const other = new Buyer(service)
    await other.visit(made.checkout_url)
    expect(other.page.text).not.toMatch(/alice/i)
    await other.submit({ ...DETAILS, email: 'mallory@example.com', name: 'Mallory' })
    await asked.submit({ answer: 'confirm' })
    const { body } = await client.get(`/orders/${asked.publicId}`)
    expect(body.buyer).toEqual({ email: 'alice@example.com', name: 'Alice', country: 'US' })
    const mails = await service.app.db
      .selectFrom('mails')
      .select(['recipient', 'subject'])
      .execute()
    const about = mails.filter(({ subject }) => subject.includes(made.domain))
    expect(about.map(({ recipient }) => recipient)).toEqual(['alice@example.com'])
  })

  test('and a form that was made for other details is rejected, and charges nothing', async () => {
    const made = await session()
    const buyer = new Buyer(service)
    await buyer.visit(made.checkout_url)
    await buyer.submit({ ...DETAILS, name: 'Alice' })
    expect(buyer.page.text).toContain('Registered to Alice')
    const other = new Buyer(service)
    await other.visit(made.checkout_url)
    await other.submit({ ...DETAILS, name: 'Mallory' })
    const rejected = await buyer.card(CARDS.succeeds)
    expect(rejected.status).toBe(409)
    expect(rejected.text).toContain('was changed in the meantime')
    expect(rejected.text).not.toContain('Mallory')
    expect(await paymentsOf(made)).toEqual([])
    // Looked at and filled in again, it goes on.
    await buyer.pay(made.checkout_url, CARDS.succeeds, { name: 'Alice' })
    const { body } = await client.get(`/orders/${buyer.publicId}`)
    expect(body.buyer.name).toBe('Alice')
  })

  test('and paid once, however often its form is sent at once', async () => {
    const made = await session()
    const buyer = new Buyer(service)
    await buyer.visit(made.checkout_url)
    await buyer.submit({ ...DETAILS })
    await Promise.all(Array.from({ length: 4 }, () => buyer.again().card(CARDS.succeeds)))
    expect(await paymentsOf(made)).toEqual([{ status: 'succeeded' }])
  })

  test('and whose payment lands later gets it back, and is told why', async () => {
    const made = await session()
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url, CARDS.asks)
    const sold = await sell(client, made.domain)
    expect(sold.status, sold.text).toBe(201)
    await buyer.submit({ answer: 'confirm' })
    expect(buyer.page.text).toContain('refunded your payment')
    expect(buyer.page.text).toContain('was sold to someone else')
    const ledger = await ledgerOf(service, { partnerId: client.partner_id, environment: 'sandbox' })
    const back = ledger.filter(({ account }) => account === 'buyer_refunds')
    expect(back.map(({ amount_cents }) => amount_cents)).toEqual([
      -made.price_cents,
      made.price_cents,
    ])
  })

  test('and not while somebody else has it reserved, which charges nothing', async () => {
    const seller = await service.partner({ environment: 'live' })
    const other = await service.partner({ environment: 'live' })
    const domain = await freshName(service, 'live')
    const made = must(await seller.post('/checkout-session', { domain }), 201).body
    const buyer = new Buyer(service)
    await buyer.visit(made.checkout_url)
    await buyer.submit(DETAILS)
    const held = await quote(other, made.domain)
    await buyer.card(CARDS.succeeds)
    expect(buyer.page.status).toBe(409)
    expect(buyer.page.text).toContain('This link goes on working')
    expect(await paymentsOf(made)).toEqual([])
    must(await other.delete(`/quotes/${held.quote_id}`), 200)
    await buyer.visit(made.checkout_url)
    await buyer.submit(DETAILS)
    await buyer.card(CARDS.succeeds)
    expect(buyer.publicId).toBeDefined()
  })

  test("by a link of who holds it, which uses the holder's quote up", async () => {
    const made = await session()
    const { quote_id } = await quote(client, made.domain)
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url)
    expect((await client.get(`/quotes/${quote_id}`)).body.status).toBe('consumed')
    await operate(service, buyer.publicId ?? '', 'cancel')
    expect((await client.post('/quotes', { domain: made.domain })).status).toBe(201)
  })

  test('a name that is sold meanwhile is not sold by its link', async () => {
    const made = must(
      await client.post('/checkout-session', { domain: 'sold-meanwhile.test' }),
      201,
    )
    const buyer = new Buyer(service)
    await buyer.pay(made.body.checkout_url)
    expect(buyer.page.text).toContain('was sold to someone else')
  })

  test('a link of a sold name says so', async () => {
    const made = await session()
    await sell(client, made.domain)
    const buyer = new Buyer(service)
    await buyer.visit(made.checkout_url)
    expect(buyer.page.status).toBe(410)
    const again = await client.post('/checkout-session', { domain: made.domain })
    expect(again.status).toBe(409)
    expect(again.body.error.code).toBe('conflict')
  })
})

test('a hosted sale is delivered and settled, and its refund gives everything back', async () => {
  const kept = await session()
  const buyer = new Buyer(service)
  await buyer.pay(kept.checkout_url)
  await operate(service, buyer.publicId ?? '', 'start', 'complete')
  await buyer.visit(kept.checkout_url)
  expect(buyer.page.text).toContain('Delivered')
  must(await client.post('/sandbox/settlement-runs'), 201)
  expect(must(await client.get(`/orders/${buyer.publicId}`), 200).body.status).toBe('SETTLED')

  const taken = await session()
  const other = new Buyer(service)
  await other.pay(taken.checkout_url)
  const before = must(await client.get('/me/commissions'), 200).body.balance_cents
  const rejected = await client.post('/refunds', { public_id: other.publicId })
  expect(rejected.status).toBe(409)
  await operate(service, other.publicId ?? '', 'refund')
  const { entries, balance_cents } = must(await client.get('/me/commissions'), 200).body
  expect(entries[0]).toMatchObject({ type: 'reversed', sale_id: other.publicId })
  expect(balance_cents).toBe(before + entries[0].amount_cents)
  await other.visit(taken.checkout_url)
  expect(other.page.text).toMatch(/We (are refunding|have refunded) your payment/)
  await until(async () => {
    const row = await service.app.db
      .selectFrom('payments')
      .select('status')
      .where('public_id', '=', other.publicId ?? '')
      .executeTakeFirst()
    return row?.status === 'refunded'
  })
  expect(must(await client.get(`/domains/${taken.domain}`), 200).body.status).toBe('listed')
})

test('a link expires after seven days', async () => {
  const own = await startService()
  const partner = await own.partner()
  const domain = await freshName(own)
  const made = must(await partner.post('/checkout-session', { domain }), 201).body
  own.clock.advance(7 * 86_400_000 + 1_000)
  const buyer = new Buyer(own)
  await buyer.visit(made.checkout_url)
  expect(buyer.page.status).toBe(410)
  expect(buyer.page.text).toContain('expired')
  const read = must(await partner.get(`/checkout-session/${made.id}`), 200).body
  expect(read.status).toBe('expired')
  await own.stop()
})

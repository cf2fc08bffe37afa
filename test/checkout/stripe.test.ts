import { readFile } from 'node:fs/promises'
import { Stripe } from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advancePaymentsJob } from '../../src/domain/checkout/pay.ts'
import { MINUTE } from '../../src/lib/clock.ts'
import { Buyer, DETAILS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { eventTypes, freshName, ledgerOf, must, operate } from '../support/market.ts'
import { sell } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'
import { sendWebhook, startStripe } from '../support/stripe.ts'

let stripe: Awaited<ReturnType<typeof startStripe>>
let service: TestService
let client: PartnerClient
beforeAll(async () => {
  stripe = await startStripe()
  service = await startService({
    settings: { paymentProvider: 'stripe', stripe: stripe.settings },
  })
  client = await service.partner({ environment: 'live', affiliate: true })
})
afterAll(async () => {
  await service.stop()
  stripe.stop()
})

/** A buyer who stands before Stripe's page. */
async function atStripe(name?: string, more: object = {}) {
  const domain = name ?? (await freshName(service, 'live'))
  const made = must(await client.post('/checkout-session', { domain, ...more }), 201).body
  const buyer = new Buyer(service)
  await buyer.visit(made.checkout_url)
  await buyer.submit(DETAILS)
  expect(buyer.page.headers['content-security-policy']).toContain('https://checkout.stripe.com')
  await buyer.submit()
  expect(buyer.page.status, buyer.page.text).toBe(303)
  const page = stripe.sessionAt(buyer.page.headers.location)
  if (!name) expect(page).toMatchObject({ amount_total: made.price_cents, currency: 'usd' })
  return { domain, made, buyer, page }
}

const paid = (page: object) => ({ ...page, payment_status: 'paid', status: 'complete' })

async function payments(sessionId: string) {
  return await service.app.db
    .selectFrom('payments')
    .select(['status', 'reason', 'refund_ref'])
    .where('session_id', '=', sessionId)
    .execute()
}

async function session(id: string) {
  return must(await client.get(`/checkout-session/${id}`), 200).body
}

test('a webhook makes the sale, however often it comes', async () => {
  const { made, page, buyer } = await atStripe()
  must(await sendWebhook(service, 'checkout.session.completed', paid(page)), 200)
  must(await sendWebhook(service, 'checkout.session.completed', paid(page)), 200)
  const { status, public_id } = await session(made.id)
  expect(status).toBe('paid')
  await buyer.visit(page.success_url)
  expect(buyer.publicId).toBe(public_id)
  expect((await payments(made.id)).map(({ status }) => status)).toEqual(['succeeded'])
  expect((await eventTypes(client)).filter((type) => type === 'order.paid')).toHaveLength(1)
})

test('back before the webhook, the buyer sees the receipt', async () => {
  const { made, page, buyer } = await atStripe()
  stripe.sessions.set(page.id, { ...page, payment_status: 'paid', status: 'complete' })
  await buyer.visit(page.success_url)
  expect(buyer.publicId).toBeDefined()
  expect(buyer.page.text).toContain('<dd>Visa ending in 4242</dd>')
  // Whoever else has the link is not told with what it was paid.
  const other = new Buyer(service)
  await other.visit(made.checkout_url)
  expect(other.publicId).toBe(buyer.publicId)
  expect(other.page.text).not.toContain('4242')
  must(await sendWebhook(service, 'checkout.session.completed', paid(page)), 200)
})

test.each(['before', 'after'])(
  'back %s the webhook, the buyer is sent on to the partner, who is told what was paid',
  async (when) => {
    const return_url = 'https://partner.example/thanks?basket=7'
    const { made, page, buyer } = await atStripe(undefined, { return_url })
    stripe.sessions.set(page.id, { ...page, payment_status: 'paid', status: 'complete' })
    if (when === 'after') {
      must(await sendWebhook(service, 'checkout.session.completed', paid(page)), 200)
    }
    await buyer.visit(page.success_url)
    const { public_id } = await session(made.id)
    const there = `${return_url}&checkout_session_id=${made.id}&public_id=${public_id}`
    expect(buyer.page.status).toBe(303)
    expect(buyer.page.headers.location).toBe(there)
    // The receipt stays, and leads to the same page.
    await buyer.visit(made.checkout_url)
    expect(buyer.publicId).toBe(public_id)
    expect(buyer.page.text).toContain(`href="${there.replaceAll('&', '&amp;')}"`)
  },
)

test.each([
  ['ISK', 5_000, 500_000],
  ['UGX', 5_000, 500_000],
  ['MGA', 500_000, 5_000],
  ['JPY', 5_000, 5_000],
  ['HUF', 500_000, 500_000],
])('%s is charged as Stripe counts it, and buys', async (currency, price, amount) => {
  const name = `in-${currency.toLowerCase()}.test`
  await service.list('live', `${name},${price},,${currency}`)
  const { made, page } = await atStripe(name)
  expect(page).toMatchObject({ amount_total: amount, currency: currency.toLowerCase() })
  must(await sendWebhook(service, 'checkout.session.completed', paid(page)), 200)
  const { status, public_id } = await session(made.id)
  expect(status).toBe('paid')
  const order = must(await client.get(`/orders/${public_id}`), 200).body
  expect(order).toMatchObject({ sale_price_cents: price, currency })
})

describe('a payment of which no webhook tells, and whose buyer does not come back', () => {
  /** The job asks Stripe, until the payment stands like this. */
  async function ask(sessionId: string, status: string) {
    await expect
      .poll(
        async () => {
          service.clock.advance(MINUTE)
          await advancePaymentsJob.run(service.app, new AbortController().signal)
          return (await payments(sessionId)).map((payment) => payment.status)
        },
        { timeout: 30_000 },
      )
      .toEqual([status])
  }

  test('buys the domain', async () => {
    const { made, page } = await atStripe()
    // Asked while the page is open, nothing is known yet.
    const before = await dueAt(made.id)
    service.clock.advance(20 * MINUTE)
    await expect.poll(async () => (await dueAt(made.id)) !== before, { timeout: 30_000 }).toBe(true)
    expect((await payments(made.id))[0]?.status).toBe('action_required')
    stripe.sessions.set(page.id, { ...page, payment_status: 'paid', status: 'complete' })
    await ask(made.id, 'succeeded')
    const { status, public_id } = await session(made.id)
    expect(status).toBe('paid')
    expect(must(await client.get(`/orders/${public_id}`), 200).body.status).toBe('PAID')
  })

  test('is refunded where the domain was sold meanwhile', async () => {
    const { domain, made, page } = await atStripe()
    must(await sell(client, domain), 201)
    stripe.sessions.set(page.id, { ...page, payment_status: 'paid', status: 'complete' })
    await ask(made.id, 'refunded')
    expect((await payments(made.id))[0]?.reason).toContain('was sold to someone else')
  })

  test('fails with its page, and is asked about no more', async () => {
    const { made, page } = await atStripe()
    stripe.sessions.set(page.id, { ...page, status: 'expired' })
    await ask(made.id, 'failed')
    expect(await dueAt(made.id)).toBeUndefined()
  })

  test.each(['requires_payment_method', 'canceled'] as const)(
    'fails when the bank debit behind it is %s',
    async (intent_status) => {
      const { made, page } = await atStripe()
      const waiting = { ...page, status: 'complete' as const }
      must(await sendWebhook(service, 'checkout.session.completed', waiting), 200)
      expect((await payments(made.id))[0]?.status).toBe('processing')
      stripe.sessions.set(page.id, { ...waiting, intent_status })
      await ask(made.id, 'failed')
      expect(await dueAt(made.id)).toBeUndefined()
    },
  )

  async function dueAt(sessionId: string): Promise<number | undefined> {
    const { due_at } = await service.app.db
      .selectFrom('payments')
      .select('due_at')
      .where('session_id', '=', sessionId)
      .executeTakeFirstOrThrow()
    return due_at?.getTime()
  }
})

describe('outcomes', () => {
  test('a payment that takes its time waits, and fails or comes in', async () => {
    const { made, page, buyer } = await atStripe()
    const waiting = { ...page, status: 'complete' }
    must(await sendWebhook(service, 'checkout.session.completed', waiting), 200)
    await buyer.visit(made.checkout_url)
    expect(buyer.page.text).toContain('on its way')
    must(await sendWebhook(service, 'checkout.session.async_payment_failed', waiting), 200)
    await buyer.visit(made.checkout_url)
    expect(buyer.page.text).toContain('Continue to payment')
    // Out of order: what was said before the failure comes after it, and changes nothing.
    must(await sendWebhook(service, 'checkout.session.completed', waiting), 200)
    expect((await payments(made.id))[0]?.status).toBe('failed')
    // A success that comes late counts.
    must(await sendWebhook(service, 'checkout.session.async_payment_succeeded', paid(page)), 200)
    expect((await session(made.id)).status).toBe('paid')
    must(await sendWebhook(service, 'checkout.session.expired', page), 200)
    expect((await session(made.id)).status).toBe('paid')
  })

  test('of two payments of one checkout that take their time, either one’s failure leaves the name to the other', async () => {
    const other = await service.partner({ environment: 'live' })
    const asked = async (domain: string) => (await other.post('/quotes', { domain })).status
    for (const failing of [0, 1]) {
      const { domain, made, page, buyer } = await atStripe()
      await buyer.visit(made.checkout_url)
      await buyer.submit(DETAILS)
      await buyer.submit()
      const pages = [page, stripe.sessionAt(buyer.page.headers.location)]
      const waiting = pages.map((each) => ({ ...each, status: 'complete' as const }))
      for (const each of waiting) {
        must(await sendWebhook(service, 'checkout.session.completed', each), 200)
      }
      expect(await asked(domain)).toBe(409)
      const failed = 'checkout.session.async_payment_failed'
      must(await sendWebhook(service, failed, waiting[failing] ?? {}), 200)
      expect(await asked(domain)).toBe(409)
      const succeeded = 'checkout.session.async_payment_succeeded'
      must(await sendWebhook(service, succeeded, paid(waiting[1 - failing] ?? {})), 200)
      expect((await session(made.id)).status).toBe('paid')
    }
    // With both of them the hold is gone.
    const { domain, page } = await atStripe()
    const waiting = { ...page, status: 'complete' }
    must(await sendWebhook(service, 'checkout.session.completed', waiting), 200)
    must(await sendWebhook(service, 'checkout.session.async_payment_failed', waiting), 200)
    expect(await asked(domain)).toBe(201)
  })

  test.each([
    ['another amount', { amount_total: 1 }],
    ['another currency', { currency: 'eur' }],
  ])('%s is refunded', async (_name, change) => {
    const { made, page, buyer } = await atStripe()
    stripe.sessions.set(page.id, { ...page, ...change, payment_status: 'paid' })
    const webhook = { ...paid(page), ...change }
    must(await sendWebhook(service, 'checkout.session.completed', webhook), 200)
    expect(await payments(made.id)).toEqual([
      {
        status: 'refunded',
        reason: 'What was paid is not the price.',
        refund_ref: expect.any(String),
      },
    ])
    expect((await session(made.id)).status).toBe('open')
    await buyer.visit(made.checkout_url)
    expect(buyer.page.text).toContain('refunded your payment')
  })

  test('a payment of nothing buys nothing, and nothing is refunded', async () => {
    const { made, page } = await atStripe()
    const nothing = { ...paid(page), amount_total: 0 }
    must(await sendWebhook(service, 'checkout.session.completed', nothing), 200)
    expect(await payments(made.id)).toEqual([
      { status: 'failed', reason: 'Nothing was paid.', refund_ref: null },
    ])
    expect((await session(made.id)).status).toBe('open')
  })

  test('a payment for what was sold meanwhile is refunded once, though Stripe was down', async () => {
    const { domain, made, page } = await atStripe()
    must(await sell(client, domain), 201)
    stripe.failNext(3)
    const before = stripe.refunds.length
    must(await sendWebhook(service, 'checkout.session.completed', paid(page)), 200)
    must(await sendWebhook(service, 'checkout.session.completed', paid(page)), 200)
    for (let tries = 0; tries < 100 && stripe.refunds.length === before; tries++) {
      service.clock.advance(10_000)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(stripe.refunds.length).toBe(before + 1)
    const [payment] = await payments(made.id)
    expect(payment?.reason).toContain('was sold to someone else')
    const ledger = await ledgerOf(service, { partnerId: client.partner_id, environment: 'live' })
    const back = ledger.filter(({ account }) => account === 'buyer_refunds')
    expect(back.reduce((sum, { amount_cents }) => sum + amount_cents, 0)).toBe(0)
  })

  test('a payment for what somebody else has reserved meanwhile is refunded', async () => {
    const { domain, made, page } = await atStripe()
    const other = await service.partner({ environment: 'live' })
    const held = must(await other.post('/quotes', { domain }), 201).body
    must(await sendWebhook(service, 'checkout.session.completed', paid(page)), 200)
    const [payment] = await payments(made.id)
    expect(payment).toMatchObject({
      status: 'refunded',
      reason: `${domain} has been reserved for someone else.`,
    })
    expect(must(await other.get(`/quotes/${held.quote_id}`), 200).body.status).toBe('active')
    must(await sell(other, domain), 201)
  })

  test('a payment that lands after the expiry buys what is free at its price, and is refunded otherwise', async () => {
    const own = await startService({
      settings: { paymentProvider: 'stripe', stripe: stripe.settings },
    })
    const partner = await own.partner({ environment: 'live' })
    const domains = [await freshName(own, 'live'), await freshName(own, 'live')] as const
    const checkouts = await Promise.all(
      domains.map(async (domain) => {
        const made = must(await partner.post('/checkout-session', { domain }), 201).body
        const buyer = new Buyer(own)
        await buyer.visit(made.checkout_url)
        await buyer.submit(DETAILS)
        await buyer.submit()
        return { domain, made, buyer, page: stripe.sessionAt(buyer.page.headers.location) }
      }),
    )
    own.clock.advance(8 * 86_400_000)
    const [, dearer] = domains
    await own.list(
      'live',
      `domain,price_cents,floor_price_cents,currency\n${dearer},99999900,99999900,USD\n`,
    )
    for (const { page } of checkouts) {
      must(await sendWebhook(own, 'checkout.session.completed', paid(page)), 200)
    }
    const [free, changed] = checkouts
    const bought = must(await partner.get(`/checkout-session/${free?.made.id}`), 200).body
    expect(bought).toMatchObject({ status: 'paid', public_id: expect.any(String) })
    expect((await partner.get(`/domains/${free?.domain}`)).body.status).toBe('sold')
    await free?.buyer.visit(free.made.checkout_url)
    expect(free?.buyer.page.text).toContain(bought.public_id)
    await changed?.buyer.visit(changed.made.checkout_url)
    expect(changed?.buyer.page.text).toContain(`The price of ${dearer} has gone up`)
    expect(must(await partner.get(`/domains/${dearer}`), 200).body.status).toBe('listed')
    await own.stop()
  })

  test('a refund by an operator reaches the card', async () => {
    const { made, page } = await atStripe()
    must(await sendWebhook(service, 'checkout.session.completed', paid(page)), 200)
    const { public_id } = await session(made.id)
    const before = stripe.refunds.length
    await operate(service, public_id, 'refund')
    for (let tries = 0; tries < 100 && stripe.refunds.length === before; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(stripe.refunds.at(-1)?.payment_intent).toBe(page.payment_intent)
  })
})

test('a payment that Stripe does not respond to is told as such, with the time to try again', async () => {
  const domain = await freshName(service, 'live')
  const made = must(await client.post('/checkout-session', { domain }), 201).body
  const buyer = new Buyer(service)
  await buyer.visit(made.checkout_url)
  await buyer.submit(DETAILS)
  stripe.failNext(Number.POSITIVE_INFINITY)
  await buyer.submit()
  stripe.failNext(0)
  expect(buyer.page.status).toBe(503)
  expect(buyer.page.headers['retry-after']).toBe('60')
  expect(buyer.page.text).toContain(
    'The payment provider did not respond. Nothing was charged. Try again in a minute.',
  )
})

test('a payment that Stripe rejects for good says so to the buyer, and why in the log', async () => {
  const domain = await freshName(service, 'live')
  const made = must(await client.post('/checkout-session', { domain }), 201).body
  const buyer = new Buyer(service)
  await buyer.visit(made.checkout_url)
  await buyer.submit(DETAILS)
  const message = 'The amount due must be no more than $999,999.99.'
  stripe.refusePayments({ code: 'amount_too_large', message })
  await buyer.submit()
  stripe.refusePayments()
  expect(buyer.page.status).toBe(402)
  expect(buyer.page.text).toContain(
    'This payment cannot be made here. Please write to us. Nothing was charged.',
  )
  expect(buyer.page.text).not.toContain('did not respond')
  expect(buyer.page.text).not.toContain('Try again')
  const logged = service.logs.filter((line) => line.includes(message))
  expect(logged).toHaveLength(1)
  expect(JSON.parse(logged[0] ?? '{}')).toMatchObject({
    level: 50,
    msg: 'payments: the provider rejected the payment',
  })
})

test('a webhook that Stripe did not sign changes nothing', async () => {
  const { made, page } = await atStripe()
  for (const forged of [{ secret: 'whsec_other' }, { age: 3_600 }, { age: -3_600 }]) {
    const response = await sendWebhook(service, 'checkout.session.completed', paid(page), forged)
    expect(response.status).toBe(401)
    expect(response.body.error.code).toBe('invalid_signature')
  }
  expect((await session(made.id)).status).toBe('open')
  const warned = service.logs.filter((line) => line.includes('see STRIPE_WEBHOOK_SECRET'))
  expect(warned).toHaveLength(3)
})

test('a payment in the sandbox is the test provider’s, and Stripe hears nothing of it', async () => {
  const sandbox = await service.partner()
  const domain = await freshName(service)
  const made = must(await sandbox.post('/checkout-session', { domain }), 201).body
  const calls = stripe.keys.length
  const buyer = new Buyer(service)
  await buyer.pay(made.checkout_url)
  expect(buyer.publicId).toBeDefined()
  expect(stripe.keys).toHaveLength(calls)
})

test('every call carries an idempotency key of its own payment', () => {
  expect(stripe.keys.every((key) => /^(?:pay|refund)-pay_/.test(key))).toBe(true)
})

test.each([
  ['radar.early_fraud_warning.created', 'fraud_warning'],
  ['review.opened', 'payment_review'],
])('%s holds an order whose transfer has not started', async (event, reason) => {
  const { made, page } = await atStripe()
  must(await sendWebhook(service, 'checkout.session.completed', paid(page)), 200)
  const { public_id } = await session(made.id)
  const { payment_intent } = page
  must(await sendWebhook(service, event, { id: 'x_1', object: event, payment_intent }), 200)
  const order = must(await service.admin('GET', `/orders/${public_id}`), 200).body
  expect(order).toMatchObject({ held: true, hold_reason: reason })
  // An operator has looked at it by the time that the webhook comes once more.
  await operate(service, public_id, 'clear')
  must(await sendWebhook(service, event, { id: 'x_1', object: event, payment_intent }), 200)
  const cleared = must(await service.admin('GET', `/orders/${public_id}`), 200).body
  expect(cleared).toMatchObject({ held: false, hold_reason: null })
  const steps = cleared.timeline.filter(({ type }: { type: string }) => type === 'payment.suspect')
  expect(steps).toHaveLength(1)
  const nobody = { id: 'x_2', object: event, payment_intent: 'pi_of_nobody' }
  must(await sendWebhook(service, event, nobody), 200)
})

describe('the webhook endpoint at Stripe', () => {
  const url = 'https://market.example/webhooks/stripe'
  const sound = {
    id: 'we_1',
    object: 'webhook_endpoint',
    url,
    status: 'enabled',
    api_version: Stripe.API_VERSION,
    enabled_events: ['*'],
  }
  const events = ['checkout.session.completed', 'refund.created']
  const ofAccounts = {
    ...sound,
    id: 'we_2',
    application: 'ca_1',
    api_version: null,
    enabled_events: ['account.updated'],
  }

  test.each<[what: string, endpoints: object[], problem: RegExp | null]>([
    ['is sound', [sound], null],
    ['is missing', [], /^Stripe has no enabled webhook endpoint https:\/\/market\.example/],
    ['is of another market', [{ ...sound, url: 'https://other.example/' }], /no enabled webhook/],
    ['is disabled', [{ ...sound, status: 'disabled' }], /no enabled webhook endpoint/],
    [
      'has another version',
      [{ ...sound, api_version: '2020-08-27' }],
      /sends 2020-08-27, and this/,
    ],
    ['has no version', [{ ...sound, api_version: null }], /sends the account's default/],
    ['lacks events', [{ ...sound, enabled_events: events }], /does not send .*review\.opened/],
    ['is beside one of connected accounts', [ofAccounts, sound], null],
    ['is one of connected accounts', [{ ...ofAccounts, enabled_events: ['*'] }], /no enabled/],
    ['shares the events with another', [{ ...sound, enabled_events: events }, sound], null],
  ])('%s', async (_what, endpoints, problem) => {
    stripe.endpoints.splice(0, Infinity, ...endpoints)
    const problems = await service.app.payments.byId('stripe').problems('https://market.example')
    expect(problems).toEqual(problem ? [expect.stringMatching(problem)] : [])
  })

  test('is named in the guide with the version and the events that are checked', async () => {
    const guide = await readFile('docs/OPERATING.md', 'utf8')
    expect(guide).toContain(`API version \`${Stripe.API_VERSION}\``)
    stripe.endpoints.splice(0, Infinity, { ...sound, enabled_events: [] })
    const [problem = ''] = await service.app.payments
      .byId('stripe')
      .problems('https://market.example')
    const named = /does not send (.*)\.$/.exec(problem)?.[1]?.split(', ') ?? []
    expect(named.length).toBeGreaterThan(10)
    for (const event of named) {
      const [, group, last] = /^(.*)\.(\w+)$/.exec(event) ?? []
      expect(
        guide.includes(`\`${event}\``) || guide.includes(`\`.${last}\``),
        `${group} ${last}`,
      ).toBe(true)
    }
  })
})

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { MINUTE } from '../../src/lib/clock.ts'
import { type Agent, buy, letIn } from '../support/agent.ts'
import { Buyer } from '../support/buyer.ts'
import { type Browser, makeUser, signIn } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'
import { sendWebhook, startStripe } from '../support/stripe.ts'

const ORDERS = '/api/agent/orders'
const PRICE = 10_000

let stripe: Awaited<ReturnType<typeof startStripe>>
let service: TestService
let browser: Browser
let agent: Agent
let number = 0
beforeAll(async () => {
  stripe = await startStripe()
  service = await startService({ settings: { paymentProvider: 'stripe', stripe: stripe.settings } })
  await makeUser(service, 'ann@example.com')
  browser = await signIn(service, 'ann@example.com')
  const saving = await browser.post('/account/payment-method', {})
  const page = stripe.cards.complete(String(saving.headers.location).split('/').at(-1) ?? '')
  await browser.get(String(page.success_url).replace('http://localhost:3000', ''))
  agent = await letIn(service, browser, { max_per_order: '100', max_total: '1000' })
})
afterAll(async () => {
  await service.stop()
  stripe.stop()
})

async function listed(): Promise<string> {
  number += 1
  const domain = `stripe${number}.com`
  const row = `${domain},${PRICE},${PRICE},USD\n`
  await service.list('live', `domain,price_cents,floor_price_cents,currency\n${row}`)
  return domain
}

/** The first step: what the second is to confirm, and what the mandate has left. */
async function quoted(domain: string) {
  const { body } = await agent.post(ORDERS, { domain })
  return { domain, confirm: body.confirmation as string, left: body.mandate.left_cents as number }
}

const confirmed = ({ domain, confirm }: { domain: string; confirm: string }) =>
  agent.post(ORDERS, { domain, confirm })
const left = async () => (await quoted(await listed())).left
const chargesOf = (domain: string) =>
  stripe.cards.intents.filter(({ description }) => description === `Purchase of ${domain}`)

async function ordersOf(domain: string): Promise<number> {
  const orders = await service.app.db
    .selectFrom('orders')
    .select('public_id')
    .where('domain', '=', domain)
    .execute()
  return orders.length
}

test('a purchase charges the saved card once, off session, and counts against the mandate', async () => {
  const step = await quoted(await listed())
  const bought = await confirmed(step)
  expect([bought.status, bought.body.status]).toEqual([201, 'PAID'])
  const again = await confirmed(step)
  expect([again.status, again.body.public_id]).toEqual([201, bought.body.public_id])
  expect(chargesOf(step.domain)).toEqual([
    expect.objectContaining({
      amount: PRICE,
      currency: 'usd',
      off_session: 'true',
      metadata: { payment_id: expect.stringMatching(/^pay_/) },
    }),
  ])
  expect(await left()).toBe(step.left - PRICE)
})

test('a declined card buys nothing, holds nothing and leaves the mandate as it was', async () => {
  const step = await quoted(await listed())
  stripe.cards.bank.declines = true
  const declined = await confirmed(step)
  stripe.cards.bank.declines = false
  expect([declined.status, declined.body.error.code]).toEqual([402, 'payment_failed'])
  expect(declined.body.error.details).toEqual({
    reason: 'declined',
    card_url: 'http://localhost:3000/account/payment-method',
  })
  // The same confirmation is the same purchase: it is not charged once more.
  expect((await confirmed(step)).status).toBe(402)
  expect(chargesOf(step.domain)).toHaveLength(1)
  expect(await left()).toBe(step.left)
  expect((await buy(agent, step.domain)).status).toBe(201)
})

test('a bank that asks for the cardholder leaves a link, at which the user pays', async () => {
  const step = await quoted(await listed())
  stripe.cards.bank.asks = true
  const asked = await confirmed(step)
  stripe.cards.bank.asks = false
  expect([asked.status, asked.body.error.details.reason]).toEqual([402, 'authentication_required'])
  expect(asked.body.error.message).toBe(
    'The bank wants the cardholder to confirm this payment. ' +
      'Nothing was bought: have the user pay at the link of create_checkout.',
  )
  expect((await confirmed(step)).body.error.details.reason).toBe('authentication_required')
  expect(chargesOf(step.domain)).toHaveLength(1)
  expect(await left()).toBe(step.left)
  const link = await agent.post('/api/agent/checkouts', { domain: step.domain })
  expect(link.status).toBe(201)
  const { pathname, search } = new URL(link.body.checkout_url)
  const page = await new Buyer(service).visit(`${pathname}${search}`)
  expect(page.text).toContain(step.domain)
  expect(await left()).toBe(step.left)
})

test('a response that is lost is asked about, and the card is charged once', async () => {
  const step = await quoted(await listed())
  // The call and its repeats by Stripe's library.
  stripe.loseNext(3)
  const unknown = await confirmed(step)
  expect([unknown.status, unknown.body.status]).toEqual([201, 'processing'])
  // What is under way counts.
  expect(await left()).toBe(step.left - PRICE)
  stripe.forget()
  service.clock.advance(2 * MINUTE)
  await vi.waitFor(async () => expect(await ordersOf(step.domain)).toBe(1), { timeout: 20_000 })
  expect((await confirmed(step)).body.status).toBe('PAID')
  expect(chargesOf(step.domain)).toHaveLength(1)
  expect(await left()).toBe(step.left - PRICE)
})

test('a call that never reached Stripe is made once more, and once only', async () => {
  const step = await quoted(await listed())
  stripe.failNext(3)
  expect((await confirmed(step)).body.status).toBe('processing')
  expect(chargesOf(step.domain)).toHaveLength(0)
  service.clock.advance(2 * MINUTE)
  await vi.waitFor(async () => expect(await ordersOf(step.domain)).toBe(1), { timeout: 20_000 })
  expect(chargesOf(step.domain)).toHaveLength(1)
  expect(await left()).toBe(step.left - PRICE)
})

test('webhooks of the charge, before and after its response is known, change nothing', async () => {
  const step = await quoted(await listed())
  stripe.loseNext(3)
  expect((await confirmed(step)).body.status).toBe('processing')
  const [intent = {}] = chargesOf(step.domain)
  const told = () => sendWebhook(service, 'payment_intent.succeeded', intent)
  expect((await told()).status).toBe(200)
  service.clock.advance(2 * MINUTE)
  await vi.waitFor(async () => expect(await ordersOf(step.domain)).toBe(1), { timeout: 20_000 })
  expect((await told()).status).toBe(200)
  expect((await sendWebhook(service, 'payment_intent.payment_failed', intent)).status).toBe(200)
  expect((await confirmed(step)).body.status).toBe('PAID')
  expect([await ordersOf(step.domain), chargesOf(step.domain).length]).toEqual([1, 1])
  expect(await left()).toBe(step.left - PRICE)
})

test('racing requests with one confirmation charge once', async () => {
  const step = await quoted(await listed())
  const responses = await Promise.all(Array.from({ length: 8 }, () => confirmed(step)))
  expect(new Set(responses.map(({ body }) => body.public_id)).size).toBe(1)
  expect([await ordersOf(step.domain), chargesOf(step.domain).length]).toEqual([1, 1])
  expect(await left()).toBe(step.left - PRICE)
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Environment } from '../../src/core/caller.ts'
import { advancePaymentsJob } from '../../src/domain/checkout/pay.ts'
import type { Payment } from '../../src/domain/payments/payment.ts'
import type { Outcome } from '../../src/domain/payments/provider.ts'
import { Buyer, CARDS, DETAILS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must, refusal } from '../support/market.ts'
import { orderBody, quote, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR
const TAKEN = { status: 409, code: 'conflict' }

let service: TestService
let client: PartnerClient
let other: PartnerClient
/** How the provider says that a payment stands. */
let standing: (payment: Payment) => Outcome
beforeAll(async () => {
  service = await startService()
  client = await service.partner({ environment: 'live', affiliate: true })
  other = await service.partner({ environment: 'live', affiliate: true })
  const provider = service.app.payments.byId('test')
  const pay = provider.pay.bind(provider)
  provider.pay = async (request) => {
    const outcome = await pay(request)
    return outcome.kind === 'processing' ? standing(request.payment) : outcome
  }
  provider.lookUp = async (payment) => standing(payment)
})
beforeEach(() => {
  standing = pendingFor(HOUR)
})
afterAll(() => service.stop())

/** A payment that takes its time, and this long at most, from its start. */
function pendingFor(milliseconds: number) {
  return ({ id, created_at }: Payment): Outcome => ({
    kind: 'processing',
    ref: `test_${id}`,
    dueAt: new Date(service.clock.now().getTime() + SECOND),
    until: new Date(created_at.getTime() + milliseconds),
  })
}

const failed = ({ id }: Payment): Outcome => ({
  kind: 'failed',
  ref: `test_${id}`,
  reason: 'The bank rejected the payment.',
})

const succeeded = ({ id, amount_cents, currency }: Payment): Outcome => ({
  kind: 'succeeded',
  ref: `test_${id}`,
  amountCents: amount_cents,
  currency,
})

async function sessionFor(partner: PartnerClient, domain: string) {
  return must(await partner.post('/checkout-session', { domain }), 201).body
}

/** A name whose payment is under way. */
async function pending(environment: Environment = 'live', partner = client) {
  const domain = await freshName(service, environment)
  const session = await sessionFor(partner, domain)
  const buyer = new Buyer(service)
  await buyer.pay(session.checkout_url, CARDS.later)
  expect(buyer.page.text).toContain('on its way')
  return { domain, session, buyer }
}

/** The provider says how the payment stands by now. */
async function hear({ id }: { id: string }, becomes: typeof standing, status: string) {
  standing = becomes
  await expect
    .poll(
      async () => {
        service.clock.advance(SECOND)
        await advancePaymentsJob.run(service.app, new AbortController().signal)
        return (await paymentsOf({ id })).at(-1)
      },
      { timeout: 30_000 },
    )
    .toBe(status)
}

async function paymentsOf({ id }: { id: string }) {
  const payments = await service.app.db
    .selectFrom('payments')
    .select('status')
    .where('session_id', '=', id)
    .orderBy('id')
    .execute()
  return payments.map(({ status }) => status)
}

async function statusOf(domain: string, partner = client): Promise<string> {
  return must(await partner.get(`/domains/${domain}`), 200).body.status
}

describe('a payment under way holds its name', () => {
  test('against quotes and checkouts of everybody, its own partner included', async () => {
    const { domain } = await pending()
    expect(await statusOf(domain)).toBe('reserved')
    expect((await other.get(`/availability?domain=${domain}`)).body.available).toBe(false)
    for (const partner of [client, other]) {
      const rejected = await partner.post('/quotes', { domain })
      expect(refusal(rejected)).toEqual(TAKEN)
      expect(rejected.body.error.message).toContain('a payment for it is under way')
      expect(refusal(await partner.post('/checkout-session', { domain }))).toEqual(TAKEN)
    }
  })

  test('against the payment of another checkout, whose card is not charged', async () => {
    const domain = await freshName(service, 'live')
    const [first, second] = [await sessionFor(client, domain), await sessionFor(other, domain)]
    const late = new Buyer(service)
    await late.visit(second.checkout_url)
    await late.submit(DETAILS)
    await new Buyer(service).pay(first.checkout_url, CARDS.later)

    await late.card(CARDS.succeeds)
    expect(late.page.status).toBe(409)
    expect(late.page.text).toContain('A payment for it is under way. Nothing was charged.')
    expect(await paymentsOf(second)).toEqual([])

    await hear(first, failed, 'failed')
    await late.pay(second.checkout_url)
    expect(late.publicId, late.page.text).toBeDefined()
  })

  test('against an order by a quote from before, which sells by it if the payment fails', async () => {
    const domain = await freshName(service, 'live')
    const session = await sessionFor(client, domain)
    const held = await quote(client, domain)
    const buyer = new Buyer(service)
    await buyer.pay(session.checkout_url, CARDS.later)
    expect(refusal(await client.post('/orders', orderBody(held)))).toEqual(TAKEN)
    expect(await statusOf(domain)).toBe('reserved')

    await hear(session, failed, 'failed')
    expect(await statusOf(domain)).toBe('reserved')
    expect(refusal(await other.post('/quotes', { domain }))).toEqual(TAKEN)
    must(await client.post('/orders', orderBody(held)), 201)
  })

  test('for its own checkout, which gets it and uses up the quote of its partner', async () => {
    const domain = await freshName(service, 'live')
    const session = await sessionFor(client, domain)
    const { quote_id } = await quote(client, domain)
    const buyer = new Buyer(service)
    await buyer.pay(session.checkout_url, CARDS.later)
    await hear(session, succeeded, 'succeeded')
    await buyer.visit(session.checkout_url)
    expect(buyer.publicId, buyer.page.text).toBeDefined()
    expect(await statusOf(domain)).toBe('sold')
    expect((await client.get(`/quotes/${quote_id}`)).body.status).toBe('consumed')
  })

  test('and buys it though its checkout link has expired meanwhile', async () => {
    const domain = await freshName(service, 'live')
    const session = await sessionFor(client, domain)
    service.clock.advance(6 * DAY)
    standing = pendingFor(4 * DAY)
    const buyer = new Buyer(service)
    await buyer.pay(session.checkout_url, CARDS.later)
    service.clock.advance(2 * DAY)
    expect(refusal(await other.post('/quotes', { domain }))).toEqual(TAKEN)
    await hear(session, succeeded, 'succeeded')
    expect(await statusOf(domain)).toBe('sold')
  })

  test.each([
    ['the provider gives it an hour', HOUR, HOUR],
    ['the provider gives it a month', 30 * DAY, 7 * DAY],
  ])('no longer than it may take: %s', async (_name, mayTake, isHeldFor) => {
    standing = pendingFor(mayTake)
    const { domain, session } = await pending()
    service.clock.advance(isHeldFor - HOUR / 2)
    expect(refusal(await other.post('/quotes', { domain }))).toEqual(TAKEN)
    service.clock.advance(HOUR / 2)
    must(await other.post('/orders', orderBody(await quote(other, domain))), 201)
    // What comes in after that finds the name sold, and goes back.
    await hear(session, succeeded, 'refunded')
  })

  test('and not while a buyer only looks at what the bank asks', async () => {
    const domain = await freshName(service, 'live')
    const buyer = new Buyer(service)
    await buyer.pay((await sessionFor(client, domain)).checkout_url, CARDS.asks)
    expect(buyer.page.text).toContain('Confirm the payment')
    expect(await statusOf(domain)).toBe('listed')
    must(await other.post('/quotes', { domain }), 201)
  })

  test('and lets go of it when the card is declined', async () => {
    const domain = await freshName(service, 'live')
    const buyer = new Buyer(service)
    await buyer.pay((await sessionFor(client, domain)).checkout_url, CARDS.declined)
    expect(buyer.page.status).toBe(402)
    must(await other.post('/quotes', { domain }), 201)
  })
})

describe('in a sandbox', () => {
  let tester: PartnerClient
  beforeAll(async () => {
    tester = await service.partner()
  })
  const advance = async (seconds: number) =>
    must(await tester.post('/sandbox/clock', { advance_seconds: seconds }), 200)

  test('the hold ends earlier as time passes', async () => {
    const { domain } = await pending('sandbox', tester)
    await advance(1_800)
    expect(refusal(await tester.post('/quotes', { domain }))).toEqual(TAKEN)
    await advance(1_800)
    must(await tester.post('/quotes', { domain }), 201)
  })

  test('a reset ends it', async () => {
    const { domain } = await pending('sandbox', tester)
    must(await tester.post('/sandbox/reset'), 200)
    expect(await statusOf(domain, tester)).toBe('listed')
    await sold(tester, domain)
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Buyer, CARDS, DETAILS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'
import { sendWebhook, startStripe } from '../support/stripe.ts'

const ROUNDS = 6

let stripe: Awaited<ReturnType<typeof startStripe>>
let service: TestService
/** Where the test provider, which is quicker, takes payments in live too. */
let testPayments: TestService
beforeAll(async () => {
  testPayments = await startService()
  stripe = await startStripe()
  service = await startService({ settings: { paymentProvider: 'stripe', stripe: stripe.settings } })
})
afterAll(async () => {
  await service.stop()
  await testPayments.stop()
  stripe.stop()
})

function partners(of = service): Promise<PartnerClient[]> {
  return Promise.all(
    Array.from({ length: 3 }, () => of.partner({ environment: 'live', affiliate: true })),
  )
}

/** A buyer at the form that pays, by a checkout of this partner. */
async function atPayment(partner: PartnerClient, domain: string, of = service) {
  const { id, checkout_url } = must(await partner.post('/checkout-session', { domain }), 201).body
  const buyer = new Buyer(of)
  await buyer.visit(checkout_url)
  await buyer.submit(DETAILS)
  return { id, buyer }
}

async function paymentsFor(domain: string, of = service) {
  const rows = await of.app.db
    .selectFrom('payments as p')
    .innerJoin('checkout_sessions as s', 's.id', 'p.session_id')
    .select('p.status')
    .where('s.domain', '=', domain)
    .execute()
  return rows.map(({ status }) => status).toSorted()
}

async function ordersFor(domain: string): Promise<number> {
  const rows = await service.app.db
    .selectFrom('orders')
    .select('public_id')
    .where('domain', '=', domain)
    .execute()
  return rows.length
}

test('of payments by many checkouts and quotes at once, one takes the name and no other card is charged', async () => {
  const clients = await partners(testPayments)
  for (let round = 0; round < ROUNDS; round++) {
    const domain = await freshName(testPayments, 'live')
    const buyers = await Promise.all(
      clients.map((client) => atPayment(client, domain, testPayments)),
    )
    const [quotes] = await Promise.all([
      // With quotes among them every other time, since those are quicker.
      Promise.all(round % 2 ? clients.map((client) => client.post('/quotes', { domain })) : []),
      ...buyers.map(({ buyer }) => buyer.card(CARDS.later)),
    ])
    const isQuoted = quotes.filter(({ status }) => status === 201).length
    const isPaying = (await paymentsFor(domain, testPayments)).length
    // A partner's own checkout may take the place of its quote.
    expect(isQuoted).toBeLessThanOrEqual(1)
    expect(isPaying).toBeLessThanOrEqual(1)
    expect(isQuoted + isPaying).toBeGreaterThan(0)
  }
})

test('of payments that the provider takes its time with, one gets the name, whichever comes in first', async () => {
  const clients = await partners()
  for (let round = 0; round < ROUNDS; round++) {
    const domain = await freshName(service, 'live')
    const pages = await Promise.all(
      clients.map(async (client) => {
        const { buyer } = await atPayment(client, domain)
        await buyer.submit()
        return stripe.sessionAt(buyer.page.headers.location)
      }),
    )
    const waiting = (page: object) => ({ ...page, status: 'complete' })
    const webhooks = await Promise.all(
      pages.map((page) => sendWebhook(service, 'checkout.session.completed', waiting(page))),
    )
    for (const webhook of webhooks) must(webhook, 200)
    expect(await paymentsFor(domain)).toEqual(['processing', 'processing', 'processing'])
    for (const client of clients) {
      expect((await client.get(`/domains/${domain}`)).body.status).toBe('reserved')
    }

    const paid = await Promise.all(
      pages.map((page) =>
        sendWebhook(service, 'checkout.session.async_payment_succeeded', {
          ...page,
          payment_status: 'paid',
          status: 'complete',
        }),
      ),
    )
    for (const webhook of paid) must(webhook, 200)
    expect(await ordersFor(domain)).toBe(1)
    const statuses = await paymentsFor(domain)
    expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(1)
    expect(statuses.filter((status) => status.startsWith('refund'))).toHaveLength(2)
  }
})

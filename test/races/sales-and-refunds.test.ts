import { afterAll, beforeAll, expect, test } from 'vitest'
import { Buyer, DETAILS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'
import { sendWebhook, startStripe } from '../support/stripe.ts'

const AT_ONCE = 8

let stripe: Awaited<ReturnType<typeof startStripe>>
let service: TestService
let client: PartnerClient
beforeAll(async () => {
  stripe = await startStripe()
  service = await startService({ settings: { paymentProvider: 'stripe', stripe: stripe.settings } })
  client = await service.partner({ environment: 'live', affiliate: true })
})
afterAll(async () => {
  await service.stop()
  stripe.stop()
})

/** Checkouts of the one partner, whose buyers are on Stripe's page. */
async function atStripe(count: number) {
  const checkouts = []
  for (let index = 0; index < count; index++) {
    const domain = await freshName(service, 'live')
    const { id, checkout_url } = must(await client.post('/checkout-session', { domain }), 201).body
    const buyer = new Buyer(service)
    await buyer.visit(checkout_url)
    await buyer.submit(DETAILS)
    await buyer.submit()
    checkouts.push({ id, page: stripe.sessionAt(buyer.page.headers.location) })
  }
  return checkouts
}

type Checkout = Awaited<ReturnType<typeof atStripe>>[number]

function pay({ page }: Checkout) {
  const paid = { ...page, payment_status: 'paid', status: 'complete' }
  return sendWebhook(service, 'checkout.session.completed', paid)
}

test('sales and refunds of one partner do not wait for each other in a circle', async () => {
  const bought = await atStripe(AT_ONCE)
  const ids: string[] = []
  for (const checkout of bought) {
    must(await pay(checkout), 200)
    ids.push(must(await client.get(`/checkout-session/${checkout.id}`), 200).body.public_id)
  }
  const ready = await atStripe(AT_ONCE)

  const responses = await Promise.all([
    ...ready.map(pay),
    ...ids.map((id) => service.admin('POST', `/orders/${id}/refund`, {})),
  ])
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  const kinds = await service.app.db.selectFrom('invoices').select(['kind', 'seq']).execute()
  expect(kinds.filter(({ kind }) => kind === 'invoice')).toHaveLength(2 * AT_ONCE)
  expect(kinds.filter(({ kind }) => kind === 'credit_note')).toHaveLength(AT_ONCE)
  expect(kinds.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 3 * AT_ONCE }, (_, index) => index + 1),
  )
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../support/market.ts'
import { makeOffer, negotiable } from '../support/offers.ts'
import { Operator } from '../support/operator.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let olga: Operator
beforeAll(async () => {
  service = await startService()
  olga = await Operator.enter(service)
})
afterAll(() => service.stop())

async function waiting() {
  const partner = await service.partner({ environment: 'live' })
  const domain = await negotiable(service, { environment: 'live', tld: 'com' })
  const offer = await makeOffer(partner, domain, 5_000, { message: 'For a shop.' })
  return { partner, domain, id: offer.offer_id as string }
}

test('an operator finds what waits, and accepts what they see', async () => {
  const { partner, domain, id } = await waiting()
  await olga.visit('/operator')
  expect(olga.page.text).toContain('offer to respond to')
  await olga.visit('/operator/offers')
  expect(olga.page.text).toContain(`href="/operator/offers/${id}"`)
  await olga.visit(`/operator/offers/${id}`)
  for (const text of [domain, '50.00 USD', '80.00 USD', 'buyer@example.com', 'For a shop.']) {
    expect(olga.page.text).toContain(text)
  }
  must(await olga.submit('operate_offer', {}, { move: 'accept' }), 200)
  await olga.visit(`/operator/offers/${id}`)
  expect(olga.page.text).toContain('This offer has ended.')
  expect(must(await partner.get(`/offers/${id}`), 200).body.status).toBe('accepted')
  await olga.visit('/operator/offers?view=accepted')
  expect(olga.page.text).toContain(id)
})

test('an operator writes amounts in the currency of the name', async () => {
  await service.list('live', 'yen-counter.com,500000,400000,JPY')
  const partner = await service.partner({ environment: 'live' })
  const { offer_id } = await makeOffer(partner, 'yen-counter.com', 300_000, { currency: 'JPY' })
  await olga.visit(`/operator/offers/${offer_id}`)
  expect(olga.page.text).toContain('Your price, JPY')
  const broken = { amount_amount: '450,000.50' }
  expect((await olga.submit('operate_offer', broken, { move: 'counter' })).status).toBe(400)
  must(await olga.submit('operate_offer', { amount_amount: '450,000' }, { move: 'counter' }), 200)
  const { body } = must(await partner.get(`/offers/${offer_id}`), 200)
  expect(body).toMatchObject({ amount_cents: 450_000, currency: 'JPY', turn: 'buyer' })
})

test('an operator asks for more, keeps what was typed when it is rejected, or declines', async () => {
  const { partner, id } = await waiting()
  await olga.visit(`/operator/offers/${id}`)
  const counter = { amount_amount: '100.01', message: 'More.' }
  const rejected = await olga.submit('operate_offer', counter, { move: 'counter' })
  expect(rejected.status).toBe(422)
  expect(rejected.text).toContain('100.01')
  const own = { amount_amount: '90', message: 'More.' }
  must(await olga.submit('operate_offer', own, { move: 'counter' }), 200)
  await olga.visit(`/operator/offers/${id}`)
  expect(olga.page.text).toContain('The buyer has to respond.')
  must(await partner.post(`/offers/${id}/counter`, { amount_cents: 6_000 }), 200)
  await olga.visit(`/operator/offers/${id}`)
  must(await olga.submit('operate_offer', { message: 'No.' }, { move: 'decline' }), 200)
  expect((await partner.get(`/offers/${id}`)).body).toMatchObject({
    status: 'declined',
    closing_message: 'No.',
  })
})

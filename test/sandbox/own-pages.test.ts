import { afterAll, beforeAll, expect, test } from 'vitest'
import { Buyer, DETAILS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must } from '../support/market.ts'
import { quote, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
let other: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner({ affiliate: true })
  other = await service.partner({ affiliate: true })
})
afterAll(() => service.stop())

/** A visitor of the marketplace's own pages, who came by a link of the partner's, or by none. */
async function visitor(client?: PartnerClient): Promise<Buyer> {
  const buyer = new Buyer(service)
  if (client)
    await buyer.visit(must(await client.post('/links', { type: 'generic' }), 201).body.url)
  return buyer
}

/** What the page of the domain offers. */
async function seenBy(buyer: Buyer, domain: string): Promise<string | undefined> {
  const { text } = await buyer.visit(`/d/${domain}`)
  return /Buy |was sold here|is buying this name/.exec(text)?.[0]
}

async function statusFor(client: PartnerClient, domain: string): Promise<string> {
  return must(await client.get(`/domains/${domain}`), 200).body.status
}

test('a visitor is in the sandbox of the partner whose link they followed', async () => {
  const domain = await freshName(service)
  await sold(partner, domain)
  expect(await seenBy(await visitor(partner), domain)).toBe('was sold here')
  expect(await seenBy(await visitor(other), domain)).toBe('Buy ')
  expect(await seenBy(await visitor(), domain)).toBe('Buy ')
  await quote(other, domain)
  expect(await seenBy(await visitor(other), domain)).toBe('is buying this name')
  expect(await seenBy(await visitor(), domain)).toBe('Buy ')
})

test('each partner’s referral sells the domain in that partner’s sandbox', async () => {
  const domain = await freshName(service)
  for (const client of [partner, other]) {
    expect(await statusFor(client, domain)).toBe('listed')
    const buyer = await visitor(client)
    await buyer.pay(`/d/${domain}`)
    const { body } = must(await client.get(`/orders/${buyer.publicId}`), 200)
    expect(body).toMatchObject({ domain, status: 'PAID' })
    expect(await statusFor(client, domain)).toBe('sold')
  }
  expect(await seenBy(await visitor(), domain)).toBe('Buy ')
  must(await partner.post('/sandbox/reset'), 200)
  expect(await statusFor(partner, domain)).toBe('listed')
  expect(await statusFor(other, domain)).toBe('sold')
})

test('a sale without a link is of the marketplace’s own sandbox, until any reset', async () => {
  const domain = await freshName(service)
  const buyer = await visitor()
  await buyer.pay(`/d/${domain}`)
  expect(buyer.publicId).toBeDefined()
  expect(await seenBy(await visitor(), domain)).toBe('was sold here')
  expect(await statusFor(partner, domain)).toBe('listed')
  expect(await seenBy(await visitor(partner), domain)).toBe('Buy ')
  must(await other.post('/sandbox/reset'), 200)
  expect(await seenBy(await visitor(), domain)).toBe('Buy ')
})

test('who buys by a link of their own buys from the marketplace', async () => {
  const domain = await freshName(service)
  const { email } = await service.app.db
    .selectFrom('partners')
    .select('email')
    .where('id', '=', partner.partner_id)
    .executeTakeFirstOrThrow()
  const buyer = await visitor(partner)
  await buyer.pay(`/d/${domain}`, undefined, { email })
  expect(buyer.publicId).toBeDefined()
  expect((await partner.get(`/orders/${buyer.publicId}`)).status).toBe(404)
  expect(await statusFor(partner, domain)).toBe('listed')
  await sold(partner, domain)
  expect(await seenBy(await visitor(), domain)).toBe('was sold here')
})

test('a click after the checkout was opened moves it to the sandbox of its link', async () => {
  const domain = await freshName(service)
  await sold(other, domain)
  const buyer = await visitor(partner)
  await buyer.visit(`/d/${domain}`)
  await buyer.submit()
  const checkout = buyer.path
  await buyer.visit(must(await other.post('/links', { type: 'generic' }), 201).body.url)
  await buyer.visit(checkout)
  await buyer.submit(DETAILS)
  expect(buyer.page.text).toContain('Somebody else was faster')
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Buyer } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must } from '../support/market.ts'
import { orderBody } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const ROUNDS = 4

let service: TestService
let partners: PartnerClient[]
beforeAll(async () => {
  service = await startService()
  partners = await Promise.all(
    Array.from({ length: 3 }, () => service.partner({ affiliate: true })),
  )
})
afterAll(() => service.stop())

async function ordersFor(domain: string) {
  const rows = await service.app.db
    .selectFrom('orders')
    .select('partner_id')
    .where('domain', '=', domain)
    .execute()
  return rows.map(({ partner_id }) => partner_id).toSorted()
}

test('of 36 that buy one name at once, each of three partners has it once', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const domain = await freshName(service)
    const responses = await Promise.all(
      Array.from({ length: 36 }, async (_, index) => {
        const client = partners[index % 3] as PartnerClient
        const offered = await client.post('/quotes', { domain })
        return offered.status === 201 ? client.post('/orders', orderBody(offered.body)) : offered
      }),
    )
    for (const { status } of responses) expect([201, 409]).toContain(status)
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(await ordersFor(domain)).toEqual(partners.map(({ partner_id }) => partner_id).toSorted())
  }
})

test('a reset beside purchases by links of its partner fails none and leaves nothing half done', async () => {
  const [client] = partners as [PartnerClient]
  const neighbour = partners[1] as PartnerClient
  for (let round = 0; round < ROUNDS; round++) {
    const domain = await freshName(service)
    const { url } = must(await client.post('/links', { type: 'generic' }), 201).body
    const buyers = Array.from({ length: 4 }, () => new Buyer(service))
    for (const buyer of buyers) await buyer.visit(url)
    const [reset, other] = await Promise.all([
      client.post('/sandbox/reset', {}),
      neighbour.post('/quotes', { domain }),
      ...buyers.map(async (buyer) => {
        await buyer.visit(`/d/${domain}`)
        await buyer.submit()
        expect(buyer.page.status).not.toBe(500)
      }),
    ])
    expect([reset.status, other.status]).toEqual([200, 201])
    must(await client.post('/sandbox/reset', {}), 200)
    expect((await client.get(`/domains/${domain}`)).body.status).toBe('listed')
    expect((await neighbour.get(`/domains/${domain}`)).body.status).toBe('reserved')
  }
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { purgeMarketplaceSessions } from '../../src/domain/checkout/purge-sessions.ts'
import { Buyer, CARDS } from '../support/buyer.ts'
import { freshName, must } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const DAY = 86_400_000

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

test('a checkout of the marketplace that nobody ever paid by is gone after a day', async () => {
  const { clock, app } = service
  const domains = await Promise.all(Array.from({ length: 4 }, () => freshName(service)))
  const [looked = '', declined = '', paid = '', partners = ''] = domains
  const looking = new Buyer(service)
  await looking.visit(`/d/${looked}`)
  await looking.submit()
  await new Buyer(service).pay(`/d/${declined}`, CARDS.declined)
  await new Buyer(service).pay(`/d/${paid}`)
  const partner = await service.partner()
  must(await partner.post('/checkout-session', { domain: partners }), 201)

  const kept = async (days: number) => {
    await purgeMarketplaceSessions(
      app.db,
      new Date(clock.now().getTime() + days * DAY),
      AbortSignal.any([]),
    )
    const rows = await app.db.selectFrom('checkout_sessions').select('domain').execute()
    return rows.map(({ domain }) => domain).toSorted()
  }
  expect(await kept(0.9)).toEqual(domains.toSorted())
  expect(await kept(2)).toEqual([declined, paid, partners].toSorted())
  // Whoever comes back to it by then is told, and can start anew.
  expect((await looking.visit(looking.path)).status).toBe(404)
  await looking.visit(`/d/${looked}`)
  expect((await looking.submit()).status).toBe(200)
})

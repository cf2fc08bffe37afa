import { moveCase, openCase } from './brokerage.ts'
import { Buyer } from './buyer.ts'
import type { PartnerClient } from './client.ts'
import { earned } from './earnings.ts'
import { freshName, must, operate } from './market.ts'
import { makeUser } from './oauth.ts'
import { makeOffer, negotiable } from './offers.ts'
import { sold } from './sale.ts'
import type { TestService } from './service.ts'

/** As long as names get, and as people call them. */
const NAMES = [
  'moonlit.test',
  `${'long'.repeat(15)}.test`,
  'xn--bcher-kva.test',
  'northwind-trading-company-of-hamburg.test',
  'petals.test',
  'a1.test',
  'greenhouse-tools.test',
  'velvetanchor.test',
  'cedarandstone.test',
  'quiet-mountain-coffee.test',
  'lighthouse-letters.test',
] as const

export interface FullMarket {
  client: PartnerClient
  /** Ids by what they are of. */
  ids: Record<string, string>
}

/** Something of everything in the sandbox of one partner, whose member has this address: no page is empty. */
export async function fillMarket(service: TestService, email: string): Promise<FullMarket> {
  const { admin, clock } = service
  const client = await service.partner({ affiliate: true })
  const ids: Record<string, string> = { partner: client.partner_id }
  const member = await makeUser(service, email, ['petalshop.com', 'a-name-of-mine.com'])
  must(await admin('PUT', `/users/${member}`, { partner_id: client.partner_id }), 200)
  const csv = NAMES.map((name, index) => `${name},${24_900 + index * 137_700},,USD`).join('\n')
  const { imported } = await service.list('sandbox', csv)
  if (imported !== NAMES.length) throw new Error('not all names are listed')
  const [waiting, under, failed, refunded, done, settled, ...others] = NAMES

  // Orders in each of their states.
  ids.settled = (await sold(client, settled)).public_id
  await operate(service, ids.settled ?? '', 'start', 'complete')
  must(await admin('POST', '/settlement-runs', { environment: 'sandbox' }), 201)
  clock.advance(3 * 86_400_000)
  const held = await freshName(service, 'sandbox', { label: 'manual-review', priceCents: 990_000 })
  ids.held = (await sold(client, held)).public_id
  ids.waiting = (await sold(client, waiting)).public_id
  ids.under = (await sold(client, under)).public_id
  await operate(service, ids.under ?? '', 'start', 'action-required')
  ids.failed = (await sold(client, failed)).public_id
  await operate(service, ids.failed ?? '', 'start')
  const reason = 'The registrar rejected the code.'
  must(await admin('POST', `/orders/${ids.failed}/fail`, { reason }), 200)
  ids.refunded = (await sold(client, refunded)).public_id
  const why = { public_id: ids.refunded, reason: 'duplicate' }
  must(await client.post('/refunds', why), 201)
  ids.done = (await sold(client, done)).public_id
  await operate(service, ids.done ?? '', 'start', 'complete')

  // Quotes, and checkout links that are open, paid and disputed.
  const [quoted, released, open, paid, disputed] = others
  must(await client.post('/quotes', { domain: quoted }), 201)
  const { quote_id } = must(await client.post('/quotes', { domain: released }), 201).body
  must(await client.delete(`/quotes/${quote_id}`), 200)
  const session = async (domain: string) => {
    const input = { domain, external_ref: `cart-${domain}` }
    return must(await client.post('/checkout-session', input), 201).body
  }
  const first = await session(open)
  ids.session = first.id
  ids.checkout = new URL(first.checkout_url).search
  for (const domain of [paid, disputed]) {
    const { checkout_url } = await session(domain)
    const buyer = new Buyer(service)
    await buyer.pay(checkout_url, undefined, { email })
    ids.receipt = new URL(checkout_url).search
    ids.hosted = buyer.publicId ?? ''
  }
  const { payments } = must(await admin('GET', `/payments?public_id=${ids.hosted}`), 200).body
  ids.payment = payments[0].id
  must(await admin('POST', `/payments/${ids.payment}/play/dispute`), 200)

  // Cases, offers, links, what was earned and what was paid of it.
  for (const moves of [[], ['source'], ['source', 'contact'], ['source', 'contact', 'negotiate']]) {
    const { case_id } = await openCase(client, { note: 'For a bakery at the harbour.' })
    await moveCase(service, case_id, ...moves)
    ids.case = case_id
  }
  ids.offer = (await makeOffer(client, await negotiable(service))).offer_id
  await makeOffer(client, await negotiable(service), 6_000, { message: 'For a shop.' })
  for (const label of ['Newsletter in May', 'The footer of every page of our shop']) {
    ids.link = must(await client.post('/links', { type: 'generic', label }), 201).body.id
  }
  await earned(service, client, 'sandbox', 48_120)
  must(await admin('POST', '/payouts', { environment: 'sandbox' }), 201)
  await earned(service, client, 'sandbox', 12_000)

  // A webhook with deliveries, and requests that were rejected.
  const url = 'https://hooks.partner.example/events/of/the/whole/marketplace'
  const secret = '0123456789abcdef0123456789abcdef'
  must(await client.put('/api/partner/webhooks', { url, secret }), 200)
  must(await client.get('/orders/ord_nothing'), 404)
  must(await client.get('/orders?limit=10', { canonical: (text) => text.toLowerCase() }), 401)
  ids.event = must(await client.get('/events'), 200).body.events.at(-1).id
  ids.settlement = must(await client.get('/settlements'), 200).body.settlements.at(-1).id
  ids.user = member
  return { client, ids }
}

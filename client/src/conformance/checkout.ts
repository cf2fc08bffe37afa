import { expectField, expectStatus, expectThatOf, Skipped } from './expect.ts'
import { type Check, checksOf, unlisted } from './kit.ts'

const RULE = 'service, Limits'
const LIFETIME_S = 7 * 24 * 3600
/** How far the service's clock may be from what its Date field says, and how long the call may take. */
const CLOCK_S = 60

const check = checksOf('checkout')

export const CHECKOUT: Check[] = [
  check(RULE, 'opens a checkout session for 7 days', async (kit) => {
    const { domain, quote_id, sale_price_cents, currency } = await kit.offer()
    // What is reserved may be sold by its reservation alone.
    await kit.signed({ method: 'DELETE', target: `/quotes/${quote_id}` })
    const key = crypto.randomUUID()
    const answer = await kit.post('/checkout-session', { domain }, { key })
    if (answer.status === 403) throw new Skipped('the credential lacks the scope embed')
    const { id, checkout_url } = expectStatus(answer, 201).body
    for (const session of [answer, expectStatus(await kit.get(`/checkout-session/${id}`), 200)]) {
      const lasts = Date.parse(session.body.expires_at) / 1000 - kit.now()
      const isSo = Math.abs(lasts - LIFETIME_S) < CLOCK_S
      expectThatOf(session, isSo, `it lasts ${Math.round(lasts)} s instead of ${LIFETIME_S}`)
      expectField(session, 'status', 'open')
      expectField(session, 'domain', domain)
      expectField(session, 'price_cents', sale_price_cents)
      expectField(session, 'currency', currency)
    }
    const hasToken = URL.canParse(checkout_url) && new URL(checkout_url).searchParams.get('pt')
    expectThatOf(answer, hasToken, `checkout_url is ${checkout_url}, without pt`)
  }),
  check('service, Errors', 'opens none for a name that was never listed: 404', async (kit) => {
    const key = crypto.randomUUID()
    const answer = await kit.post('/checkout-session', { domain: unlisted() }, { key })
    if (answer.status === 403) throw new Skipped('the credential lacks the scope embed')
    expectStatus(answer, 404, 'not_found')
  }),
]

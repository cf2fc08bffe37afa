import { type Check, checksOf, expectStatus, expectThat, Skipped, unlisted } from './kit.ts'

const RULE = 'service, Limits'
const LIFETIME_S = 7 * 24 * 3600
/** How far the service's clock may be from what its Date field says, and how long the call may take. */
const CLOCK_S = 60

const check = checksOf('checkout')

export const CHECKOUT: Check[] = [
  check(RULE, 'opens a checkout session for 7 days', async (kit) => {
    const { domain, quote_id, sale_price_cents } = await kit.offer()
    // What is reserved may be sold by its reservation alone.
    await kit.signed({ method: 'DELETE', target: `/quotes/${quote_id}` })
    const key = crypto.randomUUID()
    const answer = await kit.post('/checkout-session', { domain }, { key })
    if (answer.status === 403) throw new Skipped('the credential lacks the scope embed')
    const { body: made } = expectStatus(answer, 201)
    const { body: read } = expectStatus(await kit.get(`/checkout-session/${made.id}`), 200)
    for (const [what, session] of Object.entries({ POST: made, GET: read })) {
      const lasts = Date.parse(session.expires_at) / 1000 - kit.now()
      const isSo = Math.abs(lasts - LIFETIME_S) < CLOCK_S
      expectThat(isSo, `it lasts ${Math.round(lasts)} s in the response to ${what}`)
      expectThat(session.status === 'open', `it is ${session.status} after ${what}`)
      expectThat(session.domain === domain, `it is of ${session.domain} after ${what}`)
      expectThat(
        session.price_cents === sale_price_cents,
        `its price is ${session.price_cents} after ${what}`,
      )
    }
    const url = new URL(made.checkout_url)
    expectThat(url.searchParams.get('pt'), 'its checkout_url has no pt')
  }),
  check('service, Errors', 'opens none for a name that was never listed: 404', async (kit) => {
    const key = crypto.randomUUID()
    const answer = await kit.post('/checkout-session', { domain: unlisted() }, { key })
    if (answer.status === 403) throw new Skipped('the credential lacks the scope embed')
    expectStatus(answer, 404, 'not_found')
  }),
]

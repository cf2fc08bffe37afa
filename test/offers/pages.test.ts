import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Buyer } from '../support/buyer.ts'
import type { Result } from '../support/client.ts'
import { mailsTo, must } from '../support/market.ts'
import { type Browser, hidden, makeUser, signIn } from '../support/oauth.ts'
import { makeOffer, negotiable } from '../support/offers.ts'
import { readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { listingHoldHours: 24 } })
})
afterAll(() => service.stop())

const get = (target: string) =>
  service.send({ method: 'GET', target, headers: { accept: 'text/html' } })

function post(target: string, fields: Record<string, string>, headers: object = {}) {
  return service.send({
    method: 'POST',
    target,
    headers: {
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  })
}

let lastBuyer = 0
function freshBuyer(): string {
  lastBuyer += 1
  return `buyer-${lastBuyer}@offers.example`
}

/** Fills in the form of a name's page, and returns where that led. */
async function offerOn(domain: string, fields: Record<string, string>): Promise<Result> {
  const once = hidden(must(await get(`/d/${domain}/offer`), 200), 'once')
  return await post(`/d/${domain}/offer`, { once, email: freshBuyer(), ...fields })
}

/** The path of the buyer's page, of an offer that was taken. */
async function offered(domain: string, fields: Record<string, string>): Promise<string> {
  const { location = '' } = must(await offerOn(domain, fields), 303).headers
  expect(location).toMatch(/^\/offers\/[0-9a-f]{64}$/)
  return location
}

/** The newest mail to somebody, as they got it. */
async function mailTo(recipient: string) {
  return await service.app.db
    .selectFrom('mails')
    .selectAll()
    .where('recipient', '=', recipient)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
}

const linkIn = (mail: { body: string | null }, path: string) =>
  new RegExp(`http://localhost:3000(${path}[^\\s]*)`).exec(mail.body ?? '')?.[1] ?? ''

async function act(path: string, move: string, fields: Record<string, string> = {}) {
  const seen = hidden(must(await get(path), 200), 'seen')
  return await post(`${path}/${move}`, { seen, ...fields })
}

const idOn = (page: Result) => /ofr_[0-9a-z]{26}/.exec(page.text)?.[0] ?? ''

let lastSeller = 0

/** A user with one domain for sale at 100.00 with a floor of 80.00, and a browser of theirs. */
async function seller(): Promise<{ email: string; domain: string; browser: Browser; id: string }> {
  lastSeller += 1
  const email = `seller-${lastSeller}@offers.example`
  const domain = `sellers-${lastSeller}.com`
  const id = await makeUser(service, email, [domain])
  const { token } = must(await service.admin('POST', '/user-tokens', { email }), 201).body
  const params = { price_cents: 10_000, floor_price_cents: 8_000, min_offer_cents: 1_000 }
  const body = { domains: [domain], params }
  const reader = readerOf(() => service, token)
  const listed = must(await reader.post('/api/domains/bulk/list_for_sale', body), 200).body
  expect(listed.succeeded).toBe(1)
  await service.app.db.updateTable('users').set({ access_changed_at: null }).execute()
  await service.app.db.updateTable('listings').set({ sells_from: null }).execute()
  return { email, domain, id, browser: await signIn(service, email) }
}

describe('a visitor of a name for sale', () => {
  test('finds the form, which needs no login and is not indexed', async () => {
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    expect((await get(`/d/${domain}`)).text).toContain(`href="/d/${domain}/offer"`)
    const form = must(await get(`/d/${domain}/offer`), 200)
    expect(form.headers).toMatchObject({
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
    })
    const closed = await negotiable(service, { environment: 'live', tld: 'com', rest: ',off' })
    expect((await get(`/d/${closed}`)).text).not.toContain(`/offer"`)
    expect((await get(`/d/${closed}/offer`)).headers.location).toBe(`/d/${closed}`)
    const sent = { once: 'a-form-from-before', email: freshBuyer(), amount: '50' }
    const late = must(await post(`/d/${closed}/offer`, sent), 409)
    expect(late.text).toContain('takes no offers')
  })

  test('writes amounts in the currency of the name', async () => {
    await service.list('live', 'yen-offer.com,500000,400000,JPY')
    const path = await offered('yen-offer.com', { amount: '300,000' })
    const offer = async () => {
      const id = idOn(must(await get(path), 200))
      return must(await service.admin('GET', `/offers/${id}`), 200).body
    }
    const { offer_id, ...made } = await offer()
    expect(made).toMatchObject({ amount_cents: 300_000, currency: 'JPY' })
    const ask = { move: 'counter', amount_cents: 450_000 }
    must(await service.admin('POST', `/offers/${offer_id}/counter`, ask), 200)
    must(await act(path, 'counter', { amount: '350000.00' }), 303)
    expect(await offer()).toMatchObject({ amount_cents: 350_000 })
  })

  test('makes an offer, agrees with the seller, and pays by the mailed link alone', async () => {
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    const email = freshBuyer()
    const path = await offered(domain, { email, amount: '50', message: 'For a <shop>.' })
    const page = must(await get(path), 200)
    expect(page.headers).toMatchObject({
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    expect(page.text).toContain('You offered $50.00.')
    expect(page.text).toContain('For a &lt;shop>.')
    expect(page.text).not.toContain('/accept"')
    expect(linkIn(await mailTo(email), '/offers/')).toBe(path)
    const offer = idOn(page)
    const counter = { amount_cents: 7_000, message: 'Seventy.' }
    must(await service.admin('POST', `/offers/${offer}/counter`, counter), 200)
    expect((await mailTo(email)).subject).toBe(`${domain}: the seller asks for 70.00 USD`)
    must(await act(path, 'accept'), 303)
    const accepted = await mailTo(email)
    expect(accepted.subject).toBe(`${domain} is reserved for you at 70.00 USD`)
    const pay = linkIn(accepted, '/checkout')
    expect((await get(path)).text.replaceAll('&amp;', '&')).toContain(`href="${pay}"`)

    // Nobody else can have it meanwhile, not even on our own pages.
    const stranger = new Buyer(service)
    await stranger.visit(`/d/${domain}`)
    expect(stranger.page.text).toContain('being bought')
    const other = await service.partner({ environment: 'live' })
    expect((await other.post('/quotes', { domain })).status).toBe(409)

    const buyer = new Buyer(service)
    await buyer.pay(pay, undefined, { email })
    await expect
      .poll(async () => (await buyer.visit(pay)).text, { timeout: 15_000 })
      .toMatch(/ord_/)
    const order = must(await service.admin('GET', `/orders/${buyer.publicId}`), 200).body
    expect(order).toMatchObject({ domain, sale_price_cents: 7_000 })

    // The offer's page leads to the purchase from now on.
    const bought = must(await get(path), 200).text.replaceAll('&amp;', '&')
    expect(bought).toContain('You bought it for $70.00.')
    expect(bought).toMatch(/href="\/checkout\?pt=[^"]*">Receipt and transfer/)
    expect(bought).not.toContain('Reserved until')
  })

  test('is told that the time to pay is over', async () => {
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    const path = await offered(domain, { amount: '80' })
    expect((await get(path)).text).toContain('You can have it for $80.00.')
    service.clock.advance(73 * 3_600_000)
    const late = must(await get(path), 200).text
    expect(late).toContain('The time to pay is over.')
    expect(late).not.toContain('/checkout')
  })

  test('has the name kept for them when their card is declined', async () => {
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    const email = freshBuyer()
    await offered(domain, { email, amount: '80' })
    const pay = linkIn(await mailTo(email), '/checkout')
    const buyer = new Buyer(service)
    await buyer.pay(pay, '4000000000000002', { email })
    const other = await service.partner({ environment: 'live' })
    expect((await other.post('/quotes', { domain })).body.error.details.reason).toBe(
      'domain_reserved',
    )
    await buyer.card('4242424242424242')
    await expect
      .poll(async () => (await buyer.visit(pay)).text, { timeout: 15_000 })
      .toMatch(/ord_/)
  })

  test('is told what is wrong, beside the field and with what was typed', async () => {
    const rest = ',open,3000'
    const domain = await negotiable(service, { environment: 'live', tld: 'com', rest })
    const cases = [
      [{ amount: 'much' }, 400, 'Write an amount such as 500'],
      [{ amount: '29.99' }, 422, 'Offers for'],
      [{ amount: '100.01' }, 422, 'costs 100.00 USD'],
      [{ amount: '50', email: 'nobody' }, 400, 'must be an e-mail address'],
      [{ amount: '50', message: 'x'.repeat(2_001) }, 400, '2000 characters'],
    ] as const
    for (const [fields, status, text] of cases) {
      const response = must(await offerOn(domain, fields), status)
      expect(response.text).toContain(text)
      expect(response.text).toContain(`value="${fields.amount}"`)
    }
  })

  test('is told no price where prices are masked', async () => {
    const masked = await startService({ settings: { pagePrices: 'masked' } })
    await masked.list('live', 'secret-price.com,10000,8000')
    const form = (target: string, fields: Record<string, string>) =>
      masked.send({
        method: 'POST',
        target,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      })
    const offerOf = (amount: string) =>
      form('/d/secret-price.com/offer', { amount, email: freshBuyer() })
    const above = must(await offerOf('100.01'), 422)
    expect(above.text).toContain('The price is lower than that.')
    expect(above.text).not.toContain('100.00')
    const { location = '' } = must(await offerOf('50'), 303).headers
    const page = await masked.send({ method: 'GET', target: location })
    const move = { amount_cents: 9_000 }
    must(await masked.admin('POST', `/offers/${idOn(page)}/counter`, move), 200)
    const counter = must(await form(`${location}/counter`, { seen: '2', amount: '100.01' }), 422)
    expect(counter.text).toContain('The price is lower than that.')
    expect(counter.text).not.toContain('100.00')
    await masked.stop()
  })

  test('with an empty form has every field marked', async () => {
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    const { text } = must(await offerOn(domain, { amount: '', email: '' }), 400)
    expect(text.match(/aria-invalid="true"/g)).toHaveLength(2)
    expect(text).toContain('Write an amount such as 500')
    expect(text).toContain('must be an e-mail address')
  })

  test('sends the same form twice, and makes one offer', async () => {
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    const once = hidden(await get(`/d/${domain}/offer`), 'once')
    const sent = { once, email: freshBuyer(), amount: '50', name: '', message: '' }
    const [first, again] = await Promise.all([
      post(`/d/${domain}/offer`, sent),
      post(`/d/${domain}/offer`, sent),
    ])
    expect(must(first, 303).headers.location).toBe(must(again, 303).headers.location)
    expect(await mailsTo(service, sent.email)).toHaveLength(1)
  })

  test('is limited, and other sites cannot send the form', async () => {
    const email = freshBuyer()
    for (let index = 0; index < 5; index++) {
      const domain = await negotiable(service, { environment: 'live', tld: 'com' })
      await offered(domain, { email, amount: '50' })
    }
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    const sixth = must(await offerOn(domain, { email, amount: '50' }), 409)
    expect(sixth.text).toContain('has 5 offers running')
    const fields = { email: freshBuyer(), amount: '50' }
    const foreign = await post(`/d/${domain}/offer`, fields, { 'sec-fetch-site': 'cross-site' })
    expect(foreign.status).toBe(403)
  })

  test('may offer again once a name was bought or given up, and tries it in the sandbox besides', async () => {
    const email = freshBuyer()
    const offerOne = async (amount: string) => {
      const domain = await negotiable(service, { environment: 'live', tld: 'com' })
      return (await offerOn(domain, { email, amount })).status
    }
    const accepted = async () => {
      expect(await offerOne('80')).toBe(303)
      return linkIn(await mailTo(email), '/checkout')
    }
    const [bought, givenUp] = [await accepted(), await accepted()]
    for (let index = 0; index < 3; index++) expect(await offerOne('50')).toBe(303)
    expect(await offerOne('50')).toBe(409)
    await offered(await negotiable(service), { email, amount: '50' })

    const buyer = new Buyer(service)
    await buyer.pay(bought, undefined, { email })
    await expect
      .poll(async () => (await buyer.visit(bought)).text, { timeout: 15_000 })
      .toMatch(/ord_/)
    expect([await offerOne('50'), await offerOne('50')]).toEqual([303, 409])
    must(await post(givenUp.replace('/checkout?', '/checkout/cancel?'), {}), 303)
    expect([await offerOne('50'), await offerOne('50')]).toEqual([303, 409])
  })

  test('cannot make offers without end from one address', async () => {
    const limited = await startService({ settings: { rateLimits: { registrationPerMinute: 1 } } })
    await limited.list('live', 'one.com,10000,8000')
    const send = () =>
      limited.send({
        method: 'POST',
        target: '/d/one.com/offer',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'amount=50&email=a@offers.example',
      })
    expect([(await send()).status, (await send()).status]).toEqual([303, 429])
    await limited.stop()
  })

  test('tries it with a name of the sandbox, marked as a test', async () => {
    const domain = await negotiable(service)
    const email = freshBuyer()
    const path = await offered(domain, { email, amount: '50' })
    const page = await get(path)
    expect(page.text).toContain('This is a test.')
    must(await service.admin('POST', `/offers/${idOn(page)}/accept`, {}), 200)
    const mail = await mailTo(email)
    expect(mail.subject).toBe(`[Test] ${domain} is reserved for you at 50.00 USD`)
    const buyer = new Buyer(service)
    await buyer.pay(linkIn(mail, '/checkout'), undefined, { email })
    await expect
      .poll(async () => (await buyer.visit(linkIn(mail, '/checkout'))).text, { timeout: 15_000 })
      .toMatch(/ord_/)
  })
})

describe('the page of an offer', () => {
  test('is found by its link alone, and its token is in no log', async () => {
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    const path = await offered(domain, { amount: '50' })
    expect(service.logs.join('')).not.toContain(path.split('/')[2])
    for (const wrong of ['/offers/none', `/offers/${'0'.repeat(64)}`]) {
      expect((await get(wrong)).status).toBe(404)
      expect((await post(`${wrong}/accept`, { seen: '1' })).status).toBe(404)
    }
    expect((await get(`${path}/accept`)).headers.location).toBe(path)
    expect((await post(`${path}/sell`, { seen: '1' })).status).toBe(404)
  })

  test('says of a response that came before that it was one’s own', async () => {
    const { domain, browser } = await seller()
    const path = await offered(domain, { amount: '50' })
    const own = `/account/offers/${idOn(await get(path))}`
    const seen = hidden(must(await browser.get(own), 200), 'seen')
    must(await browser.post(`${own}/counter`, { seen, amount: '90' }), 303)
    const again = must(await browser.post(`${own}/counter`, { seen, amount: '90' }), 409)
    expect(again.text).toContain('You have responded already.')
    expect(again.text).not.toContain('The other side responded')
  })

  test('says that an amount which reaches what was asked for is accepted', async () => {
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    const path = await offered(domain, { amount: '50' })
    const counter = { amount_cents: 7_000 }
    must(await service.admin('POST', `/offers/${idOn(await get(path))}/counter`, counter), 200)
    const { headers } = must(await act(path, 'counter', { amount: '70 USD' }), 303)
    const cookie = headers['set-cookie'] ?? ''
    const page = await service.send({ method: 'GET', target: path, headers: { cookie } })
    expect(page.text).toContain('Your offer is accepted.')
    expect(page.text).not.toContain('is on its way')
  })

  test('lets the buyer withdraw, once', async () => {
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    const path = await offered(domain, { amount: '50' })
    must(await act(path, 'withdraw'), 303)
    const page = await get(path)
    expect(page.text).toContain(`You withdrew your offer for ${domain}.`)
    const again = must(await post(`${path}/withdraw`, { seen: '1' }), 409)
    expect(again.text).toContain('withdrawn by now')
  })

  test('rejects what was decided before the other side moved', async () => {
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    const path = await offered(domain, { amount: '50' })
    const offer = idOn(await get(path))
    must(await service.admin('POST', `/offers/${offer}/counter`, { amount_cents: 9_000 }), 200)
    const stale = must(await post(`${path}/accept`, { seen: '1' }), 409)
    expect(stale.text).toContain('Look again before you decide.')
    const low = must(await act(path, 'counter', { amount: 'all' }), 400)
    expect(low.text).toContain('Write an amount such as 500')
    must(await act(path, 'counter', { amount: '60', message: 'Sixty.' }), 303)
    expect((await get(path)).text).toContain('You offered $60.00.')
  })

  test('serves the buyer of a partner, who completes the purchase there', async () => {
    const partner = await service.partner({ environment: 'live' })
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    const buyer = { email: freshBuyer() }
    const offer = await makeOffer(partner, domain, 5_000, { buyer })
    const path = new URL(offer.offers_url).pathname
    const id = offer.offer_id
    must(await service.admin('POST', `/offers/${id}/counter`, { amount_cents: 7_000 }), 200)
    must(await act(path, 'accept'), 303)
    expect((await get(path)).text).toContain(
      'Complete the purchase with the partner who made the offer',
    )
    const seen = must(await partner.get(`/offers/${id}`), 200).body
    expect(seen).toMatchObject({ status: 'accepted', amount_cents: 7_000, closed_by: 'buyer' })
    expect(seen.quote_id).toMatch(/^qt_/)
  })
})

describe('the seller of a name', () => {
  test('responds by the mailed link', async () => {
    const { email, domain } = await seller()
    const path = await offered(domain, { amount: '50', message: 'Please.' })
    const mail = await mailTo(email)
    expect(mail.subject).toBe(`An offer of 50.00 USD for ${domain}`)
    expect(mail.body).toContain('“Please.”')
    expect(mail.html).toContain('Please.')
    const own = linkIn(mail, '/offers/')
    expect(own).not.toBe(path)
    const page = must(await get(own), 200)
    expect(page.text).toContain('A buyer offers $50.00.')
    expect(page.text).not.toMatch(/offers\.example|\/withdraw"/)
    expect((await post(`${own}/withdraw`, { seen: '1' })).status).toBe(404)
    must(await act(own, 'counter', { amount: '90' }), 303)
    must(await act(path, 'counter', { amount: '60' }), 303)
    expect((await mailTo(email)).subject).toBe(`A new offer of 60.00 USD for ${domain}`)
    must(await act(own, 'accept'), 303)
    expect((await get(path)).text).toContain('Go to the checkout of')
    expect((await mailTo(email)).subject).toBe(`${domain}: a price of 60.00 USD is agreed`)
  })

  test('responds in their account, which counts what waits', async () => {
    const { domain, browser } = await seller()
    const path = await offered(domain, { amount: '50' })
    const offer = idOn(await get(path))
    const list = must(await browser.get('/account/offers'), 200)
    expect(list.text).toContain('<span class="count">1</span>')
    expect(list.text).toContain(`href="/account/offers/${offer}"`)
    const page = must(await browser.get(`/account/offers/${offer}`), 200)
    const seen = hidden(page, 'seen')
    const stale = await browser.post(`/account/offers/${offer}/accept`, { seen: '2' })
    expect(must(stale, 409).text).toContain('Look again')
    must(await browser.post(`/account/offers/${offer}/decline`, { seen, message: 'No.' }), 303)
    expect((await browser.get('/account/offers')).text).not.toContain('class="count"')
    const ended = await get(path)
    expect(ended.text).toContain('The seller declined your offer')
    expect(ended.text).toContain('<q>No.</q>')
    const again = await browser.post(`/account/offers/${offer}/accept`, { seen })
    expect(again.status).toBe(409)
    const stranger = (await seller()).browser
    expect((await stranger.get(`/account/offers/${offer}`)).status).toBe(404)
    const foreign = await stranger.post(`/account/offers/${offer}/accept`, { seen })
    expect(foreign.status).toBe(404)
  })

  test('sees in their account that a price is agreed, and what cannot be done until then', async () => {
    const { domain, browser } = await seller()
    const page = `/account/domains/${domain}`
    expect((await browser.get(page)).text).toContain('Take off the market')
    await offered(domain, { amount: '80' })
    const { text } = must(await browser.get(page), 200)
    expect(text).toContain('being bought')
    expect(text).toContain('at the agreed price of $80.00')
    expect(text).not.toContain('Take off the market')
    expect((await browser.get('/account')).text).toContain('being bought')
    service.clock.advance(73 * 3_600_000)
    const lapsed = (await browser.get(page)).text
    expect(lapsed).toContain('Take off the market')
    expect(lapsed).not.toContain('agreed')
  })

  test('has a floor at which an offer is accepted at once, and a least that it may be', async () => {
    const { email, domain } = await seller()
    const low = must(await offerOn(domain, { amount: '9.99' }), 422)
    expect(low.text).toContain('start at 10.00 USD')
    await offered(domain, { amount: '80' })
    expect(await mailsTo(service, email)).toContain(`${domain}: a price of 80.00 USD is agreed`)
  })

  test('alone accepts, and not while somebody may just have got into the account', async () => {
    const { id, domain, browser } = await seller()
    const path = await offered(domain, { amount: '50' })
    const offer = idOn(await get(path))
    const operator = await service.admin('POST', `/offers/${offer}/accept`, {})
    expect(operator.body.error.details.reason).toBe('not_applicable')
    await service.app.db
      .updateTable('users')
      .set({ access_changed_at: service.clock.now() })
      .where('id', '=', id)
      .execute()
    const seen = hidden(await browser.get(`/account/offers/${offer}`), 'seen')
    const held = await browser.post(`/account/offers/${offer}/accept`, { seen })
    expect(must(held, 409).text).toContain('changed a short while ago')
    must(await service.admin('POST', `/offers/${offer}/decline`, {}), 200)
  })

  test('keeps the name for the buyer, whatever somebody new in the account asks for it', async () => {
    const { domain, email } = await seller()
    const buyer = freshBuyer()
    await offered(domain, { email: buyer, amount: '80' })
    const pay = linkIn(await mailTo(buyer), '/checkout')
    const { token } = must(await service.admin('POST', '/user-tokens', { email }), 201).body
    const reader = readerOf(() => service, token)
    const body = { domains: [domain], params: { price_cents: 9_000 } }
    expect(must(await reader.post('/api/domains/bulk/set_price', body), 200).body.succeeded).toBe(1)
    const stranger = new Buyer(service)
    await stranger.visit(`/d/${domain}`)
    expect(stranger.page.text).toContain('being bought')
    const promised = new Buyer(service)
    await promised.pay(pay, '4000000000000002', { email: buyer })
    expect(promised.page.status).toBe(402)
    await promised.card('4242424242424242')
    await expect
      .poll(async () => (await promised.visit(pay)).text, { timeout: 15_000 })
      .toMatch(/ord_/)
  })

  test('sees the offers that they made themselves, too', async () => {
    const email = freshBuyer()
    const domain = await negotiable(service, { environment: 'live', tld: 'com' })
    const path = await offered(domain, { email, amount: '50' })
    await makeUser(service, email)
    const browser = await signIn(service, email)
    expect((await browser.get('/account/offers')).text).toContain(path)
  })
})

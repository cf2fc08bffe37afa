import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PartnerClient } from '../support/client.ts'
import { must } from '../support/market.ts'
import { Browser, hidden, PASSWORD } from '../support/oauth.ts'
import { copied, signedIn, signedInPartner } from '../support/portal.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('becoming a partner', () => {
  test('asks to sign in first', async () => {
    const response = await new Browser(() => service).get('/partner/sandbox/orders')
    expect(response.status).toBe(303)
    expect(response.headers.location).toBe('/sign-in?next=%2Fpartner%2Fsandbox%2Forders')
  })

  test('gives a credential that signs at once, the same one to a second click', async () => {
    const browser = await signedIn(service, 'new@example.com')
    for (const path of ['/partner/sandbox', '/partner/live/orders']) {
      expect((await browser.get(path)).headers.location, path).toBe('/partner')
    }
    const form = { once: hidden(must(await browser.get('/partner'), 200), 'once'), name: 'Bakers' }
    const first = must(await browser.post('/partner', form), 200)
    const again = must(await browser.post('/partner', form), 200)
    const credential = { key_id: copied(first, 'key-id'), secret: copied(first, 'secret') }
    expect({ key_id: copied(again, 'key-id'), secret: copied(again, 'secret') }).toEqual(credential)
    expect(first.headers['cache-control']).toBe('no-store')
    const client = new PartnerClient(service.baseUrl, service.clock.now, {
      ...credential,
      partner_id: '',
    })
    must(await client.get('/domains/search?q=dog'), 200)
    must(await client.get('/links'), 200)
    // Another form makes no second partner.
    expect((await browser.post('/partner', { ...form, once: `${form.once}x` })).status).toBe(409)
    const page = must(await browser.get('/partner/sandbox/credentials'), 200)
    expect(page.text.match(/<code title="pk_sandbox_[0-9a-f]{24}">/g)).toHaveLength(1)
    expect(page.text).not.toContain(credential.secret)
  })

  test('wants a name, and a form of its own that is not too old', async () => {
    const browser = await signedIn(service, 'nameless@example.com')
    const once = hidden(await browser.get('/partner'), 'once')
    const nameless = await browser.post('/partner', { once, name: '  ' })
    expect(nameless.status).toBe(400)
    expect(nameless.text).toContain('must say who you are')
    // It stands in the mails that invite others, to whom it would look like our own words.
    const twoLines = await browser.post('/partner', { once, name: 'Shop\r\n\r\nYour bill is due' })
    expect(twoLines.status).toBe(400)
    expect(twoLines.text).toContain('must be one line')
    const stolen = await signedIn(service, 'thief@example.com')
    expect((await stolen.post('/partner', { once, name: 'Thief' })).status).toBe(409)
    service.clock.advance(61 * 60_000)
    expect((await browser.post('/partner', { once, name: 'Late' })).status).toBe(409)
  })

  test('is rejected to a form of another site', async () => {
    const browser = await signedIn(service, 'foreign@example.com')
    const once = hidden(await browser.get('/partner'), 'once')
    const response = await browser.post(
      '/partner',
      { once, name: 'X' },
      { 'sec-fetch-site': 'cross-site' },
    )
    expect(response.status).toBe(403)
    expect((await browser.get('/partner')).status).toBe(200)
  })
})

describe('live access', () => {
  const asked = { use_case: 'We sell names to bakers, and charge their cards.', website: '' }

  test('is asked for once, declined, asked for again and approved', async () => {
    const { browser, partnerId } = await signedInPartner(service, 'live@example.com')
    const live = '/partner/live-access'
    const early = await browser.post('/partner/live/checkout-sessions', { domain: 'example.com' })
    expect(early.status).toBe(409)
    expect(early.text).toContain('This needs live access')
    const short = await browser.post(live, { ...asked, use_case: 'names' })
    expect(short.status).toBe(400)
    expect(short.text).toContain('<p class="notice error" role="alert">Say in a sentence or two')
    expect((await browser.post(live, { ...asked, website: 'bakers' })).status).toBe(400)
    expect((await browser.post(live, asked)).headers.location).toBe(live)
    expect((await browser.post(live, asked)).headers.location).toBe(live)
    const { live_requests } = must(
      await service.admin('GET', `/live-requests?partner_id=${partnerId}`),
      200,
    ).body
    expect(live_requests).toHaveLength(1)
    must(
      await service.admin('POST', `/live-requests/${live_requests[0].id}/decline`, {
        reason: 'Tell us your website.',
      }),
      200,
    )
    const declined = must(await browser.get(live), 200)
    expect(declined.text).toContain('Tell us your website.')
    const soon = await browser.post('/partner/live/credentials', { once: 'x', scopes: 'buy' })
    expect(soon.status).toBe(409)
    expect((await browser.post(live, asked)).status).toBe(303)
    const { live_requests: now } = must(
      await service.admin('GET', `/live-requests?status=pending&partner_id=${partnerId}`),
      200,
    ).body
    must(await service.admin('POST', `/live-requests/${now[0].id}/approve`, {}), 200)
    expect((await browser.get('/partner')).headers.location).toBe('/partner/live')
    expect((await browser.post(live, asked)).status).toBe(409)
    const page = must(await browser.get('/partner/live/credentials'), 200)
    const made = must(
      await browser.post('/partner/live/credentials', {
        once: hidden(page, 'once'),
        scopes: 'search',
      }),
      200,
    )
    expect(copied(made, 'key-id')).toMatch(/^pk_live_/)
  })

  test('needs a confirmed address', async () => {
    const browser = new Browser(() => service)
    await browser.post('/sign-up', { email: 'fresh@example.com', password: PASSWORD })
    const once = hidden(await browser.get('/partner'), 'once')
    must(await browser.post('/partner', { once, name: 'Fresh' }), 200)
    const response = await browser.post('/partner/live-access', asked)
    expect(response.status).toBe(409)
    expect(response.text).toContain('confirm your e-mail address')
  })
})

test('a user of another partner sees nothing of it', async () => {
  const { browser, client } = await signedInPartner(service, 'owner@example.com')
  const { url } = must(
    await client.post('/links', { type: 'generic', label: 'Mine alone' }),
    201,
  ).body
  expect((await browser.get('/partner/sandbox/links')).text).toContain(url)
  const { browser: other } = await signedInPartner(service, 'other@example.com')
  expect((await other.get('/partner/sandbox/links')).text).not.toContain('Mine alone')
  expect((await other.get('/partner/elsewhere/links')).status).toBe(404)
})

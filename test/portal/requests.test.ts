import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../support/market.ts'
import { type SignedInPartner, signedInPartner } from '../support/portal.ts'
import { eventually } from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let ann: SignedInPartner
beforeAll(async () => {
  service = await startService()
  ann = await signedInPartner(service, 'ann@example.com')
})
afterAll(() => service.stop())

const LOG = '/partner/sandbox/requests'

/** The page of a request, once it is written. */
async function logged(id: string | string[] | undefined, { browser } = ann) {
  let page = await browser.get(`${LOG}/${String(id)}`)
  await eventually(
    async () => {
      page = await browser.get(`${LOG}/${String(id)}`)
      return page.status === 200
    },
    10_000,
    () => page.text,
  )
  return page.text
}

const count = async () =>
  (await sql<{ n: number }>`select count(*)::int as n from request_log`.execute(service.app.db))
    .rows[0]?.n

describe('the request log', () => {
  test('has what succeeded and what was rejected, and why', async () => {
    const { client, browser } = ann
    const good = must(await client.get('/domains/petpantry.test'), 200)
    const absent = must(await client.get('/orders/ord_nothing'), 404)
    const invalid = must(await client.post('/quotes', { domain: 'no domain' }), 400)
    const ok = await logged(good.headers['x-request-id'])
    expect(ok).toContain('GET /api/partner/v1/domains/{name}')
    expect(ok).toContain('/api/partner/v1/domains/petpantry.test')
    expect(await logged(absent.body.error.request_id)).toContain('not_found')
    const said = await logged(invalid.body.error.request_id)
    expect(said).toContain('validation_error')
    expect(said).toContain('is not a domain name')
    const unstorable = { domain: 'petpantry.test', metadata: { 'a\u0000b': 'x' } }
    const odd = must(await client.post('/checkout-session', unstorable), 400)
    expect(await logged(odd.body.error.request_id)).toContain('metadata.a\ufffdb')
    const rejected = must(await browser.get(`${LOG}?outcome=rejected`), 200).text
    expect(rejected).toContain(absent.body.error.request_id)
    expect(rejected).not.toContain(String(good.headers['x-request-id']))
    const byCode = must(await browser.get(`${LOG}?code=not_found`), 200).text
    expect(byCode).toContain(absent.body.error.request_id)
    expect(byCode).not.toContain(invalid.body.error.request_id)
    const route = encodeURIComponent('/api/partner/v1/domains/{name}')
    expect(must(await browser.get(`${LOG}?route=${route}`), 200).text).toContain(
      String(good.headers['x-request-id']),
    )
    service.clock.advance(1_000)
    const since = service.clock.now().toISOString()
    const newer = must(await client.get('/orders'), 200).headers['x-request-id']
    await logged(newer)
    for (const [end, shown, hidden] of [
      ['to', absent.body.error.request_id, String(newer)],
      ['from', String(newer), absent.body.error.request_id],
    ]) {
      const part = must(await browser.get(`${LOG}?${end}=${since}`), 200).text
      expect(part).toContain(shown)
      expect(part).not.toContain(hidden)
    }
    const later = must(await browser.get(`${LOG}?from=2126-01-01`), 200).text
    expect(later).toContain('No matching requests')
    expect((await browser.get(`${LOG}?from=soon`)).status).toBe(400)
    expect((await browser.get(`${LOG}?cursor=x`)).status).toBe(400)
  })

  test('explains a wrong signature, of a live credential too', async () => {
    const { client } = ann
    const wrong = must(
      await client.get('/orders?limit=10&status=PAID', {
        canonical: (text) => text.replace('/api/partner/v1', ''),
      }),
      401,
    )
    const page = await logged(wrong.body.error.request_id)
    expect(page).toContain('The path was signed without /api/partner/v1.')
    expect(page).toContain('limit=10&amp;status=PAID')
    expect(page).not.toContain(client.credential.secret)
    const live = await service.partner({ environment: 'live', partner_id: ann.partnerId })
    const response = must(await live.get('/orders', { canonical: (text) => `${text}\n` }), 401)
    expect(response.body.error.details).toBeUndefined()
    await eventually(
      async () =>
        (
          await ann.browser.get(`/partner/live/requests/${response.body.error.request_id}`)
        ).text.includes('newline at its end'),
      10_000,
      () => 'not explained',
    )
  })

  test('holds nobody’s address, token or body', async () => {
    const { client } = ann
    const { quote_token } = must(
      await client.post('/quotes', { domain: 'petpantry.test' }),
      201,
    ).body
    const byToken = must(await client.get(`/quotes/${quote_token}`), 200)
    await logged(byToken.headers['x-request-id'])
    const searched = must(await client.get('/domains/search?q=bob%40example.com'), 200)
    await logged(searched.headers['x-request-id'])
    const { rows } = await sql<{ all: string }>`
      select string_agg(row_to_json(r)::text, '') as all from request_log r`.execute(service.app.db)
    expect(rows[0]?.all).not.toContain('bob')
    expect(rows[0]?.all).not.toContain(quote_token)
    expect(rows[0]?.all).not.toContain(client.credential.secret)
  })

  test('is the partner’s own, and takes only so much from those who cannot sign', async () => {
    const { client } = ann
    const { browser } = await signedInPartner(service, 'bob@example.com')
    const mine = must(await client.get('/orders'), 200)
    await logged(mine.headers['x-request-id'])
    const foreign = await browser.get(`${LOG}/${String(mine.headers['x-request-id'])}`)
    expect(foreign.status).toBe(404)
    // One environment says nothing of the other.
    const live = LOG.replace('sandbox', 'live')
    const there = await ann.browser.get(`${live}/${String(mine.headers['x-request-id'])}`)
    expect(there.status).toBe(404)
    const before = (await count()) ?? 0
    service.clock.advance(61_000)
    for (let sent = 0; sent < 80; sent++) {
      await client.get('/orders', { canonical: () => 'nonsense' })
    }
    // Key ids of nobody are nobody's requests.
    await service.send({
      method: 'GET',
      target: '/api/partner/v1/orders',
      headers: { 'x-service-key-id': 'pk_sandbox_000000000000000000000000' },
    })
    const last = must(await client.get('/orders'), 200)
    await logged(last.headers['x-request-id'])
    expect(await count()).toBe(before + 61)
    const rejected = must(await ann.browser.get(`${LOG}?outcome=rejected`), 200).text
    const [, cursor = ''] = /[?&;]cursor=([^"&]+)/.exec(rejected) ?? []
    must(await ann.browser.get(`${LOG}?outcome=rejected&cursor=${cursor}`), 200)
    // It is good for its filters alone, and for its reader.
    must(await ann.browser.get(`${LOG}?cursor=${cursor}`), 400)
    must(await browser.get(`${LOG}?outcome=rejected&cursor=${cursor}`), 400)
  }, 60_000)

  test('is purged after its days', async () => {
    const kept = must(await ann.client.get('/orders'), 200)
    await logged(kept.headers['x-request-id'])
    service.clock.advance(8 * 24 * 3_600_000)
    await eventually(
      async () => (await count()) === 0,
      20_000,
      () => 'still there',
    )
  }, 60_000)
})

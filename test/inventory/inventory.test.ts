import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Buyer, CARDS, DETAILS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must, refusal } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { orderBody, quote, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const HOUR = 3_600_000

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner({ environment: 'live' })
})
afterAll(() => service.stop())

const withdraw = (domain: string, query = '', environment = 'live') =>
  service.admin('DELETE', `/listings/${domain}?environment=${environment}${query}`)
const status = async (domain: string, client = partner) =>
  (await client.get(`/domains/${domain}`)).status
const CSV = 'domain,price_cents,floor_price_cents,currency\n'

describe('withdrawing a listing', () => {
  test('takes it off the market, and an import puts it back', async () => {
    const domain = await freshName(service, 'live')
    const { body } = await withdraw(domain, '&reason=A+typing+error')
    expect(body).toEqual({ environment: 'live', domain, status: 'delisted', released: 0 })
    expect(await status(domain)).toBe(404)
    expect(refusal(await partner.post('/quotes', { domain })).status).toBe(404)
    expect((await withdraw(domain)).status).toBe(404)
    const audit = must(await service.admin('GET', `/audit-entries?subject=${domain}`), 200).body
    expect(JSON.stringify(audit)).toContain('A typing error')
    await service.list('live', `${CSV}${domain},500,500,USD\n`)
    expect(await status(domain)).toBe(200)
  })

  test('keeps what a quote promised, unless it is forced', async () => {
    const domain = await freshName(service, 'live')
    const offered = await quote(partner, domain)
    const { body, status: code } = await withdraw(domain)
    expect(code).toBe(409)
    expect(body.error.details.reason).toBe('domain_reserved')
    expect(must(await withdraw(domain, '&force=true'), 200).body.released).toBe(1)
    const held = must(await partner.get(`/quotes/${offered.quote_id}`), 200).body
    expect(held.status).toBe('released')
    expect((await partner.post('/orders', orderBody(offered))).status).toBe(404)
  })

  test('in the sandbox looks at what every partner has reserved', async () => {
    const domain = await freshName(service, 'sandbox')
    const [one, other] = [await service.partner(), await service.partner()]
    const offered = await quote(one, domain)
    await quote(other, domain)
    expect((await withdraw(domain, '', 'sandbox')).status).toBe(409)
    expect(must(await withdraw(domain, '&force=true', 'sandbox'), 200).body.released).toBe(2)
    expect(await status(domain, one)).toBe(404)
    expect((await one.get(`/quotes/${offered.quote_id}`)).body.status).toBe('released')
  })

  test('does not undo a sale', async () => {
    const domain = await freshName(service, 'live')
    must(await partner.post('/orders', orderBody(await quote(partner, domain))), 201)
    expect((await withdraw(domain, '&force=true')).body.error.details.reason).toBe('domain_sold')
  })

  test('gives a payment back that arrives afterwards', async () => {
    const domain = await freshName(service, 'live')
    const { id, checkout_url } = must(await partner.post('/checkout-session', { domain }), 201).body
    const buyer = new Buyer(service)
    await buyer.visit(checkout_url)
    await buyer.submit(DETAILS)
    await buyer.card(CARDS.later)
    expect((await withdraw(domain)).status).toBe(409)
    expect((await withdraw(domain, '&force=true')).status).toBe(200)
    service.clock.advance(60_000)
    await vi.waitFor(
      async () => {
        await service.admin('POST', '/jobs/advance_payments/run')
        const { status: outcome } = await service.app.db
          .selectFrom('payments')
          .select('status')
          .where('session_id', '=', id)
          .executeTakeFirstOrThrow()
        expect(outcome).toBe('refunded')
      },
      { timeout: 20_000 },
    )
  })

  test('leaves a link that says so, and sells nothing', async () => {
    const domain = await freshName(service, 'live')
    const { checkout_url } = must(await partner.post('/checkout-session', { domain }), 201).body
    must(await withdraw(domain), 200)
    const buyer = new Buyer(service)
    await buyer.visit(checkout_url)
    expect(buyer.page.text).toContain('not for sale')
    expect(buyer.page.text).not.toContain('Continue to payment')
  })
})

describe('a frozen listing', () => {
  test('is for sale to nobody until it is unfrozen', async () => {
    const domain = await freshName(service, 'live')
    const offered = await quote(partner, domain)
    const frozen = { environment: 'live', reason: 'A court order' }
    must(await service.admin('PUT', `/listings/${domain}/freeze`, frozen), 200)
    expect(await status(domain)).toBe(404)
    expect((await partner.post('/orders', orderBody(offered))).status).toBe(404)
    await service.list('live', `${CSV}${domain},500,500,USD\n`)
    expect(await status(domain)).toBe(404)
    const lift = () => service.admin('DELETE', `/listings/${domain}/freeze?environment=live`)
    expect(must(await lift(), 200).body).toMatchObject({ frozen_at: null, status: 'listed' })
    expect(await status(domain)).toBe(200)
    expect((await lift()).status).toBe(404)
  })

  test('stays off the market where its seller has lost it, or it was blocked meanwhile', async () => {
    const frozen = { environment: 'live', reason: 'Two people claim it' }
    const lift = async (domain: string) =>
      must(await service.admin('DELETE', `/listings/${domain}/freeze?environment=live`), 200).body
    await makeUser(service, 'loser@example.com', ['contested.com'])
    const winner = await makeUser(service, 'winner@example.com')
    const made = await service.admin('POST', '/user-tokens', { email: 'loser@example.com' })
    const loser = readerOf(() => service, made.body.token)
    const params = { price_cents: 10_000 }
    const listed = await loser.post('/api/domains/bulk/list_for_sale', {
      domains: ['contested.com'],
      params,
    })
    expect(listed.body.succeeded, listed.text).toBe(1)
    must(await service.admin('PUT', '/listings/contested.com/freeze', frozen), 200)
    const decision = { user_id: winner, reason: 'Showed the invoice' }
    must(await service.admin('PUT', '/claims/contested.com', decision), 200)
    expect(await lift('contested.com')).toMatchObject({ frozen_at: null, status: 'delisted' })
    expect(await status('contested.com')).toBe(404)

    const domain = await freshName(service, 'live')
    must(await service.admin('PUT', `/listings/${domain}/freeze`, frozen), 200)
    must(await service.admin('POST', '/blocked-domains', { domains: [domain] }), 200)
    expect((await lift(domain)).status).toBe('delisted')
    expect(await status(domain)).toBe(404)
  })

  test('needs a reason', async () => {
    const domain = await freshName(service, 'live')
    const sent = await service.admin('PUT', `/listings/${domain}/freeze`, {
      environment: 'live',
      reason: '',
    })
    expect(refusal(sent)).toEqual({ status: 400, code: 'validation_error' })
  })
})

describe('a blocked domain', () => {
  let owner: Reader
  beforeAll(async () => {
    await makeUser(service, 'bob@example.com', ['mine.com'])
    const made = await service.admin('POST', '/user-tokens', { email: 'bob@example.com' })
    owner = readerOf(() => service, made.body.token)
  })
  const block = (...domains: string[]) => service.admin('POST', '/blocked-domains', { domains })

  test('cannot be imported, and is taken off the market', async () => {
    const domain = await freshName(service, 'live')
    expect(must(await block(domain, 'never.com'), 200).body).toEqual({ blocked: 2, withdrawn: 1 })
    expect(await status(domain)).toBe(404)
    const report = await service.list('live', `${CSV}${domain},500,500,USD\nnever.com,5,5,USD\n`)
    expect(report).toMatchObject({
      imported: 0,
      rejected: [
        { line: 2, field: 'domain', issue: 'blocked' },
        { line: 3, field: 'domain', issue: 'blocked' },
      ],
    })
    const { domains } = must(await service.admin('GET', '/blocked-domains?limit=100'), 200).body
    expect(domains.map((row: { domain: string }) => row.domain)).toContain('never.com')
    must(await service.admin('DELETE', `/blocked-domains/${domain}`), 200)
    await service.list('live', `${CSV}${domain},500,500,USD\n`)
    expect(await status(domain)).toBe(200)
    expect((await service.admin('DELETE', `/blocked-domains/${domain}`)).status).toBe(404)
  })

  test('that is sold does not come back when its order is cancelled', async () => {
    const domain = await freshName(service, 'live')
    const { public_id } = await sold(partner, domain)
    expect(must(await block(domain), 200).body).toEqual({ blocked: 1, withdrawn: 0 })
    must(await service.admin('POST', `/orders/${public_id}/cancel`, {}), 200)
    expect(await status(domain)).toBe(404)
  })

  test('cannot be listed by its owner', async () => {
    must(await block('mine.com'), 200)
    const body = { domains: ['mine.com'], params: { price_cents: 5_000 } }
    const { results } = must(await owner.post('/api/domains/bulk/list_for_sale', body), 200).body
    expect(results[0]).toMatchObject({ status: 409, error: { details: { reason: 'blocked' } } })
  })

  test('that somebody has reserved is not blocked', async () => {
    const domain = await freshName(service, 'live')
    await quote(partner, domain)
    expect((await block(domain)).body.error.details.reason).toBe('domain_reserved')
  })
})

describe('checkout sessions', () => {
  test('are cancelled by operators, but not once they are paid', async () => {
    const domain = await freshName(service, 'live')
    const made = must(await partner.post('/checkout-session', { domain }), 201).body
    const cancel = (id: string) => service.admin('POST', `/checkout-sessions/${id}/cancel`)
    for (const _ of ['once', 'again']) {
      expect(must(await cancel(made.id), 200).body).toEqual({
        id: made.id,
        domain,
        status: 'cancelled',
      })
    }
    const next = must(await partner.post('/checkout-session', { domain }), 201).body
    const buyer = new Buyer(service)
    await buyer.pay(next.checkout_url)
    expect(refusal(await cancel(next.id)).status).toBe(409)
    expect(refusal(await cancel('cs_none')).status).toBe(404)
  })

  test('of our own pages hold their price for an hour, and of partners for seven days', async () => {
    const domain = await freshName(service, 'live')
    const made = must(await partner.post('/checkout-session', { domain }), 201).body
    const buyer = new Buyer(service)
    await buyer.visit(`/d/${domain}`)
    await buyer.submit()
    const own = await service.app.db
      .selectFrom('checkout_sessions')
      .select(['created_at', 'expires_at'])
      .where('domain', '=', domain)
      .where('id', '!=', made.id)
      .executeTakeFirstOrThrow()
    expect(own.expires_at.getTime() - own.created_at.getTime()).toBe(HOUR)
    expect(Date.parse(made.expires_at) - own.created_at.getTime()).toBeGreaterThan(160 * HOUR)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONFLICT_REASONS, type ConflictReason } from '../../src/core/conflict-reasons.ts'
import { caseBody, moveCase, openCase } from '../support/brokerage.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must, offer } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { Operator } from '../support/operator.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { registered } from '../support/registered.ts'
import { orderBody, quote, sell, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const EMAIL = 'ann@example.com'

let service: TestService
let live: TestService
let partner: PartnerClient
let seller: PartnerClient
let rival: PartnerClient
let ann: Reader
beforeAll(async () => {
  service = await startService({ settings: { fourEyesCents: 0 } })
  live = await startService({ settings: { registry: 'live' } })
  partner = await service.partner()
  seller = await service.partner({ environment: 'live' })
  rival = await service.partner({ environment: 'live' })
  ann = await owner(service)
})
afterAll(async () => {
  await service.stop()
  await live.stop()
})

async function owner(at: TestService): Promise<Reader> {
  await makeUser(at, EMAIL, ['ann.com'])
  const { token } = must(await at.admin('POST', '/user-tokens', { email: EMAIL }), 201).body
  return readerOf(() => at, token)
}

/** The error of the one name in a bulk call. */
async function bulk(reader: Reader, op: string, params: object, dry_run = true) {
  const body = { domains: ['ann.com'], params, dry_run }
  return must(await reader.post(`/api/domains/bulk/${op}`, body), 200).body.results[0]
}

const rejected = async (response: Promise<{ status: number; body: any }>) => {
  const { status, body } = await response
  return { status, error: body.error }
}

/** How each reason comes about. A reason without an entry does not compile. */
const PROVOKED: Record<ConflictReason, () => Promise<{ status: number; error: any }>> = {
  async approval_required() {
    const payout = { id: 'po_1', environment: 'live', currency: 'USD', kind: 'sale' } as const
    const at = { created_at: new Date(), updated_at: new Date(), attempts: 0 }
    const owner = { partner_id: partner.partner_id, amount_cents: 100, status: 'pending' } as const
    await service.app.db
      .insertInto('payouts')
      .values({ ...payout, ...owner, ...at })
      .execute()
    return rejected(service.admin('POST', '/payouts/po_1/paid', {}))
  },
  async key_reused() {
    const key = { key: 'the-same-key' }
    must(await partner.post('/brokerage', caseBody(), key), 201)
    return rejected(partner.post('/brokerage', caseBody(), key))
  },
  async key_in_progress() {
    const key = 'a-key-that-is-held'
    const body = caseBody()
    must(await partner.post('/brokerage', body, { key }), 201)
    await service.app.db
      .updateTable('idempotency_keys')
      .set({ status: null, body: null })
      .where('key', '=', key)
      .execute()
    return rejected(partner.post('/brokerage', body, { key }))
  },
  async domain_sold() {
    const { domain } = await sold(partner, await freshName(service))
    return rejected(partner.post('/quotes', { domain }))
  },
  async domain_reserved() {
    const { domain } = await quote(seller, await freshName(service, 'live'))
    return rejected(rival.post('/quotes', { domain }))
  },
  domain_not_for_sale: () => bulk(ann, 'set_price', { price_cents: 1_000 }),
  async quote_used() {
    const { quote_id } = await sold(partner, await freshName(service))
    return rejected(partner.delete(`/quotes/${quote_id}`))
  },
  async quote_released() {
    const released = await quote(partner, await freshName(service))
    must(await partner.delete(`/quotes/${released.quote_id}`), 200)
    return rejected(partner.post('/orders', orderBody(released)))
  },
  async offers_closed() {
    await service.list('sandbox', 'closed.test,10000,,USD,off')
    const body = { domain: 'closed.test', amount_cents: 1, buyer: { email: EMAIL } }
    return rejected(partner.post('/offers', body))
  },
  async quote_limit() {
    const many = await service.partner()
    const names = Array.from({ length: 101 }, (_, index) => `limit-${index}.test`)
    await offer(service, 'sandbox', names)
    await Promise.all(names.slice(1).map((domain) => quote(many, domain)))
    return rejected(many.post('/quotes', { domain: names[0] }))
  },
  async payment_ref_used() {
    const { external_payment_ref } = await sold(partner, await freshName(service))
    return rejected(sell(partner, await freshName(service), { external_payment_ref }))
  },
  async not_allowed_now() {
    const { public_id } = await sold(partner, await freshName(service))
    return rejected(service.admin('POST', `/orders/${public_id}/complete`, {}))
  },
  async not_applicable() {
    const { userId, cookie } = await Operator.enter(service)
    return rejected(
      service.send({
        method: 'PUT',
        target: `/api/admin/v1/users/${userId}`,
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
        body: JSON.stringify({ disabled: true }),
      }),
    )
  },
  changed_meanwhile: () =>
    rejected(
      service.admin('POST', '/payouts', { environment: 'sandbox', expected_total_cents: 12_345 }),
    ),
  already_exists: () =>
    rejected(service.admin('POST', '/users', { email: EMAIL, password: 'long enough, surely' })),
  owned_by_other: () =>
    rejected(
      service.admin('POST', '/users', {
        email: 'bob@example.com',
        password: 'long enough, surely',
        domains: ['ann.com'],
      }),
    ),
  async limit_reached() {
    for (let tries = 0; tries < 200; tries++) {
      const response = await service.admin('POST', '/user-tokens', { email: EMAIL })
      if (response.status !== 201) return { status: response.status, error: response.body.error }
    }
    throw new Error('there is no limit')
  },
  async above_budget() {
    const { case_id } = await openCase(partner)
    await moveCase(service, case_id, 'source', 'contact', 'negotiate')
    const price = { price_cents: 500_001 }
    return rejected(partner.post(`/sandbox/brokerage/${case_id}/agree`, price))
  },
  active_site: () => rejected(partner.post('/brokerage', caseBody({ domain: 'active-site.test' }))),
  async already_in_case() {
    const { domain } = await openCase(partner)
    return rejected(partner.post('/brokerage', caseBody({ domain })))
  },
  async listed_for_sale() {
    return rejected(partner.post('/brokerage', caseBody({ domain: await freshName(service) })))
  },
  async blocked() {
    must(await service.admin('POST', '/blocked-domains', { domains: ['ann.com'] }), 200)
    const result = await bulk(ann, 'list_for_sale', { price_cents: 5_000 })
    must(await service.admin('DELETE', '/blocked-domains/ann.com'), 200)
    return result
  },
  async frozen() {
    await bulk(ann, 'list_for_sale', { price_cents: 5_000 }, false)
    const frozen = '/listings/ann.com/freeze'
    must(await service.admin('PUT', frozen, { environment: 'live', reason: 'A court order' }), 200)
    const result = await bulk(ann, 'list_for_sale', { price_cents: 5_000 })
    must(await service.admin('DELETE', `${frozen}?environment=live`), 200)
    await bulk(ann, 'delist', {}, false)
    return result
  },
  async ownership_not_verified() {
    await makeUser(service, 'claims@example.com')
    const user = { email: 'claims@example.com' }
    const { token } = must(await service.admin('POST', '/user-tokens', user), 201).body
    const reader = readerOf(() => service, token)
    must(await reader.post('/api/domains/claims', { domains: ['not-proven.com'] }), 200)
    const body = { domains: ['not-proven.com'], params: { price_cents: 9_900 } }
    return must(await reader.post('/api/domains/bulk/list_for_sale', body), 200).body.results[0]
  },
  async not_transferable() {
    const buyer = await live.partner({ environment: 'live' })
    const domain = await freshName(live, 'live')
    const { lookup } = live.app.registry
    live.app.registry.lookup = async () => registered({ status: ['serverHold'] })
    try {
      return await rejected(buyer.post('/quotes', { domain }))
    } finally {
      live.app.registry.lookup = lookup
    }
  },
  registrar_not_connected: async () => bulk(await owner(live), 'lock', {}),
}

describe('details.reason of a conflict', () => {
  test.each(Object.entries(PROVOKED))('%s', async (reason, provoke) => {
    const { status, error } = await provoke()
    expect(error, JSON.stringify(error)).toMatchObject({ code: 'conflict', details: { reason } })
    expect(status).toBe(409)
    if (reason === 'not_allowed_now') expect(error.details.status).toBe('EXTERNALLY_PAID')
  })

  test.each(['/openapi.json', '/openapi-partner.json'])('is an enum of %s', async (target) => {
    const { body } = await service.send({ method: 'GET', target })
    const details = body.components.schemas.Error.properties.error.properties.details
    const published = details.anyOf[1].properties.reason
    expect(published.enum).toEqual(expect.arrayContaining(Object.keys(CONFLICT_REASONS)))
    // Of other errors: a referral without an affiliate account, and a purchase by an app.
    const others = [
      'affiliate_not_linked',
      'mandate_exceeded',
      'price_changed',
      'no_saved_card',
      'declined',
    ]
    expect(published.enum).toEqual(expect.arrayContaining([...others, 'authentication_required']))
    for (const reason of published.enum) expect(published.description).toContain(`\`${reason}\``)
  })
})

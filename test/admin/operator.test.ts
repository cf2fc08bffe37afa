import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MARKETPLACE_PARTNER } from '../../src/domain/partners/partner.ts'
import type { PartnerClient } from '../support/client.ts'
import { eventTypes, freshName, must, operate, refusal } from '../support/market.ts'
import { sold } from '../support/sale.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { settlementSchedule: 'manual' } })
})
afterAll(() => service.stop())

describe('the operator’s API', () => {
  test.each([
    ['GET', '/partners'],
    ['POST', '/partners'],
    ['POST', '/partners/prt_1/status'],
    ['POST', '/partners/prt_1/credentials'],
    ['GET', '/partners/prt_1/credentials'],
    ['POST', '/credentials/pk_sandbox_1/rotate'],
    ['POST', '/credentials/pk_sandbox_1/revoke'],
    ['GET', '/orders'],
    ['GET', '/orders/ord_1'],
    ['POST', '/orders/ord_1/start'],
    ['POST', '/settlement-runs'],
  ])('%s %s is closed without the token', async (method, path) => {
    const partner = await service.partner()
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer wrong',
      `Bearer ${ADMIN_TOKEN}x`,
      `Basic ${ADMIN_TOKEN}`,
      `Bearer ${partner.credential.secret}`,
    ]) {
      const response = await service.send({
        method,
        target: `/api/admin/v1${path}`,
        headers: { ...(authorization !== undefined && { authorization }) },
      })
      expect(refusal(response)).toEqual({ status: 401, code: 'unauthorized' })
    }
  })

  test("a partner's signature does not open it", async () => {
    const partner = await service.partner()
    expect((await partner.get('/api/admin/v1/partners')).status).toBe(401)
  })
})

describe('partners', () => {
  test('are made with a rate, an affiliate account or without', async () => {
    const plain = must(
      await service.admin('POST', '/partners', { name: 'Plain', email: 'p@example.com' }),
      201,
    )
    expect(plain.body).toEqual({
      partner_id: expect.stringMatching(/^prt_/),
      user_id: null,
      name: 'Plain',
      email: 'p@example.com',
      status: 'active',
      affiliate_id: null,
      partner_collected_bps: 1_000,
      brokerage_bps: 1_000,
      hosted_checkout_bps: 1_000,
      referral_bps: 500,
      live_approved_at: null,
      credit_limit_cents: null,
      orders_per_hour: null,
      brand: null,
      created_at: expect.any(String),
    })
    const linked = await service.admin('POST', '/partners', {
      name: 'Linked',
      email: 'l@example.com',
      affiliate: true,
      partner_collected_bps: 0,
    })
    expect(linked.body).toMatchObject({
      affiliate_id: expect.stringMatching(/^aff_/),
      partner_collected_bps: 0,
    })
  })

  test.each<[field: string, body: object]>([
    ['name', { email: 'p@example.com' }],
    ['name', { name: '', email: 'p@example.com' }],
    ['email', { name: 'P' }],
    ['email', { name: 'P', email: 'nobody' }],
    ['affiliate', { name: 'P', email: 'p@example.com', affiliate: 'yes' }],
    ['partner_collected_bps', { name: 'P', email: 'p@example.com', partner_collected_bps: -1 }],
    ['partner_collected_bps', { name: 'P', email: 'p@example.com', partner_collected_bps: 10_001 }],
    ['partner_collected_bps', { name: 'P', email: 'p@example.com', partner_collected_bps: 0.5 }],
  ])('are refused for their %s: %j', async (field, body) => {
    const response = await service.admin('POST', '/partners', body)
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(response.body.error.details[0].field).toBe(field)
  })

  test('are listed newest first, in pages', async () => {
    const made: string[] = []
    for (const name of ['One', 'Two', 'Three']) {
      const { body } = await service.admin('POST', '/partners', { name, email: 'x@example.com' })
      made.unshift(body.partner_id)
    }
    const first = must(await service.admin('GET', '/partners?limit=2'), 200).body
    const next = await service.admin('GET', `/partners?limit=1&cursor=${first.next_cursor}`)
    const listed = [...first.partners, ...next.body.partners]
    expect(listed.map(({ partner_id }: { partner_id: string }) => partner_id)).toEqual(made)
    const wrong = await service.admin('GET', `/orders?cursor=${first.next_cursor}`)
    expect(refusal(wrong)).toEqual({ status: 400, code: 'invalid_cursor' })
  })

  test('that are suspended are rejected at once, until they are active again', async () => {
    const partner = await service.partner()
    must(await partner.get('/orders'), 200)
    const set = (status: string) =>
      service.admin('POST', `/partners/${partner.partner_id}/status`, { status })
    must(await set('suspended'), 200)
    expect(refusal(await partner.get('/orders'))).toEqual({
      status: 403,
      code: 'partner_not_active',
    })
    must(await set('active'), 200)
    must(await partner.get('/orders'), 200)
    expect(refusal(await set('gone')).status).toBe(400)
    const marketplace = await service.admin('POST', `/partners/${MARKETPLACE_PARTNER}/status`, {
      status: 'suspended',
    })
    expect(refusal(marketplace)).toEqual({ status: 404, code: 'not_found' })
    const absent = await service.admin('POST', '/partners/prt_0/status', { status: 'active' })
    expect(refusal(absent).status).toBe(404)
  })
})

describe('credentials', () => {
  test('are made with their secret, and listed without', async () => {
    const { partner_id } = await service.partner()
    const made = must(
      await service.admin('POST', `/partners/${partner_id}/credentials`, {
        environment: 'live',
        scopes: ['buy', 'search', 'buy'],
      }),
      201,
    ).body
    expect(made.key_id).toMatch(/^pk_live_/)
    expect(made.scopes).toEqual(['buy', 'search'])
    const listed = await service.admin('GET', `/partners/${partner_id}/credentials`)
    expect(listed.body.credentials).toHaveLength(2)
    expect(listed.text).not.toContain(made.secret)
    const partners = await service.admin('GET', '/partners?limit=1')
    expect(partners.body.partners[0].live_approved_at).not.toBeNull()
  })

  test.each<[field: string, body: object]>([
    ['environment', { scopes: ['buy'] }],
    ['environment', { environment: 'production', scopes: ['buy'] }],
    ['scopes', { environment: 'sandbox' }],
    ['scopes', { environment: 'sandbox', scopes: [] }],
    ['scopes.1', { environment: 'sandbox', scopes: ['buy', 'sell'] }],
  ])('are refused for their %s: %j', async (field, body) => {
    const { partner_id } = await service.partner()
    const response = await service.admin('POST', `/partners/${partner_id}/credentials`, body)
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(response.body.error.details[0].field).toBe(field)
  })

  test('of no partner are not found', async () => {
    const response = await service.admin('POST', '/partners/prt_0/credentials', {
      environment: 'sandbox',
      scopes: ['buy'],
    })
    expect(refusal(response)).toEqual({ status: 404, code: 'not_found' })
  })

  test('that are revoked work no more, stay so, and get no new secret', async () => {
    const partner = await service.partner()
    const path = `/credentials/${partner.credential.key_id}`
    const first = must(await service.admin('POST', `${path}/revoke`, {}), 200)
    expect(refusal(await partner.get('/orders')).code).toBe('credential_not_active')
    const again = must(await service.admin('POST', `${path}/revoke`, {}), 200)
    expect(again.body.revoked_at).toBe(first.body.revoked_at)
    expect(refusal(await service.admin('POST', `${path}/rotate`, {})).status).toBe(409)
    expect((await service.admin('POST', '/credentials/pk_sandbox_0/revoke', {})).status).toBe(404)
  })
})

describe('orders of all partners', () => {
  let one: PartnerClient
  let two: PartnerClient
  const made: { public_id: string }[] = []
  beforeAll(async () => {
    one = await service.partner()
    two = await service.partner({ environment: 'live' })
    made.push(await sold(one, await freshName(service)))
    made.push(await sold(one, await freshName(service, 'sandbox', { label: 'manual-review' })))
    made.push(await sold(two, await freshName(service, 'live')))
    await operate(service, made[0]?.public_id ?? '', 'start')
  })
  const idOf = (index: number) => made[index]?.public_id
  const ids = async (query: string) =>
    must(await service.admin('GET', `/orders${query}`), 200).body.orders.map(
      ({ public_id }: { public_id: string }) => public_id,
    )

  test('are listed newest first, with whose they are', async () => {
    expect(await ids('')).toEqual([idOf(2), idOf(1), idOf(0)])
    const { body } = await service.admin('GET', `/orders/${idOf(2)}`)
    expect(body).toMatchObject({ partner_id: two.partner_id, environment: 'live' })
    expect((await service.admin('GET', '/orders/ord_0')).status).toBe(404)
  })

  test('by environment, partner, status and whether they are held', async () => {
    expect(await ids('?environment=live')).toEqual([idOf(2)])
    expect(await ids(`?partner_id=${one.partner_id}`)).toEqual([idOf(1), idOf(0)])
    expect(await ids('?status=TRANSFER_IN_PROGRESS')).toEqual([idOf(0)])
    expect(await ids('?held=false')).toEqual([idOf(2), idOf(0)])
    expect(refusal(await service.admin('GET', '/orders?held=maybe')).status).toBe(400)
    expect(refusal(await service.admin('GET', '/orders?limit=101')).status).toBe(400)
  })

  test('the review queue is what is held, until it is cleared', async () => {
    expect(await ids('?held=true')).toEqual([idOf(1)])
    const cleared = await service.admin('POST', `/orders/${idOf(1)}/clear`, { reason: 'Fine.' })
    expect(cleared.body).toMatchObject({ held: false, partner_id: one.partner_id })
    expect(cleared.body.timeline.at(-1).note).toBe('Fine.')
    expect(await ids('?held=true')).toEqual([])
    expect((await eventTypes(one)).at(-1)).toBe('order.manual_review_cleared')
  })

  test('a cursor is bound to the filters', async () => {
    const { next_cursor } = (await service.admin('GET', '/orders?limit=1&environment=sandbox')).body
    expect(refusal(await service.admin('GET', `/orders?cursor=${next_cursor}`))).toEqual({
      status: 400,
      code: 'invalid_cursor',
    })
    expect(await ids(`?environment=sandbox&cursor=${next_cursor}`)).toEqual([idOf(0)])
  })

  test('a cancel and a refund keep who asked and why', async () => {
    const { public_id } = await sold(one, await freshName(service))
    await service.admin('POST', `/orders/${public_id}/cancel`, {
      refund_reason: 'fraudulent',
      reason: 'A stolen card.',
    })
    const kept = await service.app.db
      .selectFrom('refunds')
      .selectAll()
      .where('public_id', '=', public_id)
      .executeTakeFirst()
    expect(kept).toMatchObject({
      requested_by: 'operator',
      reason: 'fraudulent',
      note: 'A stolen card.',
      amount_cents: 10_000,
    })
    const bad = await service.admin('POST', `/orders/${public_id}/refund`, { refund_reason: 'x' })
    expect(refusal(bad)).toEqual({ status: 400, code: 'validation_error' })
  })
})

describe('POST /settlement-runs', () => {
  test('closes the periods of every partner in the environment, and in no other', async () => {
    const sandbox = [await service.partner(), await service.partner()]
    const live = await service.partner({ environment: 'live' })
    const idle = await service.partner()
    must(await service.admin('POST', '/settlement-runs', { environment: 'sandbox' }), 201)
    for (const [index, client] of [...sandbox, live].entries()) {
      for (let count = 0; count <= index; count++) {
        const { public_id } = await sold(
          client,
          await freshName(service, client === live ? 'live' : 'sandbox'),
        )
        await operate(service, public_id, 'start', 'complete')
      }
    }
    const run = must(
      await service.admin('POST', '/settlement-runs', { environment: 'sandbox' }),
      201,
    )
    expect(run.body.order_count).toBe(3)
    const owed = run.body.settlements.map((s: { amount_owed_cents: number }) => s.amount_owed_cents)
    expect(owed.toSorted((a: number, b: number) => a - b)).toEqual([9_000, 18_000])
    const statuses = async (client: PartnerClient) =>
      (await client.get('/settlements')).body.settlements.map(
        ({ status }: { status: string }) => status,
      )
    for (const client of sandbox) expect(await statuses(client)).toEqual(['open', 'closed'])
    expect(await statuses(live)).toEqual(['open'])
    expect(await statuses(idle)).toEqual(['open'])
    const again = await service.admin('POST', '/settlement-runs', { environment: 'sandbox' })
    expect(again.body).toEqual({ settlements: [], order_count: 0 })
    const liveRun = await service.admin('POST', '/settlement-runs', { environment: 'live' })
    expect(liveRun.body.order_count).toBe(3)
  })

  test('needs an environment', async () => {
    for (const body of [{}, { environment: 'all' }]) {
      const response = await service.admin('POST', '/settlement-runs', body)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    }
  })
})

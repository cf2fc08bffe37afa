import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAmong } from '../../src/lib/addresses.ts'
import { DAY, HOUR } from '../../src/lib/clock.ts'
import { PartnerClient } from '../support/client.ts'
import { freshName, mailsTo, must, operate, refusal } from '../support/market.ts'
import { Operator } from '../support/operator.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({
    settings: { fourEyesCents: 5_000, rateLimits: { partnerPerMinute: 1_200 } },
  })
})
afterAll(() => service.stop())

const limit = async ({ partner_id }: PartnerClient, terms: object) =>
  must(await service.admin('PUT', `/partners/${partner_id}/terms`, terms), 200)
const sell = async (partner: PartnerClient) => await sold(partner, await freshName(service, 'live'))

describe('the limits of a partner', () => {
  test('hold what it would owe beyond its credit, until it has paid', async () => {
    const partner = await service.partner({ environment: 'live' })
    await limit(partner, { credit_limit_cents: 20_000 })
    expect(await sell(partner)).toMatchObject({ held: false })
    const second = await sell(partner)
    expect(second).toMatchObject({ held: false })
    expect(await sell(partner)).toMatchObject({ held: true, hold_reason: 'credit_limit' })
    await limit(partner, { credit_limit_cents: null })
    expect(await sell(partner)).toMatchObject({ held: false })
  })

  test('count what it has paid in advance', async () => {
    const partner = await service.partner({ environment: 'live' })
    const { public_id } = await sell(partner)
    await operate(service, public_id, 'start', 'complete')
    must(await service.admin('POST', '/settlement-runs', { environment: 'live' }), 201)
    const { settlements } = must(await partner.get('/settlements'), 200).body
    const [statement] = settlements.filter(({ status }: { status: string }) => status === 'closed')
    const received = { amount_cents: statement.amount_owed_cents + 9_000, reference: 'in advance' }
    must(await service.admin('POST', `/settlements/${statement.id}/receipts`, received), 201)
    await limit(partner, { credit_limit_cents: 9_000 })
    expect(await sell(partner)).toMatchObject({ held: false })
    expect(await sell(partner)).toMatchObject({ held: false })
    expect(await sell(partner)).toMatchObject({ held: true, hold_reason: 'credit_limit' })
  })

  test('hold, of orders that come at once, all beyond them', async () => {
    for (const terms of [{ credit_limit_cents: 20_000 }, { orders_per_hour: 2 }]) {
      const partner = await service.partner({ environment: 'live' })
      await limit(partner, terms)
      const orders = await Promise.all(Array.from({ length: 8 }, () => sell(partner)))
      expect(orders.filter(({ held }) => !held)).toHaveLength(2)
    }
  })

  test('hold orders beyond so many an hour', async () => {
    const partner = await service.partner({ environment: 'live' })
    await limit(partner, { orders_per_hour: 2 })
    await sell(partner)
    await sell(partner)
    expect(await sell(partner)).toMatchObject({ held: true, hold_reason: 'velocity_limit' })
    service.clock.advance(HOUR)
    expect(await sell(partner)).toMatchObject({ held: false })
    must(
      await service.admin('PUT', `/partners/${partner.partner_id}/terms`, { orders_per_hour: 0 }),
      400,
    )
  })
})

describe('a credential', () => {
  const create = async (more: object) => {
    const { partner_id } = await service.partner({ environment: 'live' })
    const made = must(
      await service.admin('POST', `/partners/${partner_id}/credentials`, {
        environment: 'live',
        scopes: ['buy'],
        ...more,
      }),
      201,
    ).body
    return new PartnerClient(service.baseUrl, service.clock.now, made)
  }

  test('ends when it was made to', async () => {
    const client = await create({ days: 1 })
    must(await client.get('/orders'), 200)
    service.clock.advance(DAY)
    expect(refusal(await client.get('/orders'))).toEqual({
      status: 403,
      code: 'credential_not_active',
    })
  })

  test('works from the addresses that it was made for', async () => {
    const here = await create({ allowed_addresses: ['127.0.0.0/8', '::1'] })
    must(await here.get('/orders'), 200)
    const elsewhere = await create({ allowed_addresses: ['203.0.113.0/24'] })
    expect(refusal(await elsewhere.get('/orders'))).toEqual({ status: 403, code: 'forbidden' })
    const { partner_id } = here
    must(
      await service.admin('POST', `/partners/${partner_id}/credentials`, {
        environment: 'live',
        scopes: ['search'],
        allowed_addresses: ['nowhere'],
      }),
      400,
    )
  })

  test.each([
    ['has ended', { days: 1 }, 'credential_not_active'],
    ['is used elsewhere', { allowed_addresses: ['203.0.113.0/24'] }, 'forbidden'],
  ])('that %s spends its nonces, and its own limit', async (_, more, code) => {
    const client = await create(more)
    if ('days' in more) service.clock.advance(DAY)
    const nonce = randomUUID()
    const first = await client.get('/orders', { nonce })
    expect(refusal(first)).toEqual({ status: 403, code })
    expect(first.headers['ratelimit-limit']).toBe('1200')
    expect(refusal(await client.get('/orders', { nonce }))).toEqual({
      status: 401,
      code: 'replay_detected',
    })
    const next = await client.get('/orders')
    expect(refusal(next)).toEqual({ status: 403, code })
    expect(next.headers['ratelimit-remaining']).toBe('1198')
  })

  test.each([
    ['203.0.113.7', ['203.0.113.7'], true],
    ['::ffff:203.0.113.7', ['203.0.113.0/24'], true],
    ['203.0.114.7', ['203.0.113.0/24', '2001:db8::/32'], false],
    ['2001:db8::5', ['2001:db8::/32'], true],
    ['no address', ['0.0.0.0/0'], false],
  ])('%s is among %s: %s', (address, networks, is) => {
    expect(isAmong(address, networks)).toBe(is)
  })
})

describe('live access', () => {
  test('is withdrawn with its credentials, and the partner is told why', async () => {
    const partner = await service.partner({ environment: 'live' })
    const path = `/partners/${partner.partner_id}`
    must(await partner.get('/orders'), 200)
    must(await service.admin('POST', `${path}/withdraw-live`, {}), 400)
    const { body } = must(
      await service.admin('POST', `${path}/withdraw-live`, { reason: 'Unpaid statements' }),
      200,
    )
    expect(body).toMatchObject({ live_approved_at: null, revoked: 1 })
    expect(refusal(await partner.get('/orders')).code).toBe('credential_not_active')
    expect(await mailsTo(service, body.email)).toContain('Your live access was withdrawn')
    must(await service.admin('POST', `${path}/withdraw-live`, { reason: 'Again' }), 409)
    const nobody = '/partners/prt_00000000000000000000000001/withdraw-live'
    must(await service.admin('POST', nobody, { reason: 'Nobody' }), 404)
  })
})

describe('a refund above FOUR_EYES_CENTS', () => {
  test('is made once two operators have asked for it', async () => {
    const partner = await service.partner({ environment: 'live' })
    const { public_id } = await sell(partner)
    await operate(service, public_id, 'start')
    const refund = () => service.admin('POST', `/orders/${public_id}/refund`, {})
    expect(must(await refund(), 409).body.error.details.reason).toBe('approval_required')
    must(await refund(), 409)
    const olga = await Operator.enter(service, 'olga@example.com')
    await olga.visit(`/operator/orders/${public_id}`)
    await olga.submit('operate_order', {}, { move: 'refund' })
    expect(olga.notice).toContain('refunded')
    const order = must(await service.admin('GET', `/orders/${public_id}`), 200).body
    expect(order.status).toBe('REFUNDED')
  })

  test('is not asked twice below it', async () => {
    const partner = await service.partner({ environment: 'live' })
    const domain = await freshName(service, 'live', { priceCents: 5_000 })
    const { public_id } = await sold(partner, domain)
    must(await service.admin('POST', `/orders/${public_id}/cancel`, {}), 200)
  })
})

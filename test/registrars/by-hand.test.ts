import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DAY, MINUTE } from '../../src/lib/clock.ts'
import { mailsTo, must, refusal } from '../support/market.ts'
import { makeUser, signIn } from '../support/oauth.ts'
import { Operator } from '../support/operator.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

const EMAIL = 'ann@example.com'
const NAMES = ['done.com', 'forgotten.com', 'unpaid.com']

let service: TestService
let ann: Reader
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  await makeUser(service, EMAIL, NAMES)
  await service.app.db
    .updateTable('owned_domains')
    .set({ expires_at: new Date(service.clock.now().getTime() + 200 * DAY) })
    .execute()
  const { token } = must(await service.admin('POST', '/user-tokens', { email: EMAIL }), 201).body
  ann = readerOf(() => service, token)
  const browser = await signIn(service, EMAIL)
  const card = { card_number: '4242 4242 4242 4242', card_expiry: '12/49', card_cvc: '123' }
  must(await browser.post('/account/payment-method', card), 303)
  const connection = { name: 'by-hand', driver: 'manual', config: { tlds: ['com'] } }
  must(await service.admin('POST', '/registrars', connection), 201)
})
afterAll(() => service.stop())

async function ask(op: string, domain: string, params: object = {}): Promise<string> {
  const { body } = await ann.post(`/api/domains/bulk/${op}`, { domains: [domain], params })
  expect(body.results[0]).toMatchObject({ domain, status: 202 })
  return body.results[0].operation_id
}

const renew = (domain: string) => ask('renew', domain, { years: 1 })

const waiting = async () =>
  must(await service.admin('GET', '/overview?environment=live'), 200).body.waiting

async function eventually(work: () => Promise<void>): Promise<void> {
  await vi.waitFor(work, { timeout: 20_000, interval: 200 })
}

async function operation(id: string) {
  return await service.app.db
    .selectFrom('registrar_operations')
    .selectAll()
    .where('operation_id', '=', id)
    .executeTakeFirstOrThrow()
}

async function chargeOf(domain: string) {
  return await service.app.db
    .selectFrom('charges as c')
    .innerJoin('renewals as r', 'r.charge_id', 'c.id')
    .select(['c.id', 'c.status', 'c.capture_cents'])
    .where('r.domain', '=', domain)
    .orderBy('c.id', 'desc')
    .executeTakeFirstOrThrow()
}

const settle = (id: string) =>
  service.admin('POST', `/registrar-operations/${id}/settle`, {
    outcome: 'succeeded',
    expires_at: '2049-01-01T00:00:00Z',
  })

describe('what operators do by hand', () => {
  test('is counted while it waits, each operation on a domain', async () => {
    const renewal = await renew('done.com')
    const lock = await ask('lock', 'done.com')
    await eventually(async () => expect((await waiting()).operations_by_hand).toBe(2))
    const olga = await Operator.enter(service, 'olga@example.com')
    await olga.visit('/operator?environment=live')
    expect(olga.page.text).toContain('operations to do at registrars')
    must(await settle(lock), 200)
    must(await settle(renewal), 200)
    expect((await waiting()).operations_by_hand).toBe(0)
    await eventually(async () => expect((await chargeOf('done.com')).status).toBe('succeeded'))
  })

  test('a renewal that nobody performs within three days fails, charges nothing, and can be asked for again', async () => {
    const id = await renew('forgotten.com')
    await eventually(async () => expect((await waiting()).operations_by_hand).toBe(1))
    service.clock.advance(3 * DAY - MINUTE)
    await eventually(async () => expect((await operation(id)).status).toBe('queued'))
    service.clock.advance(2 * MINUTE)
    await eventually(async () => {
      expect(await operation(id)).toMatchObject({
        status: 'failed',
        error: { code: 'not_done_in_time' },
      })
      expect(await chargeOf('forgotten.com')).toMatchObject({ status: 'failed', capture_cents: 0 })
    })
    expect((await waiting()).operations_by_hand).toBe(0)
    expect(refusal(await settle(id))).toEqual({ status: 409, code: 'conflict' })
    expect(await mailsTo(service, EMAIL)).toContain('Not renewed: forgotten.com')
    await renew('forgotten.com')
  })
})

test('a charge that cannot be captured for what was renewed is counted until it is written off', async () => {
  const { cards } = service.app.payments.byId('test')
  const { capture } = cards
  cards.capture = async () => ({ kind: 'failed', reason: 'The authorization has ended.' })
  const id = await renew('unpaid.com')
  await eventually(async () => expect((await operation(id)).attempts).toBe(1))
  must(await settle(id), 200)
  await eventually(async () => expect((await waiting()).captures_failed).toBe(1))
  cards.capture = capture

  const { charges } = must(await service.admin('GET', '/uncaptured-charges'), 200).body
  const [{ charge_id, amount_cents }] = charges
  expect(charges).toMatchObject([
    { domains: ['unpaid.com'], reason: 'The authorization has ended.', currency: 'USD' },
  ])
  const olga = await Operator.enter(service, 'otto@example.com')
  await olga.visit('/operator/payments/uncaptured')
  expect(olga.page.text).toContain('unpaid.com')

  const path = `/uncaptured-charges/${charge_id}/write-off`
  must(await service.admin('POST', path, {}), 400)
  must(await service.admin('POST', '/uncaptured-charges/chg_0/write-off', { reason: 'x' }), 404)
  const done = must(await service.admin('POST', path, { reason: 'Paid by transfer' }), 200).body
  expect(done).toEqual({ charge_id, written_off_cents: amount_cents, currency: 'USD' })
  expect((await waiting()).captures_failed).toBe(0)
  expect(refusal(await service.admin('POST', path, { reason: 'Again' }))).toEqual({
    status: 409,
    code: 'conflict',
  })
})

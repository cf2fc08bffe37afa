import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { RegistrarRejected } from '../../src/domain/registrars/driver.ts'
import { type Browser, makeUser, signIn } from '../support/oauth.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'

const EMAIL = 'ann@example.com'
const NAMES = ['one.com', 'two.com', 'three.com', 'four.com', 'five.com', 'six.com', 'seven.com']
const MINUTE = 60_000

let service: TestService
let ann: Reader
let browser: Browser
let registrar: ScriptedRegistrar
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  await makeUser(service, EMAIL, [...NAMES, 'elsewhere.com', 'other.net'])
  const { token } = (await service.admin('POST', '/user-tokens', { email: EMAIL })).body
  ann = readerOf(() => service, token)
  browser = await signIn(service, EMAIL)
  const card = { card_number: '4242 4242 4242 4242', card_expiry: '12/39', card_cvc: '123' }
  expect((await browser.post('/account/payment-method', card)).status).toBe(303)
  registrar = new ScriptedRegistrar(NAMES)
  await connectScripted(service, registrar, ['com'])
})
afterAll(() => service.stop())
beforeEach(() => {
  registrar.performed.length = 0
  registrar.faults.length = 0
})

const bulk = (op: string, domains: string[], params: object = {}, more: object = {}) =>
  ann.post(`/api/domains/bulk/${op}`, { domains, params, ...more })

async function ended(operationId: string, wanted = 'succeeded') {
  return await vi.waitFor(
    async () => {
      service.clock.advance(5 * MINUTE)
      const row = await service.app.db
        .selectFrom('registrar_operations')
        .selectAll()
        .where('operation_id', '=', operationId)
        .executeTakeFirstOrThrow()
      expect(row.status).toBe(wanted)
      return row
    },
    { timeout: 20_000, interval: 200 },
  )
}

async function owned(domain: string) {
  return await service.app.db
    .selectFrom('owned_domains')
    .selectAll()
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow()
}

async function charge(domain: string) {
  return await vi.waitFor(
    async () => {
      const row = await service.app.db
        .selectFrom('charges as c')
        .innerJoin('renewals as r', 'r.charge_id', 'c.id')
        .selectAll('c')
        .select('r.status as renewal_status')
        .where('r.domain', '=', domain)
        .executeTakeFirstOrThrow()
      expect(['succeeded', 'failed']).toContain(row.status)
      return row
    },
    { timeout: 20_000, interval: 200 },
  )
}

describe('a bulk operation on names that a registrar has', () => {
  test('is handed to the registrar, and done here when it is done there', async () => {
    const { body } = await bulk('lock', ['one.com', 'elsewhere.com', 'other.net', 'not-mine.com'])
    const [one, elsewhere, other, notMine] = body.results
    expect(one).toMatchObject({ status: 202, operation_id: expect.stringMatching(/^rop_/) })
    expect(elsewhere).toMatchObject({ status: 202 })
    expect(other.error.details.reason).toBe('registrar_not_connected')
    expect(notMine.status).toBe(404)
    expect((await owned('one.com')).locked).toBe(false)
    await ended(one.operation_id)
    const shown = await ann.get(`/api/domains/operations/${one.operation_id}`)
    expect(shown.body).toMatchObject({ domain: 'one.com', op: 'lock', status: 'succeeded' })
    expect((await owned('one.com')).locked).toBe(true)
    expect(registrar.performed).toEqual(['lock one.com'])
  })

  test('locking what is locked succeeds without another command', async () => {
    const { body } = await bulk('lock', ['one.com'])
    await ended(body.results[0].operation_id)
    expect(registrar.performed).toEqual([])
  })

  test('an operation is shown to the user who asked for it alone', async () => {
    const { body } = await bulk('lock', ['one.com'])
    const path = `/api/domains/operations/${body.results[0].operation_id}`
    await makeUser(service, 'bob@example.com')
    const { token } = (await service.admin('POST', '/user-tokens', { email: 'bob@example.com' }))
      .body
    expect((await readerOf(() => service, token).get(path)).status).toBe(404)
    expect((await readerOf(() => service).get(path)).status).toBe(401)
  })

  test('a dry run asks nobody', async () => {
    const { body } = await bulk('unlock', ['one.com'], {}, { dry_run: true })
    expect(body.results).toEqual([{ domain: 'one.com', status: 202 }])
    expect(registrar.performed).toEqual([])
  })

  test('what the registrar cannot do is rejected', async () => {
    const { body } = await bulk('set_privacy', ['one.com'], { enabled: true })
    expect(body.results[0].error.details.reason).toBe('registrar_not_connected')
  })

  test('the response that is lost after the effect is not asked for again', async () => {
    registrar.faults.push('after')
    const { body } = await bulk('set_nameservers', ['two.com'], {
      nameservers: ['ns1.example.com', 'ns2.example.com'],
    })
    const row = await ended(body.results[0].operation_id)
    expect(row.attempts).toBe(2)
    expect(registrar.performed).toEqual(['set_nameservers two.com'])
    expect((await owned('two.com')).nameservers).toEqual(['ns1.example.com', 'ns2.example.com'])
  })

  test('one that is lost before the effect is tried again', async () => {
    registrar.faults.push('before')
    const { body } = await bulk('lock', ['two.com'])
    await ended(body.results[0].operation_id)
    expect(registrar.performed).toEqual(['lock two.com'])
  })

  test('a rejection is final, with the words of the registrar', async () => {
    registrar.faults.push(new RegistrarRejected('2304', 'Object status prohibits operation'))
    const { body } = await bulk('lock', ['three.com'])
    const row = await ended(body.results[0].operation_id, 'failed')
    expect(row.error).toEqual({
      code: '2304',
      message: 'Object status prohibits operation',
      reason: null,
    })
    expect((await owned('three.com')).locked).toBe(false)
    const { status } = await service.admin(
      'POST',
      `/registrar-operations/${row.operation_id}/retry`,
    )
    expect(status).toBe(202)
    await ended(row.operation_id)
    expect(registrar.performed).toEqual(['lock three.com'])
  })
})

describe('a renewal at a registrar', () => {
  test('is authorized, performed, and captured', async () => {
    const { body } = await bulk('renew', ['three.com'], { years: 2 })
    const [{ status, operation_id }] = body.results
    expect(status).toBe(202)
    await ended(operation_id)
    const paid = await charge('three.com')
    expect(paid).toMatchObject({ status: 'succeeded', manual_capture: true })
    expect(paid.renewal_status).toBe('paid')
    expect((await owned('three.com')).expires_at).toEqual(
      registrar.domains.get('three.com')?.expiresAt,
    )
    expect(registrar.performed).toEqual(['renew three.com'])
  })

  test('a lost response does not renew it twice', async () => {
    registrar.faults.push('after')
    const before = registrar.domains.get('four.com')?.expiresAt?.getTime() ?? 0
    const { body } = await bulk('renew', ['four.com'], { years: 1 })
    await ended(body.results[0].operation_id)
    expect((await charge('four.com')).status).toBe('succeeded')
    expect(registrar.performed).toEqual(['renew four.com'])
    expect(registrar.domains.get('four.com')?.expiresAt?.getTime()).toBe(before + 365 * 86_400_000)
  })

  test('a rejection releases the authorization, and charges nothing', async () => {
    registrar.faults.push(new RegistrarRejected('2104', 'Billing failure'))
    const { body } = await bulk('renew', ['five.com'], { years: 1 })
    await ended(body.results[0].operation_id, 'failed')
    const released = await charge('five.com')
    expect(released).toMatchObject({ status: 'failed', renewal_status: 'failed' })
    const posted = await service.app.db
      .selectFrom('ledger_transactions')
      .select('id')
      .where('source', '=', released.id)
      .execute()
    expect(posted).toEqual([])
  })

  test('of two names, what was renewed is captured alone', async () => {
    registrar.faults.push(new RegistrarRejected('2104', 'Billing failure'))
    const { body } = await bulk('renew', ['six.com', 'seven.com'], { years: 1 })
    for (const { operation_id } of body.results) {
      await vi.waitFor(
        async () => {
          const row = await service.app.db
            .selectFrom('registrar_operations')
            .selectAll()
            .where('operation_id', '=', operation_id)
            .executeTakeFirstOrThrow()
          expect(row.finished_at).not.toBeNull()
        },
        { timeout: 20_000 },
      )
    }
    const captured = await charge('six.com')
    expect(captured.status).toBe('succeeded')
    expect(captured.amount_cents).toBe(captured.capture_cents)
    const entries = await service.app.db
      .selectFrom('ledger_entries as e')
      .innerJoin('ledger_transactions as t', 't.id', 'e.transaction_id')
      .select(['e.account', 'e.amount_cents'])
      .where('t.source', '=', captured.id)
      .execute()
    expect(entries).toEqual(
      expect.arrayContaining([
        { account: 'card_funds', amount_cents: captured.amount_cents },
        { account: 'renewals', amount_cents: -captured.amount_cents },
      ]),
    )
  })
})

describe('poll messages', () => {
  test('are kept, and acknowledged once', async () => {
    registrar.messages.push({
      id: '12345',
      domain: 'one.com',
      kind: 'transfer',
      text: 'Transfer requested.',
      queuedAt: null,
    })
    await vi.waitFor(
      () => {
        service.clock.advance(MINUTE)
        expect(registrar.acknowledged).toEqual(['12345'])
      },
      { timeout: 20_000, interval: 500 },
    )
    const kept = await service.app.db.selectFrom('registrar_messages').selectAll().execute()
    expect(kept).toMatchObject([{ message_id: '12345', domain: 'one.com', kind: 'transfer' }])
  })
})

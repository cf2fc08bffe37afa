import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AdminOperation } from '../../src/core/operation.ts'
import { ROLES, type Role } from '../../src/core/roles.ts'
import { ADMIN_OPERATIONS } from '../../src/http/admin/serve.ts'
import { openCase } from '../support/brokerage.ts'
import type { Result } from '../support/client.ts'
import { freshName, must } from '../support/market.ts'
import { Operator } from '../support/operator.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
const tokens = new Map<Role, string>()
beforeAll(async () => {
  service = await startService()
  for (const role of ROLES) {
    const { body } = must(
      await service.admin('POST', '/admin-tokens', { name: `for-${role}`, role }),
      201,
    )
    tokens.set(role, body.token)
  }
})
afterAll(() => service.stop())

/** Calls an admin path with the token of a role. */
function as(role: Role, method: string, path: string, body?: object): Promise<Result> {
  return service.send({
    method,
    target: `/api/admin/v1${path}`,
    headers: {
      authorization: `Bearer ${tokens.get(role)}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}

/** Values that the schemas take; what they name is not there. */
const VALUES: Record<string, unknown> = {
  q: 'nothing',
  partner_id: 'prt_00000000000000000000000001',
  public_id: 'ord_00000000000000000000000001',
  domain: 'nobody-has.test',
  domains: ['nobody-has.test'],
  environment: 'sandbox',
  move: 'clear',
  email: 'nobody@example.com',
  name: 'nothing',
  scopes: ['search'],
  status: 'active',
  method: 'hold',
  reason: 'A reason',
  password: 'none that anybody knows',
  format: 'csv',
  file: '<a/>',
  code: 'a-code',
  amount_cents: 1,
  reference: 'a reference',
  outcome: 'failed',
  payee: { name: 'A', country: 'DE', iban: 'DE89370400440532013000', currency: 'EUR' },
  text: 'A note',
  note: 'A note',
  channel: 'email',
  side: 'buyer',
  made_by: 'buyer',
  by: 'buyer',
  price_cents: 1_000,
  answer: 'accept',
  driver: 'manual',
  config: { tlds: ['test'] },
  tld: 'test',
  op: 'register',
  years: 1,
  role: 'viewer',
  assignee: 'nobody@example.com',
  decision: 'verify',
  enabled: true,
  active: true,
  to: 'off',
  play: 'dispute',
  user_id: 'usr_00000000000000000000000001',
}

/** What a field takes: some have choices of their own. */
function valueOf(input: AdminOperation['input'], name: string): unknown {
  const values = [VALUES[name], 'cancel', 'decline', 'verify', 'lost', 'paid', 'dispute']
  return values.find((value) => input.shape[name]?.safeParse(value).success) ?? VALUES[name]
}

/** A request of an operation that gets past its schema, or at least past whoever asks. */
function requestOf({ method, path, input }: AdminOperation): [string, string, object?] {
  const fields = Object.keys(input.shape)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(name in VALUES ? valueOf(input, name) : 'nothing')),
  )
  const rest = fields.filter((name) => !path.includes(`{${name}}`) && name in VALUES)
  const optional = fields.filter((name) => input.shape[name]?.safeParse(undefined).success)
  const given = rest.filter((name) => !optional.includes(name))
  const body = Object.fromEntries(given.map((name) => [name, valueOf(input, name)]))
  if (method === 'POST' || method === 'PUT') return [method, filled, body]
  const query = new URLSearchParams(given.map((name) => [name, String(VALUES[name])]))
  return [method, query.size > 0 ? `${filled}?${query}` : filled]
}

/** The roles that an operation with this input is open to. */
function openTo({ roles }: AdminOperation, input: Record<string, unknown>): readonly Role[] {
  return 'of' in roles ? roles.of(input) : roles
}

describe('every admin operation', () => {
  const pairs = ADMIN_OPERATIONS.flatMap((operation) =>
    ROLES.map((role) => [operation.name, role, operation] as const),
  )
  test.each(pairs)('%s is open to %s as it declares', async (_name, role, operation) => {
    const isOpen = openTo(operation, VALUES).includes(role)
    // A job that runs, or a seed of data that is not there, is no matter of this test.
    if (isOpen && operation.name === 'revoke_admin_token') return
    const response = await as(role, ...requestOf(operation))
    const isRejected =
      response.status === 403 && JSON.stringify(response.body).includes(`role ${role} cannot`)
    // What is no status report is rejected when it is read.
    if (response.status === 400 && operation.name !== 'import_payout_status') {
      throw new Error(`${operation.name} needs a value: ${response.text}`)
    }
    expect(isRejected, response.text).toBe(!isOpen)
  })

  test('is open to admin', () => {
    for (const operation of ADMIN_OPERATIONS) {
      expect(openTo(operation, VALUES), operation.name).toContain('admin')
    }
  })
})

describe('every way to import listings', () => {
  const NAME = 'role-import.com'
  const CSV = `domain,price_cents\n${NAME},1000\n`
  const API = {
    import_listings: '/listings/import?environment=live',
    upload_listings: '/listing-imports?environment=live',
  }

  /** Who was rejected for what, as the audit log has it. */
  async function rejections(actor: string) {
    const path = `/audit-entries?refused=true&actor=${encodeURIComponent(actor)}`
    return must(await service.admin('GET', path), 200).body.entries
  }

  async function imports(): Promise<number> {
    return must(await service.admin('GET', '/listing-imports'), 200).body.imports.length
  }

  test.each(ROLES.filter((role) => role !== 'admin'))('is closed to %s', async (role) => {
    const before = await imports()
    for (const [operation, path] of Object.entries(API)) {
      const headers = { authorization: `Bearer ${tokens.get(role)}`, 'content-type': 'text/csv' }
      const target = `/api/admin/v1${path}`
      must(await service.send({ method: 'POST', target, headers, body: CSV }), 403)
      const [entry] = await rejections(`token for-${role}`)
      expect(entry).toMatchObject({
        operation,
        outcome: 'forbidden',
        input: { environment: 'live' },
      })
    }
    const email = `${role}@example.com`
    const operator = await Operator.enter(service, email)
    must(await service.admin('PUT', `/users/${operator.userId}`, { role }), 200)
    await operator.upload('/operator/imports/upload', CSV, { environment: 'live' })
    expect(operator.page.status).toBe(403)
    expect((await rejections(email))[0]).toMatchObject({ operation: 'upload_listings' })
    expect(await imports()).toBe(before)
    const listed = await service.admin('GET', `/listings?environment=live&q=${NAME}`)
    expect(must(listed, 200).body.listings).toEqual([])
  })

  test('is open to admin', async () => {
    const headers = { authorization: `Bearer ${tokens.get('admin')}`, 'content-type': 'text/csv' }
    for (const [path, status] of [
      [API.import_listings, 200],
      [API.upload_listings, 202],
    ] as const) {
      const target = `/api/admin/v1${path}`
      must(await service.send({ method: 'POST', target, headers, body: CSV }), status)
    }
    const operator = await Operator.enter(service, 'ada@example.com')
    await operator.upload('/operator/imports/upload', CSV, { environment: 'live' })
    expect(operator.page.status).toBe(200)
  })
})

describe('a link by which its recipient acts', () => {
  test.each([
    ['admin', 'Go to http://localhost/reset?token=1'],
    ['finance', 'Go to http://localhost/…'],
    ['support', 'Go to http://localhost/…'],
    ['viewer', 'Go to http://localhost/…'],
    ['broker', undefined],
  ] as const)('is read in mails by admin alone: %s', async (role, text) => {
    const to = `${role}@mails.example`
    await service.app.mail.send({
      to,
      subject: 'Hello',
      text: 'Go to http://localhost/reset?token=1',
    })
    const { body } = await as(role, 'GET', `/mails?to=${to}`)
    expect(body.mails?.[0].text).toBe(text)
  })

  test.each(ROLES)('is read in a case by who works cases: %s', async (role) => {
    const { case_id } = await openCase(await service.partner({ scopes: ['broker'] }))
    const { progress_url } = must(await as(role, 'GET', `/brokerage/${case_id}`), 200).body
    expect(progress_url !== null).toBe(role === 'admin' || role === 'broker')
  })
})

describe('a role', () => {
  test('moves orders as it may: support hands over, finance gives back', async () => {
    const partner = await service.partner({ environment: 'live' })
    const { public_id } = await sold(partner, await freshName(service, 'live'))
    const path = (move: string) => `/orders/${public_id}/${move}`
    must(await as('finance', 'POST', path('start'), {}), 403)
    must(await as('viewer', 'POST', path('start'), {}), 403)
    must(await as('support', 'POST', path('start'), {}), 200)
    must(await as('support', 'POST', path('refund'), {}), 403)
    must(await as('broker', 'GET', `/orders/${public_id}`), 403)
    must(await as('viewer', 'GET', `/orders/${public_id}`), 200)
    must(await as('finance', 'POST', path('refund'), {}), 200)
  })

  test('is given with the account, and changes at once', async () => {
    const olga = await Operator.enter(service, 'olga@example.com')
    const shown = async () =>
      must(await service.admin('GET', `/users/${olga.userId}`), 200).body.role
    expect(await shown()).toBe('admin')
    must(await service.admin('PUT', `/users/${olga.userId}`, { role: 'broker' }), 200)
    expect(await shown()).toBe('broker')
    await olga.visit('/operator/payouts')
    expect(olga.page.status).toBe(403)
    await olga.visit('/operator/cases')
    expect(olga.page.status).toBe(200)
    expect(olga.page.text).not.toContain('/operator/payouts')
    must(await service.admin('PUT', `/users/${olga.userId}`, { operator: false }), 200)
    expect(await shown()).toBeNull()
    must(await service.admin('PUT', `/users/${olga.userId}`, { role: 'viewer' }), 400)
  })
})

describe('a token of the admin API', () => {
  test('has a name of its own, stands in the audit log, and ends when it is revoked', async () => {
    must(
      await as('admin', 'POST', '/users', { email: 'made@example.com', password: 'some words' }),
      201,
    )
    const { entries } = must(
      await service.admin('GET', `/audit-entries?actor=${encodeURIComponent('token for-admin')}`),
      200,
    ).body
    expect(entries[0].operation).toBe('create_user')
    must(await service.admin('POST', '/admin-tokens', { name: 'for-admin', role: 'admin' }), 409)
    const made = must(
      await service.admin('POST', '/admin-tokens', { name: 'short', role: 'viewer', days: 1 }),
      201,
    ).body
    tokens.set('viewer', made.token)
    must(await as('viewer', 'GET', '/orders'), 200)
    must(await service.admin('DELETE', `/admin-tokens/${made.token_id}`), 200)
    must(await as('viewer', 'GET', '/orders'), 401)
    must(await service.admin('DELETE', '/admin-tokens/atk_none'), 404)
  })

  test('that is guessed is limited, and no good one with it', async () => {
    const guess = () =>
      service.send({
        method: 'GET',
        target: '/api/admin/v1/orders',
        headers: { authorization: 'Bearer a-wrong-guess' },
      })
    const statuses = await Promise.all(
      Array.from({ length: 320 }, async () => (await guess()).status),
    )
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(300)
    expect(statuses).toContain(429)
    must(await service.admin('GET', '/orders'), 200)
  })
})

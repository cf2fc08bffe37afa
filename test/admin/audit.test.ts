import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshName, must, refusal } from '../support/market.ts'
import { Operator } from '../support/operator.ts'
import { sold } from '../support/sale.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const entries = async (query = '') =>
  must(await service.admin('GET', `/audit-entries${query}`), 200).body.entries

describe('the audit log', () => {
  test('has every write by the admin token, with who, what, about what, and when', async () => {
    const made = must(
      await service.admin('POST', '/partners', { name: 'Acme', email: 'a@example.com' }),
      201,
    )
    const [entry] = await entries(`?subject=${made.body.partner_id}`)
    expect(entry).toEqual({
      id: expect.stringMatching(/^aud_/),
      at: made.body.created_at,
      actor: 'admin token',
      user_id: null,
      operation: 'create_partner',
      subject: made.body.partner_id,
      input: { name: 'Acme', email: 'a@example.com', affiliate: false },
      outcome: 'done',
      message: null,
      request_id: made.headers['x-request-id'],
    })
  })

  test('has what was rejected, and why, though nothing came of it', async () => {
    const partner = await service.partner()
    const { public_id } = await sold(partner, await freshName(service))
    const rejected = await service.admin('POST', `/orders/${public_id}/complete`, {
      reason: 'Now.',
    })
    expect(refusal(rejected)).toEqual({ status: 409, code: 'conflict' })
    const [entry] = await entries(`?subject=${public_id}&refused=true`)
    expect(entry).toMatchObject({
      operation: 'operate_order',
      input: { public_id, move: 'complete', reason: 'Now.' },
      outcome: 'conflict',
      message: rejected.body.error.message,
      request_id: rejected.body.error.request_id,
    })
    expect(await entries(`?subject=${public_id}&refused=false`)).toEqual([])
  })

  test('has what was rejected for the role, with what it was about', async () => {
    const vera = await Operator.enter(service, 'vera@example.com')
    must(await service.admin('PUT', `/users/${vera.userId}`, { role: 'viewer' }), 200)
    const { partner_id } = await service.partner()
    const send = (path: string, body: object) =>
      service.send({
        method: 'POST',
        target: `/api/admin/v1${path}`,
        headers: {
          cookie: vera.cookie,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
    const path = `/partners/${partner_id}/status`
    const rejected = must(await send(path, { status: 'suspended' }), 403).body.error
    const [entry] = await entries('?actor=vera@example.com')
    expect(entry).toMatchObject({
      user_id: vera.userId,
      operation: 'set_partner_status',
      subject: partner_id,
      outcome: 'forbidden',
      message: rejected.message,
      request_id: rejected.request_id,
    })
    // What is no input of the operation is rejected for the role, too.
    must(await send('/admin-tokens', { role: 'none' }), 403)
    const [made] = await entries('?actor=vera@example.com')
    expect(made).toMatchObject({ operation: 'create_admin_token', subject: null, input: {} })
  })

  test('keeps no password and no secret, and long lists only by their beginning', async () => {
    const domains = Array.from({ length: 30 }, (_, index) => `own-${index}.example`)
    const { user_id } = must(
      await service.admin('POST', '/users', {
        email: 'p@example.com',
        password: 'do not keep this one',
        domains,
      }),
      201,
    ).body
    const [entry] = await entries(`?subject=${user_id}`)
    expect(entry.input.password).toBe('(not kept)')
    expect(entry.input.domains).toHaveLength(21)
    expect(entry.input.domains.at(-1)).toBe('… and 10 more')
    const partner = await service.partner()
    const rotated = must(
      await service.admin('POST', `/credentials/${partner.credential.key_id}/rotate`, {}),
      200,
    ).body
    const { rows } = await sql<{ text: string }>`
      select string_agg(a::text, ' ') as text from audit_entries a`.execute(service.app.db)
    for (const secret of ['do not keep', rotated.secret, partner.credential.secret, ADMIN_TOKEN]) {
      expect(rows[0]?.text).not.toContain(secret)
    }
  })

  test('tells operators apart by their address, also on the API', async () => {
    const olga = await Operator.enter(service, 'olga@example.com')
    const { partner_id } = await service.partner()
    const response = await service.send({
      method: 'POST',
      target: `/api/admin/v1/partners/${partner_id}/status`,
      headers: {
        cookie: olga.cookie,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ status: 'suspended' }),
    })
    must(response, 200)
    const [entry] = await entries('?actor=olga@example.com')
    expect(entry).toMatchObject({
      user_id: olga.userId,
      operation: 'set_partner_status',
      subject: partner_id,
    })
  })

  test('has imports of listings and of prices', async () => {
    await service.list('sandbox', 'audited.test,100,,USD')
    const [listings] = await entries('?operation=import_listings')
    expect(listings).toMatchObject({ subject: expect.stringMatching(/^imp_/), outcome: 'done' })
    const csv = 'audited.test,200,,USD\n'
    const upload = await service.send({
      method: 'POST',
      target: '/api/admin/v1/listing-imports?environment=sandbox&file_name=names.csv',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' },
      body: csv,
    })
    const { import_id } = must(upload, 202).body
    const [uploaded] = await entries(`?operation=upload_listings&subject=${import_id}`)
    expect(uploaded).toMatchObject({
      outcome: 'done',
      input: { environment: 'sandbox', file_name: 'names.csv', total_bytes: csv.length },
    })
    const prices = await service.send({
      method: 'POST',
      target: '/api/admin/v1/tld-prices/import',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' },
      body: 'com,register,1234,1\n',
    })
    must(prices, 200)
    const [entry] = await entries('?operation=import_tld_prices')
    expect(entry.input).toEqual({ rows: 1, changed: 1, rejected_count: 0 })
  })

  test('is read in pages that keep their filters', async () => {
    const first = must(await service.admin('GET', '/audit-entries?limit=1&refused=false'), 200).body
    expect(first.next_cursor).not.toBeNull()
    const next = await entries(`?limit=1&refused=false&cursor=${first.next_cursor}`)
    expect(next[0].id < first.entries[0].id).toBe(true)
    const other = await service.admin('GET', `/audit-entries?cursor=${first.next_cursor}`)
    expect(refusal(other)).toEqual({ status: 400, code: 'invalid_cursor' })
    expect((await service.admin('GET', '/audit-entries?refused=maybe')).status).toBe(400)
  })

  test('is never changed, removed or emptied', async () => {
    for (const statement of [
      sql`update audit_entries set actor = 'nobody'`,
      sql`delete from audit_entries`,
      sql`truncate audit_entries`,
    ]) {
      await expect(statement.execute(service.app.db)).rejects.toThrow('never changed or removed')
    }
  })

  test('takes the act back when its entry cannot be written', async () => {
    const { db } = service.app
    await sql`alter table audit_entries add constraint no_more check (operation <> 'create_partner') not valid`.execute(
      db,
    )
    const { count: before } = await partnersCount()
    expect(
      (await service.admin('POST', '/partners', { name: 'Ghost', email: 'g@example.com' })).status,
    ).toBe(500)
    expect(await partnersCount()).toEqual({ count: before })
    await sql`alter table audit_entries drop constraint no_more`.execute(db)
  })

  async function partnersCount() {
    return await service.app.db
      .selectFrom('partners')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  }
})

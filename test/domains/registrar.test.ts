import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { renewAutomatically } from '../../src/domain/domains/auto-renew.ts'
import { expireDomains } from '../../src/domain/domains/expire.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { type Browser, makeUser, signIn } from '../support/oauth.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

const DAY = 86_400_000
const EMAIL = 'ann@example.com'

let service: TestService
let ann: Reader
let browser: Browser
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  await holdJobs(service, renewAutomatically, expireDomains)
  await makeUser(service, EMAIL, ['one.com', 'two.com', 'auto.com'])
  // As their registries have said by now.
  await service.app.db
    .updateTable('owned_domains')
    .set({ expires_at: new Date(service.app.clock.now().getTime() + 365 * DAY) })
    .execute()
  const { token } = (await service.admin('POST', '/user-tokens', { email: EMAIL })).body
  ann = readerOf(() => service, token)
  browser = await signIn(service, EMAIL)
  const card = { card_number: '4242 4242 4242 4242', card_expiry: '12/39', card_cvc: '123' }
  expect((await browser.post('/account/payment-method', card)).status).toBe(303)
})
afterAll(() => service.stop())

const bulk = (op: string, domains: string[], params: object, more: object = {}) =>
  ann.post(`/api/domains/bulk/${op}`, { domains, params, ...more })

async function row(domain: string) {
  return await service.app.db
    .selectFrom('owned_domains')
    .selectAll()
    .where('domain', '=', domain)
    .executeTakeFirst()
}

async function charges(): Promise<number> {
  const rows = await service.app.db.selectFrom('charges').select('id').execute()
  return rows.length
}

describe('with real registries and no registrar connection', () => {
  const AT_REGISTRAR: [string, object][] = [
    ['renew', { years: 1 }],
    ['lock', {}],
    ['unlock', {}],
    ['set_nameservers', { nameservers: ['ns1.example.com', 'ns2.example.com'] }],
    ['set_privacy', { enabled: false }],
  ]
  test.each(AT_REGISTRAR)(
    '%s is rejected on each name before anything is charged',
    async (op, params) => {
      const before = await row('one.com')
      for (const dry_run of [true, false]) {
        const { status, body } = await bulk(op, ['one.com', 'two.com', 'not-mine.com'], params, {
          dry_run,
        })
        expect(status).toBe(200)
        expect(body).toMatchObject({ count: 3, succeeded: 0, pending: 0, failed: 3 })
        for (const { status, error } of body.results.slice(0, 2)) {
          expect(status).toBe(409)
          expect(error).toMatchObject({
            code: 'conflict',
            message: expect.stringContaining('no registrar connection'),
            details: { reason: 'registrar_not_connected' },
          })
        }
        expect(body.results[2]).toMatchObject({ status: 404, error: { code: 'not_found' } })
      }
      expect(await row('one.com')).toEqual(before)
      expect(await charges()).toBe(0)
    },
  )

  test.each([
    ['set_auto_renew', { enabled: false }],
    ['list_for_sale', { price_cents: 9_900 }],
    ['set_price', { price_cents: 8_900 }],
    ['delist', {}],
  ])('%s needs none', async (op, params) => {
    const { body } = await bulk(op, ['two.com'], params)
    expect(body.results).toEqual([{ domain: 'two.com', status: 200 }])
  })

  test('the account page says so before the change, and offers none', async () => {
    const page = await browser.post('/account/domains/review', {
      action: 'renew',
      domain: 'one.com',
      years: '1',
      key: 'a-form-key',
    })
    expect(page.status).toBe(200)
    expect(page.text).toContain('no registrar connection for this domain yet')
    expect(page.text).not.toContain('To pay')
  })

  test('automatic renewal charges nothing, and the mail says why and promises nothing', async () => {
    expect((await bulk('set_auto_renew', ['auto.com'], { enabled: true })).body.failed).toBe(0)
    const before = await row('auto.com')
    service.clock.advance(340 * DAY)
    await renewAutomatically.run(service.app, new AbortController().signal)
    const mail = await vi.waitFor(async () =>
      service.app.db
        .selectFrom('mails')
        .select(['subject', 'body'])
        .where('recipient', '=', EMAIL)
        .where('body', 'like', '%auto.com%')
        .executeTakeFirstOrThrow(),
    )
    expect(mail.subject).toMatch(/^Not renewed: /)
    expect(mail.body).toContain('no registrar connection')
    expect(mail.body).toContain('Nothing was charged.')
    expect(mail.body).toContain('Renew it where it is registered')
    expect(mail.body).not.toContain('We try again')
    expect(mail.body).not.toContain('payment method')
    expect(await charges()).toBe(0)
    expect((await row('auto.com'))?.expires_at).toEqual(before?.expires_at)
  })

  test('no name leaves its owner for a renewal that could not be made here', async () => {
    service.clock.advance(200 * DAY)
    await expireDomains.run(service.app, new AbortController().signal)
    expect(await row('one.com')).toBeDefined()
  })
})

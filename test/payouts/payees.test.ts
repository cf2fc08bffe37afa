import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { earned } from '../support/earnings.ts'
import { mailsTo, must } from '../support/market.ts'
import { type Browser, hidden, PASSWORD } from '../support/oauth.ts'
import { signedInPartner } from '../support/portal.ts'
import { startService, type TestService } from '../support/service.ts'

const IBAN = 'DE89370400440532013000'
const ACCOUNT = { name: 'Müller & Søn GmbH', country: 'DE', iban: IBAN, currency: 'EUR' }

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner({ environment: 'live' })
})
afterAll(() => service.stop())

async function emailOf({ partner_id }: PartnerClient): Promise<string> {
  return must(await service.admin('GET', `/partners/${partner_id}`), 200).body.email
}

const set = (payee: object, partnerId = partner.partner_id) =>
  service.admin('PUT', `/partners/${partnerId}/payee`, { payee })

async function issueOf(change: object): Promise<string> {
  const { error } = must(await set({ ...ACCOUNT, ...change }), 400).body
  return `${error.details[0].field}: ${error.details[0].issue}`
}

describe('GET /payee', () => {
  test('is missing until somebody sets it', async () => {
    expect(must(await partner.get('/payee'), 200).body).toEqual({
      status: 'missing',
      name: null,
      country: null,
      account_masked: null,
      currency: null,
      usable_from: null,
    })
  })

  test('waits in live, is ready at once in the sandbox, and shows four characters', async () => {
    const sandbox = await service.partner({ partner_id: partner.partner_id })
    must(await set(ACCOUNT), 200)
    const live = must(await partner.get('/payee'), 200).body
    expect(live).toMatchObject({ status: 'pending', account_masked: '****3000', currency: 'EUR' })
    expect(new Date(live.usable_from).getTime()).toBeCloseTo(
      service.clock.now().getTime() + 72 * 3_600_000,
      -5,
    )
    expect(must(await sandbox.get('/payee'), 200).body.status).toBe('ready')
    service.clock.advance(72 * 3_600_000)
    expect(must(await partner.get('/payee'), 200).body.status).toBe('ready')
  })

  test('needs the scope report', async () => {
    const blind = await service.partner({ environment: 'live', scopes: ['search'] })
    must(await blind.get('/payee'), 403)
  })
})

describe('setting a payee', () => {
  test('checks every field, and names the one that is wrong', async () => {
    expect(await issueOf({ iban: 'DE89370400440532013001' })).toContain(
      'payee.iban: is not an IBAN',
    )
    expect(await issueOf({ bic: 'NOPE' })).toContain('payee.bic: is not a BIC')
    expect(await issueOf({ iban: null })).toContain('payee.iban: is required')
    expect(await issueOf({ name: '!!!' })).toContain('payee.name: holds no letter')
    // A transliteration would spell these out.
    for (const name of ['🙂🙂', '👩‍👩‍👧 🇩🇪', '★ ★', '€€', '∞', '&', '()']) {
      expect(await issueOf({ name }), name).toContain('payee.name: holds no letter')
    }
    expect(await issueOf({ country: 'Germany' })).toContain('payee.country')
    for (const country of ['XX', 'ZZ', 'EU', 'UK']) {
      expect(await issueOf({ country })).toBe('payee.country: is not the code of a country')
    }
    expect(await issueOf({ account_number: '12345678', routing_number: '021000021' })).toBe(
      'payee.account_number: must be left out: give either an iban or an account_number',
    )
    expect(await issueOf({ routing_number: '021000021' })).toBe(
      'payee.routing_number: must be left out beside an iban',
    )
    expect(await issueOf({ currency: 'EURO' })).toContain('payee.currency')
    expect(await issueOf({ acount: '1' })).toContain('payee')
    expect(await issueOf({ iban: null, account_number: '12345678' })).toContain(
      'payee.routing_number: is required',
    )
    const american = { iban: null, account_number: '12345678', currency: 'USD', country: 'US' }
    expect(await issueOf({ ...american, routing_number: '021000022' })).toContain(
      'payee.routing_number: is not a routing number',
    )
    must(await set({ ...ACCOUNT, ...american, routing_number: '021000021' }), 200)
    must(await set({ ...ACCOUNT, iban: 'de89 3704 0044 0532 0130 00', bic: 'cobadeffxxx' }), 200)
  })

  test('is mailed, and its account stands nowhere in plain text', async () => {
    expect(await mailsTo(service, await emailOf(partner))).toContain(
      'The account that your payouts go to was changed',
    )
    must(await set({ ...ACCOUNT, iban: `${IBAN.slice(0, -1)}1` }), 400)
    const { db } = service.app
    const tables = [
      await db.selectFrom('payees').selectAll().execute(),
      await db.selectFrom('audit_entries').selectAll().execute(),
      await db.selectFrom('mails').selectAll().execute(),
    ]
    const text = JSON.stringify(tables) + service.logs.join()
    expect(text).not.toContain(IBAN.slice(4, 18))
    expect(text).toContain('3000')
  })

  test('is for partners that there are', async () => {
    must(await set(ACCOUNT, 'prt_00000000000000000000000001'), 404)
    must(await service.admin('GET', '/partners/prt_00000000000000000000000001/payee'), 404)
    const path = `/partners/${partner.partner_id}/payee`
    expect(must(await service.admin('GET', path), 200).body.account_masked).toBe('****3000')
  })
})

describe('a payout', () => {
  const HOUR = 3_600_000
  const [FIRST, SECOND, THIRD] = [
    'DE89370400440532013000',
    'FR1420041010050500013M02606',
    'GB29NWBK60161331926819',
  ]
  let manual: TestService
  let paid: PartnerClient
  beforeAll(async () => {
    manual = await startService({ settings: { payoutSchedule: 'manual' } })
  })
  beforeEach(async () => {
    paid = await manual.partner({ environment: 'live' })
  })
  afterAll(() => manual.stop())

  async function setTo(iban: string | undefined) {
    const path = `/partners/${paid.partner_id}/payee`
    must(await manual.admin('PUT', path, { payee: { ...ACCOUNT, iban } }), 200)
  }
  async function create(environment = 'live') {
    await earned(manual, paid, environment as 'live', 10_000, 'EUR')
    const { payouts } = must(await manual.admin('POST', '/payouts', { environment }), 201).body
    expect(payouts).toHaveLength(1)
  }
  const exported = (environment = 'live') =>
    manual.admin('POST', '/payout-batches', { environment, format: 'csv' })

  test('never goes to an account that was replaced while it waited', async () => {
    await setTo(FIRST)
    manual.clock.advance(72 * HOUR)
    // Somebody else's, which the owner replaces two hours before it would be used.
    await setTo(SECOND)
    manual.clock.advance(70 * HOUR)
    await setTo(THIRD)
    manual.clock.advance(2 * HOUR)
    await create()
    expect(must(await exported(), 201).body.file).toContain(FIRST)
    manual.clock.advance(70 * HOUR)
    await create()
    expect(must(await exported(), 201).body.file).toContain(THIRD)
  })

  test('that was made before any account was set waits for the one that replaced a typo', async () => {
    await create()
    await setTo(FIRST)
    manual.clock.advance(HOUR)
    await setTo(SECOND)
    manual.clock.advance(71 * HOUR)
    expect(must(await exported(), 409).body.error.message).toContain('no payee that is ready')
    manual.clock.advance(HOUR)
    expect(must(await exported(), 201).body.file).toContain(SECOND)
  })

  test('goes to an account that had been in use before the next was set', async () => {
    await create()
    await setTo(FIRST)
    manual.clock.advance(72 * HOUR)
    await setTo(SECOND)
    manual.clock.advance(72 * HOUR)
    expect(must(await exported(), 201).body.file).toContain(FIRST)
  })

  test('of the sandbox goes to the newest, however much time passes there', async () => {
    const sandbox = await manual.partner({ partner_id: paid.partner_id })
    await setTo(FIRST)
    await setTo(SECOND)
    await create('sandbox')
    must(await sandbox.post('/sandbox/clock', { advance_seconds: 30 * 86_400 }), 200)
    expect(must(await exported('sandbox'), 201).body.file).toContain(SECOND)
  })
})

describe('a person who sets it in the portal', () => {
  let browser: Browser
  const path = '/partner/live/payee'

  test('is asked for a second sign-in step first', async () => {
    browser = (await signedInPartner(service, 'pia@example.com')).browser
    const asked = must(await browser.get(path), 303)
    expect(asked.headers.location).toBe(`/confirm?next=${encodeURIComponent(path)}`)
    const form = { name: 'Pia', country: 'DE', iban: IBAN, currency: 'EUR' }
    must(await browser.post(path, form), 303)
    must(await browser.post('/confirm', { next: path, password: 'a wrong one' }), 401)
    must(await browser.post('/confirm', { next: path, password: PASSWORD }), 303)
    const once = hidden(must(await browser.get(path), 200), 'once')
    const rejected = must(await browser.post(path, { ...form, once, iban: 'DE00' }), 400)
    expect(rejected.text).toContain('not an IBAN')
    must(await browser.post(path, { ...form, once: hidden(rejected, 'once') }), 303)
    expect(must(await browser.get(path), 200).text).toContain('****3000')
    expect(await mailsTo(service, 'pia@example.com')).toContain(
      'The account that your payouts go to was changed',
    )
  })

  test('is asked again after ten minutes', async () => {
    service.clock.advance(11 * 60_000)
    must(await browser.get(path), 303)
  })

  test('sets their own on the account page', async () => {
    must(await browser.get('/account/payee'), 303)
    must(await browser.post('/confirm', { next: '/account/payee', password: PASSWORD }), 303)
    const once = hidden(must(await browser.get('/account/payee'), 200), 'once')
    const form = { once, name: 'Pia', country: 'DE', iban: IBAN, currency: 'EUR' }
    must(await browser.post('/account/payee', { ...form, iban: '' }), 400)
    must(await browser.post('/account/payee', form), 303)
    expect(must(await browser.get('/account/payee'), 200).text).toContain('****3000')
  })
})

import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DAY, MINUTE } from '../../src/lib/clock.ts'
import type { Result } from '../support/client.ts'
import { freshName, mailsTo, must, refusal } from '../support/market.ts'
import { Browser, hidden, makeUser, PASSWORD, signIn } from '../support/oauth.ts'
import { Operator } from '../support/operator.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { operatorSecondFactor: true } })
})
afterAll(() => service.stop())

const PAGE = '/account/second-factor'

function codeOf(secret: string): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return totp.generate({ timestamp: service.clock.now().getTime() })
}

const secretOn = ({ text }: Result) =>
  (/<code>([A-Z2-7 ]+)<\/code>/.exec(text)?.[1] ?? '').replaceAll(' ', '')
const codesOn = ({ text }: Result) =>
  (/id="recovery-codes">([^<]+)</.exec(text)?.[1] ?? '').split('\n')

/** Adds an authenticator app to whoever has signed in; its secret, and the recovery codes. */
async function addApp(browser: Browser) {
  const page = must(await browser.post(`${PAGE}/app`, {}), 200)
  const secret = secretOn(page)
  const form = { factor_id: hidden(page, 'factor_id'), code: codeOf(secret) }
  const added = must(await browser.post(`${PAGE}/app/confirm`, form), 200)
  return { secret, codes: codesOn(added) }
}

/** A new person with an authenticator app, who has signed out. */
async function withApp(email: string) {
  await makeUser(service, email)
  const made = await addApp(await signIn(service, email))
  // The code that added it is spent.
  service.clock.advance(MINUTE)
  return made
}

async function passwordOf(email: string): Promise<{ browser: Browser; check: string }> {
  const browser = new Browser(() => service)
  const asked = must(await browser.post('/sign-in', { email, password: PASSWORD }), 200)
  expect(browser.cookie).toBeUndefined()
  return { browser, check: hidden(asked, 'check') }
}

describe('a sign-in with a second factor', () => {
  test('takes a code of the app, once', async () => {
    const email = 'app@example.com'
    const { secret } = await withApp(email)
    expect(await mailsTo(service, email)).toContain('How you sign in was changed')
    const first = await passwordOf(email)
    const code = codeOf(secret)
    const wrong = must(
      await first.browser.post('/sign-in/second-factor', { check: first.check, code: '000000' }),
      401,
    )
    const form = { check: hidden(wrong, 'check'), code, next: '/account' }
    const entered = must(await first.browser.post('/sign-in/second-factor', form), 303)
    expect(entered.headers.location).toBe('/account')
    must(await first.browser.get('/account'), 200)
    // Neither the check nor the code again.
    const again = new Browser(() => service)
    expect(must(await again.post('/sign-in/second-factor', form), 303).headers.location).toMatch(
      /^\/sign-in/,
    )
    const second = await passwordOf(email)
    must(await second.browser.post('/sign-in/second-factor', { check: second.check, code }), 401)
  })

  test('takes a recovery code, once, in any writing', async () => {
    const email = 'lost@example.com'
    const { codes } = await withApp(email)
    expect(codes).toHaveLength(10)
    const [code = ''] = codes
    const typed = code.toUpperCase().replaceAll('-', ' ')
    const first = await passwordOf(email)
    must(
      await first.browser.post('/sign-in/second-factor', { check: first.check, code: typed }),
      303,
    )
    const second = await passwordOf(email)
    must(await second.browser.post('/sign-in/second-factor', { check: second.check, code }), 401)
    const page = must(await first.browser.get(PAGE), 200)
    expect(page.text).toContain('You have 9 left')
    const renewed = codesOn(must(await first.browser.post(`${PAGE}/codes`, {}), 200))
    expect(renewed).toHaveLength(10)
    expect(renewed).not.toContain(codes[1])
  })

  test('is limited for whoever guesses codes', async () => {
    const email = 'guessed@example.com'
    await withApp(email)
    const statuses: number[] = []
    let { browser, check } = await passwordOf(email)
    for (let tries = 0; tries < 8; tries++) {
      const response = await browser.post('/sign-in/second-factor', { check, code: '123456' })
      statuses.push(response.status)
      if (response.status === 401) check = hidden(response, 'check')
    }
    expect(statuses).toContain(429)
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(5)
  })

  test('is asked for after a reset of the password, too', async () => {
    const email = 'reset@example.com'
    await withApp(email)
    const browser = new Browser(() => service)
    await browser.post('/forgot-password', { email })
    const { mails } = must(await service.admin('GET', `/mails?to=${email}`), 200).body
    const token = /token=([\w-]+)/.exec(mails[0].text)?.[1] ?? ''
    const asked = must(
      await browser.post('/reset-password', { token, password: 'other words' }),
      200,
    )
    expect(asked.text).toContain('Confirm that it is you')
    expect(browser.cookie).toBeUndefined()
  })

  test('that was begun with the old password ends with it', async () => {
    const email = 'thief@example.com'
    const { secret } = await withApp(email)
    const { browser, check } = await passwordOf(email)
    const owner = new Browser(() => service)
    await owner.post('/forgot-password', { email })
    const { mails } = must(await service.admin('GET', `/mails?to=${email}`), 200).body
    const token = /token=([\w-]+)/.exec(mails[0].text)?.[1] ?? ''
    must(await owner.post('/reset-password', { token, password: 'other words' }), 200)
    const form = { check, code: codeOf(secret), next: '/account' }
    const late = must(await browser.post('/sign-in/second-factor', form), 303)
    expect(late.headers.location).toMatch(/^\/sign-in/)
    expect(browser.cookie).toBeUndefined()
  })

  test('ends when an operator ends the sessions of its account', async () => {
    const email = 'ended@example.com'
    const { secret } = await withApp(email)
    const { browser, check } = await passwordOf(email)
    const { user_id } = must(await service.admin('GET', `/users?email=${email}`), 200).body.users[0]
    must(await service.admin('POST', `/users/${user_id}/end-sessions`, {}), 200)
    await browser.post('/sign-in/second-factor', { check, code: codeOf(secret) })
    expect(browser.cookie).toBeUndefined()
  })

  test('lasts ten minutes, however often the code is wrong', async () => {
    const email = 'slow@example.com'
    const { secret } = await withApp(email)
    const { browser, check } = await passwordOf(email)
    service.clock.advance(9 * MINUTE)
    const wrong = must(await browser.post('/sign-in/second-factor', { check, code: '000000' }), 401)
    service.clock.advance(2 * MINUTE)
    const again = { check: hidden(wrong, 'check'), code: codeOf(secret) }
    must(await browser.post('/sign-in/second-factor', again), 303)
    expect(browser.cookie).toBeUndefined()
  })

  test('ends with its factors', async () => {
    const email = 'without@example.com'
    const { codes } = await withApp(email)
    const { browser, check } = await passwordOf(email)
    must(await browser.post('/sign-in/second-factor', { check, code: codes[0] ?? '' }), 303)
    const page = must(await browser.get(PAGE), 200)
    must(await browser.post(`${PAGE}/remove`, { factor_id: hidden(page, 'factor_id') }), 303)
    must(await browser.post(`${PAGE}/remove`, { factor_id: 'fac_none' }), 404)
    await signIn(service, email)
  })
})

test('nothing of a sign-in that is asked for a factor opens a session', async () => {
  const email = 'asked@example.com'
  await withApp(email)
  const { db } = service.app
  const sessions = async () => (await db.selectFrom('sessions').select('id').execute()).length
  const before = await sessions()
  await passwordOf(email)
  expect(await sessions()).toBe(before)
  expect(service.logs.filter((line) => line.includes('already sent'))).toEqual([])
})

describe('adding a factor', () => {
  test('needs the code that the app shows, and a recent sign-in', async () => {
    const email = 'adds@example.com'
    await makeUser(service, email)
    const browser = await signIn(service, email)
    const page = must(await browser.post(`${PAGE}/app`, {}), 200)
    const factor_id = hidden(page, 'factor_id')
    const wrong = must(
      await browser.post(`${PAGE}/app/confirm`, { factor_id, code: '000000' }),
      400,
    )
    expect(secretOn(wrong)).toBe(secretOn(page))
    await signIn(service, email)
    must(await browser.post(`${PAGE}/passkey`, { check: 'none', response: '{}' }), 404)
    const check = hidden(must(await browser.get(PAGE), 200), 'check')
    must(await browser.post(`${PAGE}/passkey`, { check, response: 'not json' }), 400)
    service.clock.advance(11 * MINUTE)
    const asked = must(await browser.get(PAGE), 303)
    expect(asked.headers.location).toBe(`/confirm?next=${encodeURIComponent(PAGE)}`)
    must(await browser.post(`${PAGE}/app`, {}), 303)
    must(await browser.post('/confirm', { next: PAGE, password: PASSWORD }), 303)
    must(await browser.get(PAGE), 200)
  })
})

describe('a personal token', () => {
  test('needs a recent sign-in, has an end, is mailed, and may only read', async () => {
    const email = 'scripts@example.com'
    await makeUser(service, email, ['scripts-own.com'])
    const browser = await signIn(service, email)
    const form = { label: 'reader', days: '30', read_only: 'true' }
    const shown = must(await browser.post('/account/tokens', form), 200)
    const token = /id="token">([^<]+)</.exec(shown.text)?.[1] ?? ''
    const { mails } = must(await service.admin('GET', `/mails?to=${email}`), 200).body
    expect(mails[0].subject).toBe('A personal access token was made for your account')
    const use = (path: string) =>
      service.send({
        method: 'POST',
        target: path,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ domains: ['scripts-own.com'], params: {}, dry_run: true }),
      })
    expect(refusal(await use('/api/domains/bulk/lock'))).toMatchObject({ status: 403 })
    service.clock.advance(11 * MINUTE)
    must(await browser.post('/account/tokens', form), 303)
    service.clock.advance(30 * 24 * 60 * MINUTE)
    expect((await use('/api/domains/bulk/lock')).status).toBe(401)
  })

  test('ends with a new password, unless its owner keeps it', async () => {
    const email = 'changes@example.com'
    await makeUser(service, email)
    const make = async () =>
      must(await service.admin('POST', '/user-tokens', { email }), 201).body.token
    const alive = async (token: string) =>
      (
        await service.send({
          method: 'GET',
          target: '/api',
          headers: { authorization: `Bearer ${token}` },
        })
      ).status === 200
    const browser = await signIn(service, email)
    const kept = await make()
    const words = 'some other words'
    const change = { current: PASSWORD, password: words, keep_tokens: 'true' }
    must(await browser.post('/account/password', change), 303)
    expect(await alive(kept)).toBe(true)
    must(await browser.post('/account/password', { current: words, password: PASSWORD }), 303)
    expect(await alive(kept)).toBe(false)
    const { user_id } = must(await service.admin('GET', `/users?email=${email}`), 200).body.users[0]
    const last = await make()
    const ended = must(await service.admin('POST', `/users/${user_id}/end-sessions`, {}), 200).body
    expect(ended).toMatchObject({ tokens_ended: 1 })
    expect(await alive(last)).toBe(false)
  })

  test('that lapsed counts no more, and is removed', async () => {
    const email = 'many@example.com'
    await makeUser(service, email)
    const make = () => service.admin('POST', '/user-tokens', { email, days: 1 })
    for (let made = 0; made < 100; made++) must(await make(), 201)
    must(await make(), 409)
    const short = { name: 'short', role: 'viewer', days: 1 }
    must(await service.admin('POST', '/admin-tokens', short), 201)
    service.clock.advance(DAY + MINUTE)
    must(await make(), 201)
    await service.admin('POST', '/jobs/purge_sign_ins/run', {})
    await vi.waitFor(
      async () => {
        for (const table of ['personal_tokens', 'admin_tokens'] as const) {
          const lapsed = await service.app.db
            .selectFrom(table)
            .select('expires_at')
            .where('expires_at', '<=', service.clock.now())
            .execute()
          expect(lapsed, table).toEqual([])
        }
      },
      { timeout: 20_000 },
    )
    must(await service.admin('POST', '/admin-tokens', short), 201)
  })
})

describe('a password', () => {
  test('that everybody tries first is rejected', async () => {
    const browser = new Browser(() => service)
    const form = { email: 'common@example.com', password: 'Password123' }
    expect(must(await browser.post('/sign-up', form), 400).text).toContain('most common passwords')
    must(await service.admin('POST', '/users', form), 400)
  })
})

describe('an operator', () => {
  test('acts on the live market with a second factor alone, and within ten minutes', async () => {
    const partner = await service.partner({ environment: 'live' })
    const sandbox = await service.partner()
    const live = await sold(partner, await freshName(service, 'live'))
    const test = await sold(sandbox, await freshName(service))
    const email = 'olga@example.com'
    const olga = await Operator.enter(service, email)
    await olga.visit(`/operator/orders/${live.public_id}`)
    expect(olga.page.status).toBe(200)
    await olga.submit('operate_order', { move: 'start' })
    expect(olga.page.status).toBe(403)
    expect(olga.notice).toContain('second factor')
    await olga.visit(`/operator/orders/${test.public_id}`)
    await olga.submit('operate_order', { move: 'start' })
    expect(olga.page.status).toBe(200)

    const { secret } = await addApp(await signIn(service, email))
    await olga.visit(`/operator/orders/${live.public_id}`)
    await olga.submit('operate_order', { move: 'start' })
    expect(olga.notice).toContain('in progress')
    // Not money or secrets: that does not ask again.
    service.clock.advance(11 * MINUTE)
    const page = `/operator/partners/${partner.partner_id}`
    await olga.visit(page)
    await olga.submit('set_partner_status')
    expect(olga.notice).toContain('is now suspended')
    await olga.submit('create_credential', { scopes: 'search', environment: 'live' })
    expect(olga.path).toBe(`/confirm?next=${encodeURIComponent(page)}`)
    const check = hidden(olga.page, 'check')
    await olga.post('/confirm', { next: page, check, code: codeOf(secret) })
    expect(olga.page.status).toBe(200)
    await olga.submit('create_credential', { scopes: 'search', environment: 'live' })
    expect(olga.page.text).toContain('Copy the secret now')
    // A file is sent again from its page.
    service.clock.advance(11 * MINUTE)
    await olga.upload('/operator/payouts/upload', '<Document/>', {}, 'report.xml')
    expect(olga.path).toBe(`/confirm?next=${encodeURIComponent('/operator/payouts')}`)
  })

  test('imports live listings with a second factor alone', async () => {
    const ina = await Operator.enter(service, 'ina@example.com')
    const csv = 'domain,price_cents\nfactor-import.com,1000\n'
    const send = (path: string) =>
      service.send({
        method: 'POST',
        target: `/api/admin/v1${path}`,
        headers: {
          cookie: ina.cookie,
          'sec-fetch-site': 'same-origin',
          'content-type': 'text/csv',
        },
        body: csv,
      })
    for (const path of ['/listings/import', '/listing-imports']) {
      const rejected = must(await send(`${path}?environment=live`), 403).body.error
      expect(rejected.details).toMatchObject({ second_factor: 'missing' })
    }
    await ina.upload('/operator/imports/upload', csv, { environment: 'live' })
    expect(ina.page.status).toBe(403)
    expect(ina.notice).toContain('second factor')
    const listed = await service.admin('GET', '/listings?environment=live&q=factor-import.com')
    expect(must(listed, 200).body.listings).toEqual([])
    must(await send('/listings/import?environment=sandbox'), 200)
    must(await send('/listing-imports?environment=sandbox'), 202)
  })

  test('has a session of twelve hours that ends when it is idle', async () => {
    const olga = await Operator.enter(service, 'idle@example.com')
    await olga.visit('/operator')
    expect(olga.page.text).toContain('Review')
    service.clock.advance(61 * MINUTE)
    await olga.visit('/operator')
    expect(olga.path).toContain('/sign-in')
    const busy = await Operator.enter(service, 'busy@example.com')
    for (let hour = 0; hour < 12; hour++) {
      service.clock.advance(59 * MINUTE)
      await busy.visit('/operator')
    }
    expect(busy.path).toBe('/operator')
    service.clock.advance(15 * MINUTE)
    await busy.visit('/operator')
    expect(busy.path).toContain('/sign-in')
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../src/lib/clock.ts'
import { mailsTo } from '../support/market.ts'
import {
  Browser,
  exchange,
  hidden,
  makeUser,
  newCode,
  PASSWORD,
  refresh,
  signIn,
} from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let userId: string
beforeAll(async () => {
  service = await startService({ settings: { trustedProxies: ['127.0.0.1'] } })
  userId = await makeUser(service, 'ann@example.com')
})
afterAll(() => service.stop())

const visitor = () => new Browser(() => service)
const enter = (browser: Browser, password: string, address = '192.0.2.1') =>
  browser.post(
    '/sign-in',
    { email: 'ann@example.com', password },
    { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': address },
  )

async function cookieOf(where: TestService): Promise<string> {
  const response = await enter(new Browser(() => where), PASSWORD)
  return response.headers['set-cookie']?.[0] ?? ''
}

describe('signing in', () => {
  test('makes a session that no script reads and no other site sends', async () => {
    const plain = await cookieOf(service)
    expect(plain).toMatch(/^insecure-session=mkt_session_/)
    expect(plain).not.toContain('Secure')
    const own = await startService({ settings: { baseUrl: 'https://market.example' } })
    await makeUser(own, 'ann@example.com')
    const safe = await cookieOf(own)
    expect(safe).toMatch(/^__Host-session=mkt_session_.*; Secure/)
    for (const cookie of [plain, safe]) {
      for (const flag of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(flag)
      expect(cookie).not.toContain('Domain')
    }
    await own.stop()
  })

  test('leads nowhere but here', async () => {
    for (const next of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/a\nb',
      'x',
    ]) {
      const response = await visitor().post('/sign-in', {
        email: 'ann@example.com',
        password: PASSWORD,
        next,
      })
      expect(response.headers.location).toBe('/account')
    }
  })

  test('says the same of a wrong password and of no account, and is not asked by other sites', async () => {
    const wrong = await enter(visitor(), 'wrong', '192.0.2.7')
    const nobody = await visitor().post('/sign-in', { email: 'no@example.com', password: 'wrong' })
    expect(wrong.status).toBe(401)
    const reason = /role="alert">([^<]*)/
    expect(reason.exec(wrong.text)?.[1]).toBe(reason.exec(nobody.text)?.[1])
    const foreign = await visitor().post(
      '/sign-in',
      { email: 'ann@example.com', password: PASSWORD },
      { 'sec-fetch-site': 'cross-site' },
    )
    expect(foreign.status).toBe(403)
    expect(foreign.headers['content-type']).toContain('text/html')
  })

  test('is slowed down for whoever guesses, and not for the owner elsewhere', async () => {
    for (let guess = 0; guess < 10; guess++) {
      expect((await enter(visitor(), 'guess', '192.0.2.66')).status).toBe(401)
    }
    const stopped = await enter(visitor(), PASSWORD, '192.0.2.66')
    expect(stopped.status).toBe(429)
    expect(stopped.headers['retry-after']).toBeDefined()
    expect((await enter(visitor(), PASSWORD, '198.51.100.9')).status).toBe(303)
    service.clock.advance(MINUTE + 1)
    expect((await enter(visitor(), PASSWORD, '192.0.2.66')).status).toBe(303)
  }, 30_000)

  test('is limited for many guesses at once, too', async () => {
    const guesses = Array.from({ length: 14 }, () => enter(visitor(), 'guess', '192.0.2.67'))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(4)
  }, 30_000)

  test('counts no right passwords', async () => {
    for (let time = 0; time < 11; time++) {
      expect((await enter(visitor(), PASSWORD, '192.0.2.68')).status).toBe(303)
    }
  }, 30_000)

  test('keeps no address from the others by deriving passwords without end, right ones or new', async () => {
    const ann = await signIn(service, 'ann@example.com')
    await service.app.db
      .insertInto('rate_windows')
      .values({
        subject: 'sign_in:address:192.0.2.69',
        used: 60,
        ends_at: new Date(service.clock.now().getTime() + MINUTE),
      })
      .execute()
    const from = { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': '192.0.2.69' }
    const form = { email: 'ann@example.com', password: PASSWORD, current: PASSWORD }
    for (const path of ['/sign-in', '/sign-up', '/reset-password', '/account/password']) {
      const response = await ann.post(path, { ...form, token: 'mkt_link_x' }, from)
      expect([path, response.status]).toEqual([path, 429])
    }
    expect((await enter(visitor(), PASSWORD, '192.0.2.70')).status).toBe(303)
  })

  test('lasts thirty days, and ends when the same browser signs in again', async () => {
    const late = await signIn(service, 'ann@example.com')
    const browser = await signIn(service, 'ann@example.com')
    const before = browser.cookie
    await enter(browser, PASSWORD)
    const after = browser.cookie
    browser.cookie = before
    expect((await browser.get('/account')).status).toBe(303)
    service.clock.advance(30 * DAY - MINUTE)
    expect((await late.get('/account')).status).toBe(200)
    service.clock.advance(MINUTE)
    for (const cookie of [late.cookie, after]) {
      browser.cookie = cookie
      expect((await browser.get('/account')).status).toBe(303)
    }
  })

  test('ends with sign-out, and when its session is ended from another', async () => {
    const here = await signIn(service, 'ann@example.com')
    const there = await signIn(service, 'ann@example.com')
    const { id } = await service.app.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', userId)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    await here.post('/account/sessions/end', { id })
    expect((await there.get('/account')).status).toBe(303)
    const { cookie } = here
    await here.post('/sign-out', {})
    here.cookie = cookie
    expect((await here.get('/account')).status).toBe(303)
  }, 30_000)
})

describe('a mailed link', () => {
  const lastMail = async (to: string) =>
    (await service.admin('GET', `/mails?to=${to}`)).body.mails[0]?.text as string | undefined

  test('resets a password once, within an hour, and ends all sessions', async () => {
    await makeUser(service, 'bob@example.com')
    const bob = await signIn(service, 'bob@example.com')
    await visitor().post('/forgot-password', { email: 'BOB@example.com' })
    const token = /token=(\S+)/.exec((await lastMail('bob@example.com')) ?? '')?.[1] ?? ''
    const short = await visitor().post('/reset-password', { token, password: 'short' })
    expect(short.status).toBe(400)
    const form = { token, password: 'another password' }
    expect((await visitor().post('/reset-password', form)).status).toBe(303)
    const spent = await visitor().post('/reset-password', form)
    expect(spent.status).toBe(404)
    expect(spent.text).toContain('<a href="/forgot-password">Ask for a new one</a>')
    expect((await bob.get('/account')).status).toBe(303)
    await visitor().post('/forgot-password', { email: 'bob@example.com' })
    const late = /token=(\S+)/.exec((await lastMail('bob@example.com')) ?? '')?.[1] ?? ''
    service.clock.advance(61 * MINUTE)
    const expired = await visitor().post('/reset-password', { ...form, token: late })
    expect(expired.status).toBe(404)
  })

  test('is none to a disabled account, whose sessions do not come back', async () => {
    const email = 'dan@example.com'
    const danId = await makeUser(service, email)
    const disable = (disabled: boolean) => service.admin('PUT', `/users/${danId}`, { disabled })
    const dan = await signIn(service, email)
    await visitor().post('/forgot-password', { email })
    const token = /token=(\S+)/.exec((await lastMail(email)) ?? '')?.[1] ?? ''
    await disable(true)
    const form = { token, password: 'another password' }
    const rejected = await visitor().post('/reset-password', form)
    expect(rejected.status).toBe(404)
    expect(rejected.headers['set-cookie']).toBeUndefined()
    expect((await visitor().post('/sign-in', { email, password: PASSWORD })).status).toBe(401)
    await disable(false)
    expect((await dan.get('/account')).status).toBe(303)
    expect((await (await signIn(service, email)).get('/account')).status).toBe(200)
  })

  test('leads on, once the password is new, to where its reader was asked to sign in', async () => {
    await makeUser(service, 'eva@example.com')
    const next = '/d/example.com/offer'
    const page = await visitor().get(`/sign-in?next=${encodeURIComponent(next)}`)
    const [, path = ''] = /href="(\/forgot-password[^"]*)"/.exec(page.text) ?? []
    const asked = hidden(await visitor().get(path), 'next')
    await visitor().post('/forgot-password', { email: 'eva@example.com', next: asked })
    const [link = ''] = /\/reset-password\S+/.exec((await lastMail('eva@example.com')) ?? '') ?? []
    const form = await visitor().get(link)
    const sent = { token: hidden(form, 'token'), next: hidden(form, 'next') }
    const response = await visitor().post('/reset-password', {
      ...sent,
      password: 'a new password',
    })
    expect(response.headers.location).toBe(next)
    const spent = await visitor().post('/reset-password', { ...sent, password: 'a new password' })
    expect(spent.text).toContain(`<a href="${path}">Ask for a new one</a>`)
  })

  test('is not sent where there is no account, which nobody can tell', async () => {
    const known = await visitor().post('/forgot-password', { email: 'ann@example.com' })
    const unknown = await visitor().post('/forgot-password', { email: 'no@example.com' })
    expect(unknown.text).toBe(known.text)
    expect(await lastMail('no@example.com')).toBeUndefined()
  })

  test('with an empty form has every field marked', async () => {
    const { status, text } = await visitor().post('/sign-up', { email: '', password: '' })
    expect(status).toBe(400)
    expect(text.match(/aria-invalid="true"/g)).toHaveLength(2)
    expect(text).toContain('Enter an e-mail address such as you@example.com.')
    expect(text).toContain('The password must have at least 8 characters.')
  })

  test('confirms the address of a new account, for whoever has its password', async () => {
    const form = { email: 'new@example.com', password: 'long enough' }
    const browser = visitor()
    expect((await browser.post('/sign-up', form)).status).toBe(303)
    expect((await browser.get('/account')).text).toContain('Welcome! Your account is ready.')
    const confirmed = async () =>
      (await service.admin('GET', '/users?email=new@example.com')).body.users[0].email_confirmed
    const [path = ''] = /\/confirm-email\S+/.exec((await lastMail('new@example.com')) ?? '') ?? []
    const token = path.split('token=')[1] ?? ''
    const mails = await mailsTo(service, form.email)
    for (const _ of [1, 2]) {
      expect((await visitor().post('/sign-up', form)).status).toBe(409)
    }
    expect(await mailsTo(service, form.email)).toEqual([...mails, 'You have an account already'])
    // Each link does its own: neither does the other's, and asking for one leaves the other as it is.
    await visitor().post('/forgot-password', { email: form.email })
    const reset = /token=(\S+)/.exec((await lastMail(form.email)) ?? '')?.[1] ?? ''
    const stolen = { token, password: 'of a thief' }
    expect((await visitor().post('/reset-password', stolen)).status).toBe(404)
    expect((await browser.post('/confirm-email', { token: reset })).status).toBe(404)
    // Whose mailbox it is may know nothing of the account.
    const signInFirst = `/sign-in?next=${encodeURIComponent(path)}`
    expect((await visitor().get(path)).headers.location).toBe(signInFirst)
    expect((await visitor().post('/confirm-email', { token })).headers.location).toBe('/sign-in')
    const other = await signIn(service, 'ann@example.com')
    const rejected = await other.post('/confirm-email', { token })
    expect(rejected.status).toBe(404)
    expect(rejected.text).toContain('another address than ann@example.com')
    expect(await confirmed()).toBe(false)
    const sent = { token: hidden(await browser.get(path), 'token') }
    expect((await browser.post('/confirm-email', sent)).status).toBe(200)
    expect(await confirmed()).toBe(true)
  })

  test('is the end of what somebody else had opened with the address', async () => {
    const email = 'victim@example.com'
    const other = await signIn(service, 'ann@example.com')
    const others = (await exchange(service, await newCode(service, other))).body.access_token
    const thief = visitor()
    await thief.post('/sign-up', { email, password: 'of the thief' })
    const { token } = (await service.admin('POST', '/user-tokens', { email, label: 'theft' })).body
    const { clientId, ...code } = await newCode(service, thief)
    const app = (await exchange(service, { clientId, ...code })).body
    const use = (bearer: string) =>
      service.send({
        method: 'GET',
        target: '/api',
        headers: { authorization: `Bearer ${bearer}` },
      })
    expect((await use(token)).status).toBe(200)
    expect((await use(app.access_token)).status).toBe(200)
    const reset = async (password: string) => {
      await visitor().post('/forgot-password', { email })
      const link = /token=(\S+)/.exec((await lastMail(email)) ?? '')?.[1] ?? ''
      const owner = visitor()
      expect((await owner.post('/reset-password', { token: link, password })).status).toBe(303)
      return owner
    }
    await reset('of the owner')
    expect((await thief.get('/account')).status).toBe(303)
    expect((await use(token)).status).toBe(401)
    expect((await use(app.access_token)).status).toBe(401)
    expect((await refresh(service, clientId, app.refresh_token)).status).toBe(400)
    expect((await use(others)).status).toBe(200)
    expect((await other.get('/account')).status).toBe(200)
    // A reset ends what was there before it, whoever made it.
    const own = (await service.admin('POST', '/user-tokens', { email, label: 'script' })).body.token
    await reset('of the owner, forgotten')
    expect((await use(own)).status).toBe(401)
  }, 30_000)

  test('to a new password comes five times an hour at most, and the newest works', async () => {
    const email = 'flooded@example.com'
    await makeUser(service, email)
    const mails = async () => (await service.admin('GET', `/mails?to=${email}`)).body.mails
    service.clock.advance(MINUTE)
    for (let asked = 0; asked < 7; asked++) await visitor().post('/forgot-password', { email })
    expect(await mails()).toHaveLength(5)
    service.clock.advance(59 * MINUTE)
    await visitor().post('/forgot-password', { email })
    const token = /token=(\S+)/.exec((await lastMail(email)) ?? '')?.[1] ?? ''
    const form = { token, password: 'another password' }
    expect((await visitor().post('/reset-password', form)).status).toBe(303)
    service.clock.advance(MINUTE)
    await visitor().post('/forgot-password', { email })
    expect(await mails()).toHaveLength(6)
  })

  test('is sent again to whoever lost it, once a minute and five times a day', async () => {
    const email = 'lost@example.com'
    const browser = visitor()
    await browser.post('/sign-up', { email, password: 'long enough' })
    const ask = (form: Record<string, string> = {}, headers?: Record<string, string>) =>
      browser.post('/account/confirm-email', form, headers)
    const mails = async () => (await service.admin('GET', `/mails?to=${email}`)).body.mails.length
    const tokenOf = (text = '') => /token=(\S+)/.exec(text)?.[1] ?? ''
    const first = tokenOf(await lastMail(email))
    expect((await browser.get('/account')).text).toContain('action="/account/confirm-email"')
    expect((await ask()).headers.location).toBe('/account')
    expect((await browser.get('/account')).text).toContain('We sent you the link a moment ago')
    expect((await ask({}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    for (let sent = 2; sent <= 5; sent++) {
      service.clock.advance(MINUTE)
      const back = '/account/security'
      expect((await ask({ back })).headers.location).toBe(back)
      // A second click sends no second mail.
      expect((await ask({ back })).status).toBe(303)
      expect(await mails()).toBe(sent)
    }
    service.clock.advance(MINUTE)
    await ask()
    expect(await mails()).toBe(5)
    service.clock.advance(DAY)
    expect((await ask({ back: 'https://evil.example' })).headers.location).toBe('/account')
    expect((await browser.post('/confirm-email', { token: first })).status).toBe(404)
    const token = tokenOf(await lastMail(email))
    expect((await browser.post('/confirm-email', { token })).status).toBe(200)
    expect((await browser.get('/account')).text).not.toContain('action="/account/confirm-email"')
    expect((await ask()).status).toBe(303)
    expect(await mails()).toBe(6)
    expect((await visitor().post('/account/confirm-email', {})).headers.location).toBe('/sign-in')
  })
})

describe('an operator', () => {
  test('opens the admin API with a session, from our own pages only', async () => {
    const ann = await signIn(service, 'ann@example.com')
    const list = (headers: Record<string, string>) =>
      service.send({
        method: 'GET',
        target: '/api/admin/v1/partners',
        headers: { cookie: ann.cookie ?? '', ...headers },
      })
    expect((await list({})).status).toBe(401)
    await service.admin('PUT', `/users/${userId}`, { operator: true })
    expect((await list({ 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await list({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await list({ authorization: 'Bearer wrong' })).status).toBe(401)
  })
})

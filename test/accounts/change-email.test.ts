import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY } from '../../src/lib/clock.ts'
import { Buyer } from '../support/buyer.ts'
import { freshName, mailsTo, must } from '../support/market.ts'
import { Browser, makeUser, PASSWORD, signIn } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const SECURITY = '/account/security'
const CONFIRM = '/account/email/confirm'
const ask = (browser: Browser, email: string, email_password = PASSWORD) =>
  browser.post('/account/email', { email, email_password })

/** The token that was mailed to an address last. */
async function tokenTo(email: string): Promise<string> {
  const { mails } = must(await service.admin('GET', `/mails?to=${email}`), 200).body
  const [, token] = /confirm\?token=(\S+)/.exec(mails[0].text) ?? []
  if (token === undefined) throw new Error(`no link was mailed to ${email}`)
  return token
}

test('a user changes their address by a link that is mailed to the new one', async () => {
  await makeUser(service, 'ann@example.com')
  const [here, elsewhere] = [
    await signIn(service, 'ann@example.com'),
    await signIn(service, 'ann@example.com'),
  ]
  const buyer = new Buyer(service)
  await buyer.pay(`/d/${await freshName(service)}`, undefined, { email: 'ann@example.com' })
  const publicId = buyer.publicId ?? ''

  must(await ask(here, 'Ann@new.example'), 303)
  expect((await here.get(SECURITY)).text).toContain('We sent a link to ann@new.example.')
  expect(await mailsTo(service, 'ann@new.example')).toEqual(['Confirm your new address'])
  expect(await mailsTo(service, 'ann@example.com')).toContain('Your address is about to change')

  // Opening the link changes nothing: scanners of mail open links too.
  const token = await tokenTo('ann@new.example')
  expect((await here.get(`${CONFIRM}?token=${token}`)).text).toContain('Change my address')
  expect((await here.get(SECURITY)).text).toContain('<strong>ann@example.com</strong>')

  must(await here.post(CONFIRM, { token }), 303)
  const page = (await here.get(SECURITY)).text
  expect(page).toContain('Your address is now ann@new.example.')
  expect(page).toContain('<strong>ann@new.example</strong>')
  expect(await mailsTo(service, 'ann@example.com')).toContain('Your address was changed')
  expect((await elsewhere.get(SECURITY)).headers.location).toMatch(/^\/sign-in/)
  expect((await here.get('/account/purchases')).text).toContain(publicId)

  const old = await new Browser(() => service).post('/sign-in', {
    email: 'ann@example.com',
    password: PASSWORD,
  })
  expect(old.status).toBe(401)
  await signIn(service, 'ann@new.example')
  // A link works once.
  expect((await here.post(CONFIRM, { token })).status).toBe(404)
})

test('what is wrong is said at its field, and mails nothing', async () => {
  await makeUser(service, 'bea@example.com')
  const bea = await signIn(service, 'bea@example.com')
  const wrong = [
    ['bea@new.example', 'not the password', 'This is not your password.'],
    ['nonsense', PASSWORD, 'Enter an address such as you@example.com.'],
    ['BEA@example.com', PASSWORD, 'This is your address already.'],
  ] as const
  for (const [email, password, text] of wrong) {
    const page = await ask(bea, email, password)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(text)])
  }
  expect(await mailsTo(service, 'bea@new.example')).toEqual([])
})

test('an address that another account has, now or by then, stays with it', async () => {
  await makeUser(service, 'cid@example.com')
  await makeUser(service, 'dan@example.com')
  const cid = await signIn(service, 'cid@example.com')
  must(await ask(cid, 'dan@example.com'), 303)
  // The response is the same, so that nobody learns who has an account; its owner hears of it.
  expect((await cid.get(SECURITY)).text).toContain('We sent a link to dan@example.com.')
  expect(await mailsTo(service, 'dan@example.com')).not.toContain('Confirm your new address')

  must(await ask(cid, 'eva@example.com'), 303)
  const token = await tokenTo('eva@example.com')
  await makeUser(service, 'eva@example.com')
  expect((await cid.post(CONFIRM, { token })).status).toBe(404)
  expect((await cid.get(SECURITY)).text).toContain('<strong>cid@example.com</strong>')
})

test('a link is of one account, and of one day; a new password ends it', async () => {
  await makeUser(service, 'flo@example.com')
  await makeUser(service, 'gus@example.com')
  const [flo, gus] = [
    await signIn(service, 'flo@example.com'),
    await signIn(service, 'gus@example.com'),
  ]
  must(await ask(flo, 'flo@new.example'), 303)
  const token = await tokenTo('flo@new.example')
  expect((await gus.post(CONFIRM, { token })).status).toBe(404)
  const next = 'another long password'
  must(await flo.post('/account/password', { current: PASSWORD, password: next }), 303)
  expect((await flo.post(CONFIRM, { token })).status).toBe(404)

  must(await ask(gus, 'gus@new.example'), 303)
  service.clock.advance(DAY + 1)
  expect((await gus.post(CONFIRM, { token: await tokenTo('gus@new.example') })).status).toBe(404)
})

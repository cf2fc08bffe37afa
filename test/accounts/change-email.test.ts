import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { advancePaymentsJob } from '../../src/domain/checkout/pay.ts'
import { DAY, MINUTE } from '../../src/lib/clock.ts'
import { beforeNextTransaction } from '../support/before-transaction.ts'
import { Buyer, CARDS, DETAILS } from '../support/buyer.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { freshName, mailsTo, must, operate } from '../support/market.ts'
import { Browser, hidden, makeUser, PASSWORD, signIn } from '../support/oauth.ts'
import { sell } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await holdJobs(service, advancePaymentsJob)
})
afterEach(() => {
  vi.restoreAllMocks()
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

test('a link to a new address confirms that address, and never the one before', async () => {
  const [own, owner] = [new Browser(() => service), 'own@example.org']
  must(await own.post('/sign-up', { email: 'mal@example.org', password: PASSWORD }), 303)
  must(await ask(own, 'mal@new.example'), 303)
  must(await own.post(CONFIRM, { token: await tokenTo('mal@new.example') }), 303)
  expect(await isConfirmed('mal@new.example')).toBe(true)

  // Somebody bought a name as a guest, and a stranger opens an account with their address.
  const buyer = new Buyer(service)
  await buyer.pay(`/d/${await freshName(service)}`, undefined, { email: owner })
  const stranger = new Browser(() => service)
  must(await stranger.post('/sign-up', { email: owner, password: PASSWORD }), 303)
  must(await ask(stranger, 'una@new.example'), 303)
  const token = await tokenTo('una@new.example')
  await makeUser(service, 'una@new.example')
  expect((await stranger.post(CONFIRM, { token })).status).toBe(404)
  expect(await isConfirmed(owner)).toBe(false)
  expect((await stranger.get('/account/purchases')).text).not.toContain(buyer.publicId)
})

async function isConfirmed(email: string): Promise<boolean> {
  const { users } = must(await service.admin('GET', `/users?email=${email}`), 200).body
  return users[0].email_confirmed
}

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

describe('what is being bought reaches whoever changes their address meanwhile', () => {
  /** A user who has asked for another address, and what gives it to them. */
  async function changing(name: string) {
    const [from, to] = [`${name}@example.com`, `${name}@new.example`]
    const userId = await makeUser(service, from)
    const browser = await signIn(service, from)
    must(await ask(browser, to), 303)
    const token = await tokenTo(to)
    return { from, to, userId, change: () => browser.post(CONFIRM, { token }) }
  }

  /** A checkout on the live market, with the details and the card filled in. */
  async function checkout(email: string, card: string): Promise<Buyer> {
    const buyer = new Buyer(service)
    await buyer.pay(`/d/${await freshName(service, 'live')}`, card, { email })
    return buyer
  }

  async function expectDelivered(publicId: string, userId: string): Promise<void> {
    const { domain } = await operate(service, publicId, 'start', 'complete')
    const owned = await service.app.db
      .selectFrom('owned_domains')
      .select(['domain', 'user_id'])
      .where('domain', '=', domain)
      .execute()
    expect(owned).toEqual([{ domain, user_id: userId }])
  }

  test('by a payment that takes its time', async () => {
    const { to, userId, change } = await changing('hal')
    await checkout('Hal@example.com', CARDS.later)
    must(await change(), 303)
    service.clock.advance(MINUTE)
    await advancePaymentsJob.run(service.app, new AbortController().signal)
    const { orders } = must(await service.admin('GET', '/orders?environment=live'), 200).body
    expect(orders[0].buyer).toMatchObject({ email: to, name: 'Robin Buyer', country: 'US' })
    expect(await mailsTo(service, to)).toContainEqual(expect.stringContaining('Your receipt for'))
    await expectDelivered(orders[0].public_id, userId)
  })

  test('by a checkout that was made for them', async () => {
    const { from, to, change } = await changing('ida')
    const partner = await service.partner({ environment: 'live' })
    const buyer = { email: from, name: 'Ida', country: 'DE' }
    const session = { domain: await freshName(service, 'live'), buyer }
    const { checkout_url } = must(await partner.post('/checkout-session', session), 201).body
    must(await change(), 303)
    const { text } = await new Buyer(service).visit(checkout_url)
    expect(text).toContain(`value="${to}"`)
    expect(text).toContain('value="Ida"')
  })

  test('and nothing is paid whose details were changed as the card was sent', async () => {
    const { from, change } = await changing('jon')
    const buyer = new Buyer(service)
    await buyer.visit(`/d/${await freshName(service, 'live')}`)
    await buyer.submit()
    await buyer.submit({ ...DETAILS, email: from })
    beforeNextTransaction(service, change)
    await buyer.card(CARDS.succeeds)
    expect(buyer.publicId).toBeUndefined()
    const payments = await service.app.db.selectFrom('payments').select('registrant').execute()
    expect(JSON.stringify(payments)).not.toContain(from)
  })

  test('by a partner for whose buyer it is held here', async () => {
    const { from, to, userId, change } = await changing('kim')
    const partner = await service.partner({ environment: 'live' })
    const domain = await freshName(service, 'live')
    const more = { buyer: { email: from }, delivery: { method: 'hold' } }
    const { public_id } = must(await sell(partner, domain, more), 201).body
    must(await change(), 303)
    await expectDelivered(public_id, userId)
    expect(must(await partner.get(`/orders/${public_id}`), 200).body.buyer.email).toBe(to)
  })

  test('and waits for the old address no more', async () => {
    const { from, userId, change } = await changing('lea')
    await service.app.db
      .insertInto('promised_domains')
      .values({ domain: 'promised.test', email: from, expires_at: null, created_at: new Date() })
      .execute()
    must(await change(), 303)
    const { data } = must(await service.admin('POST', `/users/${userId}/export`, {}), 200).body
    expect(data.domains).toMatchObject([{ domain: 'promised.test' }])
  })
})

test('a seller hears at their new address where their payouts go', async () => {
  await makeUser(service, 'may@example.com')
  const may = await signIn(service, 'may@example.com')
  async function setPayee(): Promise<void> {
    const once = hidden(await may.get('/account/payee'), 'once')
    const account = { name: 'May', country: 'DE', iban: 'DE89370400440532013000', currency: 'EUR' }
    must(await may.post('/account/payee', { once, ...account }), 303)
  }
  must(await may.post('/confirm', { next: '/account/payee', password: PASSWORD }), 303)
  await setPayee()
  must(await ask(may, 'may@new.example'), 303)
  must(await may.post(CONFIRM, { token: await tokenTo('may@new.example') }), 303)
  await setPayee()
  const told = 'The account that your payouts go to was changed'
  expect(await mailsTo(service, 'may@new.example')).toContain(told)
  const before = await mailsTo(service, 'may@example.com')
  expect(before.filter((subject) => subject === told)).toHaveLength(1)
})

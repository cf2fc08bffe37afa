import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { renewAutomatically } from '../../src/domain/domains/auto-renew.ts'
import { advanceCharges } from '../../src/domain/domains/collect.ts'
import { settlePendingCards } from '../../src/domain/payments/save-card.ts'
import { after, DAY, HOUR } from '../../src/lib/clock.ts'
import { mailsTo } from '../support/market.ts'
import { type Browser, makeUser, signIn } from '../support/oauth.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'
import { sendWebhook, startStripe } from '../support/stripe.ts'

let stripe: Awaited<ReturnType<typeof startStripe>>
let service: TestService
beforeAll(async () => {
  stripe = await startStripe()
  service = await startService({ settings: { paymentProvider: 'stripe', stripe: stripe.settings } })
})
afterAll(async () => {
  await service.stop()
  stripe.stop()
})

async function owner(name: string, domains: string[]) {
  const email = `${name}@example.com`
  const userId = await makeUser(service, email, domains)
  const browser = await signIn(service, email)
  const { token } = (await service.admin('POST', '/user-tokens', { email })).body
  return { email, userId, browser, reader: readerOf(() => service, token) }
}

const renew = (reader: Reader, domains: string[], headers = {}) =>
  reader.post('/api/domains/bulk/renew', { domains, params: { years: 1 } }, headers)

/** From the form to Stripe's page. */
async function atStripe(browser: Browser): Promise<string> {
  const response = await browser.post('/account/payment-method', {})
  expect(response.status, response.text).toBe(303)
  return String(response.headers.location).split('/').at(-1) ?? ''
}

/** Through Stripe's page, and back. */
async function saveCard(browser: Browser): Promise<void> {
  const page = stripe.cards.complete(await atStripe(browser))
  await browser.get(String(page.success_url).replace('http://localhost:3000', ''))
}

async function chargesOf(userId: string) {
  return await service.app.db
    .selectFrom('charges')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 150; tries++) {
    if (await what()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('it did not come about')
}

test('a card is saved on Stripe’s page, charged off session, and forgotten', async () => {
  const { browser, reader, userId, email } = await owner('ann', ['ann.com'])
  expect((await renew(reader, ['ann.com'])).body.results[0].error.code).toBe('payment_failed')
  const page = await browser.get('/account/payment-method')
  expect(page.headers['content-security-policy']).toContain('https://checkout.stripe.com')
  expect(page.text).not.toContain('card_number')
  await saveCard(browser)
  expect((await browser.get('/account/payment-method')).text).toContain('Visa ending in 4242 pays')
  expect((await renew(reader, ['ann.com'])).body.succeeded).toBe(1)
  const [charge] = await chargesOf(userId)
  expect(stripe.cards.intents.at(-1)).toMatchObject({
    amount: charge?.amount_cents,
    currency: 'usd',
    off_session: 'true',
    metadata: { charge_id: charge?.id },
  })
  expect(stripe.cards.customers.at(-1)).toMatchObject({ email })
  expect(stripe.keys).toContain(`charge-${charge?.id}`)
  await browser.post('/account/payment-method/remove', {})
  expect(stripe.cards.detached).toHaveLength(1)
  expect((await renew(reader, ['ann.com'])).body.results[0].error.code).toBe('payment_failed')
})

test('whoever saved a card and did not come back has it none the less, and only once', async () => {
  const { browser } = await owner('bob', ['bob.com'])
  const page = stripe.cards.complete(await atStripe(browser))
  service.clock.advance(61_000)
  await until(async () =>
    (await browser.get('/account/payment-method')).text.includes('Visa ending in 4242'),
  )
  await browser.post('/account/payment-method/remove', {})
  await browser.get(String(page.success_url).replace('http://localhost:3000', ''))
  expect((await browser.get('/account/payment-method')).text).toContain('Save one to renew')
})

test('whoever comes back twice at once has saved the card once, and Stripe keeps it', async () => {
  const { browser } = await owner('hal', [])
  const page = stripe.cards.complete(await atStripe(browser))
  const back = String(page.success_url).replace('http://localhost:3000', '')
  const before = stripe.cards.detached.length
  await Promise.all([browser.get(back), browser.get(back), browser.get(back)])
  expect((await browser.get('/account/payment-method')).text).toContain('Visa ending in 4242 pays')
  expect(stripe.cards.detached).toHaveLength(before)
})

test('a card whose page is being made is waited for', async () => {
  const { browser, userId } = await owner('lena', [])
  const { cards } = service.app.payments.byId('stripe')
  const save = cards.save.bind(cards)
  const spy = vi.spyOn(cards, 'save').mockImplementationOnce(async (asked) => {
    await settlePendingCards.run(service.app, new AbortController().signal)
    return await save(asked)
  })
  const page = stripe.cards.complete(await atStripe(browser))
  spy.mockRestore()
  await browser.get(String(page.success_url).replace('http://localhost:3000', ''))
  const methods = await service.app.db
    .selectFrom('payment_methods')
    .select('status')
    .where('user_id', '=', userId)
    .execute()
  expect(methods).toEqual([{ status: 'active' }])
})

test('what was not saved in two hours is waited for no longer', async () => {
  const { browser, userId } = await owner('ivy', [])
  const page = await atStripe(browser)
  service.clock.advance(2 * 3_600_000 + 61_000)
  await until(async () => {
    const { db } = service.app
    const rows = db.selectFrom('payment_methods').select('status').where('user_id', '=', userId)
    return (await rows.executeTakeFirstOrThrow()).status === 'removed'
  })
  const { success_url } = stripe.cards.complete(page)
  await browser.get(String(success_url).replace('http://localhost:3000', ''))
  expect((await browser.get('/account/payment-method')).text).toContain('Save one to renew')
})

test('nobody saves a card for somebody else', async () => {
  const { browser } = await owner('cat', [])
  const eve = await owner('eve', [])
  const page = stripe.cards.complete(await atStripe(browser))
  await eve.browser.get(String(page.success_url).replace('http://localhost:3000', ''))
  for (const { text } of [
    await browser.get('/account/payment-method'),
    await eve.browser.get('/account/payment-method'),
  ]) {
    expect(text).toContain('Save one to renew')
  }
})

test('a card that the bank declines renews nothing', async () => {
  const { browser, reader, userId } = await owner('dan', ['dan.com'])
  await saveCard(browser)
  stripe.cards.bank.declines = true
  const response = await renew(reader, ['dan.com'])
  stripe.cards.bank.declines = false
  expect(response.body.results[0]).toMatchObject({
    status: 402,
    error: { message: 'Your card was declined. It was not renewed.' },
  })
  expect(await chargesOf(userId)).toMatchObject([{ status: 'failed' }])
})

test('a charge whose response got lost is looked for, and not made again', async () => {
  const { browser, reader, userId } = await owner('fay', ['fay.com'])
  await saveCard(browser)
  const before = stripe.cards.intents.length
  // The call and its repeats by the library: each takes effect once, by its key.
  stripe.loseNext(3)
  const key = { 'idempotency-key': 'fay' }
  expect((await renew(reader, ['fay.com'], key)).body.pending).toBe(1)
  service.clock.advance(10_000)
  await until(async () => (await chargesOf(userId))[0]?.status === 'succeeded')
  expect(stripe.cards.intents).toHaveLength(before + 1)
  expect((await renew(reader, ['fay.com'], key)).body.succeeded).toBe(1)
  expect(stripe.cards.intents).toHaveLength(before + 1)
})

test('the share of a name that left goes back in part', async () => {
  const { browser, reader, userId } = await owner('gus', ['gus-a.com', 'gus-b.com'])
  await saveCard(browser)
  stripe.failNext(3)
  expect((await renew(reader, ['gus-a.com', 'gus-b.com'])).body.pending).toBe(2)
  await service.app.db.deleteFrom('owned_domains').where('domain', '=', 'gus-b.com').execute()
  service.clock.advance(10_000)
  await until(async () => (await chargesOf(userId))[0]?.status === 'refunded')
  const [charge] = await chargesOf(userId)
  expect(stripe.cards.refunds).toMatchObject([
    { payment_intent: charge?.provider_ref, amount: String((charge?.amount_cents ?? 0) / 2) },
  ])
})

test('a refund whose response and key are lost is looked for, and not made again', async () => {
  const { browser, reader, userId } = await owner('kim', ['kim-a.com', 'kim-b.com'])
  await saveCard(browser)
  stripe.failNext(3)
  expect((await renew(reader, ['kim-a.com', 'kim-b.com'])).body.pending).toBe(2)
  await service.app.db.deleteFrom('owned_domains').where('domain', '=', 'kim-b.com').execute()
  const { cards } = service.app.payments.byId('stripe')
  const refund = vi.spyOn(cards, 'refund').mockImplementationOnce(async (charge) => {
    stripe.loseNext(3)
    await cards.refund(charge)
    throw new Error('the response was not lost')
  })
  service.clock.advance(10_000)
  await vi.waitFor(() => expect(refund.mock.settledResults[0]?.type).toBe('rejected'), 20_000)
  const [charge] = await chargesOf(userId)
  const sent = () =>
    stripe.cards.refunds.filter(({ payment_intent }) => payment_intent === charge?.provider_ref)
  expect(sent()).toHaveLength(1)
  stripe.forget()
  await until(async () => {
    service.clock.advance(48 * HOUR)
    await advanceCharges.run(service.app, AbortSignal.any([]))
    return (await chargesOf(userId))[0]?.status === 'refunded'
  })
  refund.mockRestore()
  expect(await chargesOf(userId)).toMatchObject([{ refund_ref: sent()[0]?.id }])
  expect(sent()).toHaveLength(1)
})

describe('an automatic renewal that the bank asks the cardholder about', () => {
  const { signal } = new AbortController()

  /** One whose mail has gone out, and the page that it leads to. */
  async function asked(name: string) {
    const domain = `${name}.com`
    const someone = await owner(name, [domain])
    await saveCard(someone.browser)
    stripe.cards.bank.asks = true
    await service.app.db
      .updateTable('owned_domains')
      .set({ auto_renew: true, expires_at: after(service.clock.now(), 10 * DAY) })
      .where('domain', '=', domain)
      .execute()
    await renewAutomatically.run(service.app, signal)
    stripe.cards.bank.asks = false
    const [charge] = await chargesOf(someone.userId)
    if (!charge) throw new Error('nothing was charged')
    return { ...someone, domain, charge, page: `/account/renewals/${charge.id}` }
  }

  /** The service's own job may be at it as well. */
  const ended = (userId: string, status: string) =>
    until(async () => {
      await advanceCharges.run(service.app, signal)
      return (await chargesOf(userId))[0]?.status === status
    })

  async function toStripe(browser: Browser, page: string): Promise<string> {
    const response = await browser.post(page, {})
    expect(response.status, response.text).toBe(303)
    return String(response.headers.location).split('/').at(-1) ?? ''
  }

  test('is mailed, confirmed on a page of Stripe, and renewed', async () => {
    const { browser, charge, page, email, userId } = await asked('cleo')
    expect(charge.status).toBe('confirmation_due')
    expect(await mailsTo(service, email)).toContain('Confirm a renewal: cleo.com')
    expect((await browser.get('/account/renewals')).text).toContain(page)
    const shown = await browser.get(page)
    expect(shown.text).toContain('Your bank wants you to confirm')
    expect(shown.headers['content-security-policy']).toContain('https://checkout.stripe.com')
    const session = await toStripe(browser, page)
    expect(await toStripe(browser, page)).toBe(session)
    stripe.cards.confirm(session)
    expect((await browser.get(page)).headers.location).toBe('/account/renewals')
    expect(await chargesOf(userId)).toMatchObject([{ status: 'succeeded' }])
    expect(await mailsTo(service, email)).toContain('Renewed: cleo.com')
  })

  test('is renewed once when the webhook comes first', async () => {
    const { browser, page, userId } = await asked('dora')
    const done = stripe.cards.confirm(await toStripe(browser, page))
    for (const _ of [1, 2]) {
      expect((await sendWebhook(service, 'checkout.session.completed', done)).status).toBe(200)
    }
    await browser.get(page)
    expect(await chargesOf(userId)).toMatchObject([{ status: 'succeeded' }])
    const renewals = await service.app.db
      .selectFrom('renewals')
      .select('status')
      .where('user_id', '=', userId)
      .execute()
    expect(renewals).toEqual([{ status: 'paid' }])
  })

  test('ends after three days, and nobody can pay it any more', async () => {
    const { browser, page, userId, email } = await asked('emil')
    const session = await toStripe(browser, page)
    service.clock.advance(3 * DAY)
    await ended(userId, 'failed')
    expect(stripe.cards.setups.get(session)).toMatchObject({ status: 'expired' })
    expect(await mailsTo(service, email)).toContain('Not renewed: emil.com')
  })

  test('is paid where the cardholder was faster than its end', async () => {
    const { browser, page, userId } = await asked('finn')
    stripe.cards.confirm(await toStripe(browser, page))
    service.clock.advance(3 * DAY)
    await ended(userId, 'succeeded')
  })

  test('is turned down by its cardholder, and shown to nobody else', async () => {
    const { browser, page, userId } = await asked('gina')
    const { browser: other } = await owner('hugo', ['hugo.com'])
    expect((await other.get(page)).status).toBe(404)
    expect((await other.post(`${page}/decline`, {})).status).toBe(404)
    expect((await browser.post(`${page}/decline`, {})).status).toBe(303)
    expect(await chargesOf(userId)).toMatchObject([{ status: 'failed' }])
    expect((await browser.post(page, {})).headers.location).toBe('/account/renewals')
  })

  test('can be confirmed after a response of Stripe was lost', async () => {
    const { browser, page, userId } = await asked('jane')
    stripe.loseNext(20)
    expect((await browser.post(page, {})).status).toBe(503)
    stripe.loseNext(0)
    service.clock.advance(61_000)
    stripe.cards.confirm(await toStripe(browser, page))
    await browser.get(page)
    expect(await chargesOf(userId)).toMatchObject([{ status: 'succeeded' }])
  })

  test('has no page that outlives it, when it is turned down while the page is made', async () => {
    const { browser, page, userId } = await asked('kurt')
    const { cards } = service.app.payments.byId('stripe')
    const confirm = cards.confirm.bind(cards)
    const spy = vi.spyOn(cards, 'confirm').mockImplementationOnce(async (asked) => {
      const step = await confirm(asked)
      expect((await browser.post(`${page}/decline`, {})).status).toBe(303)
      return step
    })
    expect((await browser.post(page, {})).headers.location).toBe('/account/renewals')
    const step = await spy.mock.results[0]?.value
    spy.mockRestore()
    expect(stripe.cards.setups.get(step.ref)).toMatchObject({ status: 'expired' })
    expect(await chargesOf(userId)).toMatchObject([{ status: 'failed' }])
  })

  test('says so where Stripe does not respond', async () => {
    const { browser, page } = await asked('ivo')
    // More than the page's tries: the service's own jobs may ask meanwhile.
    stripe.failNext(20)
    expect((await browser.post(page, {})).status).toBe(503)
    stripe.failNext(0)
  })
})

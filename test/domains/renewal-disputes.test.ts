import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must, refusal } from '../support/market.ts'
import { type Browser, makeUser, signIn } from '../support/oauth.ts'
import { Operator } from '../support/operator.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'
import { sendWebhook, startStripe } from '../support/stripe.ts'

const DAY = 86_400_000

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

const renew = (reader: Reader, domains: string[]) =>
  reader.post('/api/domains/bulk/renew', { domains, params: { years: 1 } })

/** From the form through Stripe's page, and back. */
async function saveCard(browser: Browser): Promise<void> {
  const response = await browser.post('/account/payment-method', {})
  const page = stripe.cards.complete(String(response.headers.location).split('/').at(-1) ?? '')
  await browser.get(String(page.success_url).replace('http://localhost:3000', ''))
}

/** Somebody whose names were renewed in one charge, or wait for it while Stripe is away. */
async function renewed(name: string, domains: string[], before = async () => {}) {
  const email = `${name}@example.com`
  const userId = await makeUser(service, email, domains)
  const browser = await signIn(service, email)
  const { token } = (await service.admin('POST', '/user-tokens', { email })).body
  const reader = readerOf(() => service, token)
  await saveCard(browser)
  await before()
  must(await renew(reader, domains), 200)
  const charge = await chargeOf(userId)
  const intent = stripe.cards.intents.find(({ metadata }) => chargeIn(metadata) === charge.id)
  const paid = { amount_total: charge.amount_cents, payment_intent: intent?.id ?? '' }
  return { email, userId, browser, reader, charge, paid, price: charge.amount_cents }
}

function chargeIn(metadata: unknown): string | undefined {
  return (metadata as { charge_id?: string }).charge_id
}

async function chargeOf(userId: string) {
  return await service.app.db
    .selectFrom('charges')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
}

async function tell(type: string, object: { id: string }) {
  must(await sendWebhook(service, type, object), 200)
}

/** The marketplace's accounts that are not empty, as they changed since. */
async function booksSince(before: Record<string, number> = {}): Promise<Record<string, number>> {
  const rows = await service.app.db
    .selectFrom('ledger_entries')
    .select(['account', (row) => row.fn.sum<string>('amount_cents').as('cents')])
    .groupBy('account')
    .execute()
  const changes = rows.map(({ account, cents }): [string, number] => [
    account,
    Number(cents) - (before[account] ?? 0),
  ])
  expect(changes.reduce((sum, [, cents]) => sum + cents, 0)).toBe(0)
  return Object.fromEntries(changes.filter(([, cents]) => cents !== 0))
}

async function mailsTo(email: string, subject: string) {
  return await service.app.db
    .selectFrom('mails')
    .select(['subject', 'body'])
    .where('recipient', '=', email)
    .where('subject', 'like', `${subject}%`)
    .execute()
}

async function expiryOf(domain: string): Promise<Date | null> {
  const { expires_at } = await service.app.db
    .selectFrom('owned_domains')
    .select('expires_at')
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow()
  return expires_at
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 150; tries++) {
    if (await what()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('it did not come about')
}

/** A charge whose second name left before its response came, so that half of it is to go back. */
async function halfOwed(name: string) {
  const names = [`${name}-a.com`, `${name}-b.com`]
  const owner = await renewed(name, names, async () => stripe.loseNext(3))
  await service.app.db.deleteFrom('owned_domains').where('domain', '=', `${name}-b.com`).execute()
  return owner
}

describe('a dispute over renewals', () => {
  test('leaves the term, ends the card, tells user and operator, and is undone when it is won', async () => {
    const { email, browser, reader, charge, paid, price, userId } = await renewed('ann', [
      'ann.com',
      'anna.com',
    ])
    const term = await expiryOf('ann.com')
    const before = await booksSince()
    const detached = stripe.cards.detached.length
    const dispute = stripe.dispute(paid, 'needs_response', [-price])
    await tell('charge.dispute.created', dispute)
    await tell('charge.dispute.funds_withdrawn', dispute)
    expect(await booksSince(before)).toEqual({ disputed_funds: price, card_funds: -price })
    expect(await expiryOf('ann.com')).toEqual(term)

    expect(stripe.cards.detached.length).toBeGreaterThan(detached)
    expect((await browser.get('/account/payment-method')).text).toContain('Save one to renew')
    expect((await renew(reader, ['ann.com'])).body.results[0].error.code).toBe('payment_failed')
    expect((await browser.get('/account/renewals')).text).toContain('disputed')
    const mails = await mailsTo(email, 'Payment disputed: 2 domains')
    expect(mails).toHaveLength(1)
    expect(mails[0]?.body).toContain('Visa ending in 4242 is not charged any more')

    const { disputes } = must(await service.admin('GET', '/disputes'), 200).body
    expect(disputes[0]).toMatchObject({
      payment_id: null,
      public_id: null,
      charge_id: charge.id,
      user_id: userId,
      environment: 'live',
      status: 'needs_response',
      amount_cents: price,
    })
    expect(must(await service.admin('GET', '/overview'), 200).body.waiting.disputes).toBe(1)
    const operator = await Operator.enter(service)
    const listed = await operator.visit('/operator/disputes?status=needs_response')
    expect(listed.text).toContain(`<a href="/operator/users/${userId}">a user’s renewal</a>`)
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const { text } = await service.send({ method: 'GET', target: '/metrics', headers })
    expect(text).toContain('payment_disputes{environment="live",status="needs_response"} 1\n')

    await saveCard(browser)
    stripe.dispute(paid, 'won', [-price, price], dispute.id)
    await tell('charge.dispute.funds_reinstated', dispute)
    await tell('charge.dispute.closed', dispute)
    expect(await booksSince(before)).toEqual({})
    expect((await browser.get('/account/renewals')).text).not.toContain('disputed')
    // What was said before comes late, and ends no other card.
    stripe.dispute(paid, 'needs_response', [-price], dispute.id)
    await tell('charge.dispute.created', dispute)
    expect(await booksSince(before)).toEqual({})
    expect((await renew(reader, ['ann.com'])).body.succeeded).toBe(1)
    expect(await mailsTo(email, 'Payment disputed')).toHaveLength(1)
  })

  test('that is lost is a loss, and what renews itself asks for another card', async () => {
    const { email, browser, paid, price } = await renewed('bob', ['bob.com'])
    const before = await booksSince()
    const term = await expiryOf('bob.com')
    // Its end is all that is ever heard of it.
    const dispute = stripe.dispute(paid, 'lost', [-price])
    await tell('charge.dispute.closed', dispute)
    await tell('charge.dispute.created', dispute)
    expect(await booksSince(before)).toEqual({ dispute_losses: price, card_funds: -price })
    expect(await expiryOf('bob.com')).toEqual(term)
    expect((await browser.get('/account/renewals')).text).toContain('charged back')

    const intents = stripe.cards.intents.length
    await service.app.db
      .updateTable('owned_domains')
      .set({ auto_renew: true, expires_at: new Date(service.clock.now().getTime() + 20 * DAY) })
      .where('domain', '=', 'bob.com')
      .execute()
    service.clock.advance(61_000)
    await until(async () => (await mailsTo(email, 'Not renewed: bob.com')).length === 1)
    expect(stripe.cards.intents).toHaveLength(intents)

    stripe.dispute(paid, 'won', [-price, price], dispute.id)
    await tell('charge.dispute.funds_reinstated', dispute)
    expect(await booksSince(before)).toEqual({})
  })

  test('that only asks does nothing', async () => {
    const { email, browser, paid } = await renewed('cat', ['cat.com'])
    const before = await booksSince()
    const dispute = stripe.dispute(paid, 'warning_needs_response', [])
    await tell('charge.dispute.created', dispute)
    expect(await booksSince(before)).toEqual({})
    expect((await browser.get('/account/payment-method')).text).toContain('Visa ending in 4242')
    expect(await mailsTo(email, 'Payment disputed')).toEqual([])
    expect((await browser.get('/account/renewals')).text).not.toContain('disputed')
  })

  test('may be heard of before the charge itself, and is asked for again while Stripe is down', async () => {
    const { paid, price, charge } = await renewed('dan', ['dan.com'], async () =>
      stripe.loseNext(3),
    )
    expect(charge.status).toBe('started')
    const before = await booksSince()
    const dispute = stripe.dispute(paid, 'needs_response', [-price])
    stripe.failNext(3)
    const response = await sendWebhook(service, 'charge.dispute.created', dispute)
    expect(refusal(response)).toEqual({ status: 503, code: 'unavailable' })
    await tell('charge.dispute.created', dispute)
    expect(await booksSince(before)).toEqual({ disputed_funds: price, renewals: -price })
    service.clock.advance(10 * 60_000)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await booksSince(before)).toEqual({ disputed_funds: price, renewals: -price })
  })

  test('holds a refund up, and is that refund when it is lost', async () => {
    const before = await booksSince()
    const { userId, price, paid } = await halfOwed('eve')
    const dispute = stripe.dispute(paid, 'needs_response', [-price])
    await tell('charge.dispute.created', dispute)
    expect(await chargeOf(userId)).toMatchObject({ status: 'refund_due', due_at: null })
    stripe.dispute(paid, 'lost', [-price], dispute.id)
    await tell('charge.dispute.closed', dispute)
    expect(await chargeOf(userId)).toMatchObject({ status: 'refunded', refund_ref: null })
    // The half that was earned is lost; the other was owed, and is settled.
    expect(await booksSince(before)).toEqual({ dispute_losses: price / 2, renewals: -price / 2 })
    stripe.dispute(paid, 'won', [-price, price], dispute.id)
    await tell('charge.dispute.funds_reinstated', dispute)
    await until(async () => (await chargeOf(userId)).refund_ref !== null)
    expect(await booksSince(before)).toEqual({ card_funds: price / 2, renewals: -price / 2 })
  })

  test('that is lost over less than is owed leaves the refund to be made', async () => {
    const before = await booksSince()
    const { userId, price, paid } = await halfOwed('zoe')
    const dispute = Object.assign(stripe.dispute(paid, 'needs_response', [-1]), { amount: 1 })
    await tell('charge.dispute.created', dispute)
    expect(await chargeOf(userId)).toMatchObject({ status: 'refund_due', due_at: null })
    await tell('charge.dispute.closed', Object.assign(dispute, { status: 'lost' }))
    await until(async () => (await chargeOf(userId)).refund_ref !== null)
    expect(await booksSince(before)).toEqual({
      card_funds: price / 2 - 1,
      dispute_losses: 1,
      renewals: -price / 2,
    })
  })

  test.each([
    { name: 'two', part: 0 },
    { name: 'too', part: 0.3 },
  ])(
    'and another over one charge: the refund waits for both, and is both ($name)',
    async ({ name, part }) => {
      const before = await booksSince()
      const { userId, price, paid } = await halfOwed(name)
      const lesser = Math.max(1, Math.floor(price * part))
      const lost = part === 0 ? price - 1 : lesser
      const [first, last] = [lesser, lost].map((cents) =>
        Object.assign(stripe.dispute(paid, 'needs_response', [-cents]), { amount: cents }),
      )
      if (!first || !last) throw new Error('there are two')
      await tell('charge.dispute.created', first)
      await tell('charge.dispute.created', last)
      await tell('charge.dispute.closed', Object.assign(first, { status: 'lost' }))
      expect(await chargeOf(userId)).toMatchObject({ status: 'refund_due', due_at: null })
      await tell('charge.dispute.closed', Object.assign(last, { status: 'lost' }))
      expect(await chargeOf(userId)).toMatchObject({ status: 'refunded', refund_ref: null })
      const rest = price - lesser - lost
      expect(await booksSince(before)).toEqual({
        ...(rest > 0 && { card_funds: rest }),
        dispute_losses: price / 2 - rest,
        renewals: -price / 2,
      })
    },
  )
})

describe('a refund of renewals', () => {
  test('that is made at Stripe is earned no more, once, and its user is told', async () => {
    const { email, paid, price } = await renewed('fay', ['fay.com'])
    const before = await booksSince()
    const term = await expiryOf('fay.com')
    const refund = { id: 're_fay', status: 'pending', amount: 100, ...paid }
    stripe.refunds.push(refund)
    await tell('refund.updated', refund)
    await tell('refund.created', refund)
    expect(await booksSince(before)).toEqual({ renewals: 100, card_funds: -100 })
    const mails = await mailsTo(email, 'Refunded: fay.com')
    expect(mails).toHaveLength(1)
    expect(mails[0]?.body).toContain('1.00')
    expect(await expiryOf('fay.com')).toEqual(term)
    stripe.refunds.push({ id: 're_rest', status: 'succeeded', amount: price - 100, ...paid })
    await tell('refund.created', { id: 're_rest' })
    expect(await booksSince(before)).toEqual({ renewals: price, card_funds: -price })
    // One does not arrive.
    Object.assign(refund, { status: 'failed', failure_reason: 'lost_or_stolen_card' })
    await tell('refund.failed', refund)
    await tell('refund.updated', refund)
    expect(await booksSince(before)).toEqual({ renewals: price - 100, card_funds: 100 - price })
  })

  test('of ours that does not arrive is owed again, until an operator makes another', async () => {
    const before = await booksSince()
    const { userId, email, price } = await halfOwed('gus')
    service.clock.advance(10_000)
    await until(async () => (await chargeOf(userId)).status === 'refunded')
    const refund = stripe.cards.refund((await chargeOf(userId)).refund_ref ?? '')
    if (!refund) throw new Error('nothing was refunded')
    const settled = { card_funds: price / 2, renewals: -price / 2 }
    await tell('refund.created', refund)
    expect(await booksSince(before)).toEqual(settled)
    Object.assign(refund, { status: 'failed', failure_reason: 'expired_or_canceled_card' })
    await tell('refund.failed', refund)
    await tell('refund.updated', refund)
    const owed = { card_funds: price, renewals: -price / 2, buyer_refunds: -price / 2 }
    expect(await booksSince(before)).toEqual(owed)
    expect((await chargeOf(userId)).status).toBe('refund_failed')
    expect(service.logs.join('')).toContain('charges: a refund did not arrive')
    const payment_intent = (await chargeOf(userId)).provider_ref ?? ''
    // A smaller one is not what is owed, and no matter of it when it fails.
    const part = { id: 're_part', status: 'succeeded', amount: 1, payment_intent }
    stripe.refunds.push(part)
    await tell('refund.created', part)
    expect((await chargeOf(userId)).status).toBe('refund_failed')
    expect(await mailsTo(email, 'Refunded')).toHaveLength(1)
    stripe.refunds.push({ id: 're_again', status: 'succeeded', amount: price / 2, payment_intent })
    await tell('refund.created', { id: 're_again' })
    Object.assign(part, { status: 'failed', failure_reason: 'unknown' })
    await tell('refund.failed', part)
    expect(await booksSince(before)).toEqual(settled)
    expect(await chargeOf(userId)).toMatchObject({ status: 'refunded', refund_ref: 're_again' })
    expect(await mailsTo(email, 'Refunded')).toHaveLength(1)
  })

  test('that was under way while a bank settled it is made once, though the bank thinks better', async () => {
    const before = await booksSince()
    const { userId, price, paid } = await halfOwed('ivy')
    const refund = () =>
      stripe.cards.refunds.find(({ payment_intent }) => payment_intent === paid.payment_intent)
    const dispute = stripe.dispute(paid, 'warning_needs_response', [])
    await tell('charge.dispute.created', dispute)
    // Our call takes effect, and its response gets lost.
    stripe.loseNext(3)
    await until(async () => refund() !== undefined)
    stripe.dispute(paid, 'lost', [-price], dispute.id)
    await until(
      async () => (await sendWebhook(service, 'charge.dispute.closed', dispute)).status === 200,
    )
    await tell('refund.created', refund() ?? { id: '' })
    expect(await booksSince(before)).toEqual({ dispute_losses: price / 2, card_funds: -price / 2 })
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    stripe.dispute(paid, 'won', [-price, price], dispute.id)
    await tell('charge.dispute.funds_reinstated', dispute)
    await until(async () => (await chargeOf(userId)).status === 'refunded')
    expect((await chargeOf(userId)).refund_ref).toBe(refund()?.id)
    expect(await booksSince(before)).toEqual({ card_funds: price / 2, renewals: -price / 2 })
  })

  test('that fails before our own call has its response is owed', async () => {
    const before = await booksSince()
    const { userId, price, paid } = await halfOwed('hal')
    const refund = () =>
      stripe.cards.refunds.find(({ payment_intent }) => payment_intent === paid.payment_intent)
    // A question of the bank's is how we hear that the charge came in.
    await tell('charge.dispute.created', stripe.dispute(paid, 'warning_needs_response', []))
    stripe.loseNext(3)
    await until(async () => refund() !== undefined)
    const made = refund() ?? { id: '' }
    Object.assign(made, { status: 'failed', failure_reason: 'unknown' })
    await until(async () => (await sendWebhook(service, 'refund.failed', made)).status === 200)
    const owed = { card_funds: price, renewals: -price / 2, buyer_refunds: -price / 2 }
    expect(await booksSince(before)).toEqual(owed)
    // Our call ends without a response, and is not made again.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    expect(await chargeOf(userId)).toMatchObject({ status: 'refund_failed', due_at: null })
    expect(await booksSince(before)).toEqual(owed)
  })
})

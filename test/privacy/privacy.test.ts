import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { advancePaymentsJob } from '../../src/domain/checkout/pay.ts'
import { forgetErasedCards } from '../../src/domain/payments/save-card.ts'
import { OFFER_QUOTE_LIFETIME_MS } from '../../src/domain/quotes/quote.ts'
import { DAY, HOUR } from '../../src/lib/clock.ts'
import { letIn } from '../support/agent.ts'
import { moveCase, openCase } from '../support/brokerage.ts'
import { Buyer, CARDS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { earned } from '../support/earnings.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { freshName, must, operate } from '../support/market.ts'
import { Browser, hidden, makeUser, PASSWORD, signIn } from '../support/oauth.ts'
import { makeOffer, negotiable } from '../support/offers.ts'
import { signedInPartner } from '../support/portal.ts'
import { startService, type TestService } from '../support/service.ts'

const EMAIL = 'ada@example.com'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await holdJobs(service, advancePaymentsJob)
})
afterAll(() => service.stop())

async function bought(): Promise<string> {
  const partner = await service.partner({ environment: 'live' })
  const domain = await freshName(service, 'live')
  const made = must(await partner.post('/checkout-session', { domain }), 201).body
  const buyer = new Buyer(service)
  await buyer.pay(made.checkout_url, undefined, { email: EMAIL, name: 'Ada Lovelace' })
  return buyer.publicId ?? ''
}

describe('a person', () => {
  let userId: string
  let publicId: string

  test('gets all that is kept of them, and no secrets', async () => {
    userId = await makeUser(service, EMAIL, [])
    await signIn(service, EMAIL)
    publicId = await bought()
    const { data } = must(await service.admin('POST', `/users/${userId}/export`, {}), 200).body
    expect(data.account.email).toBe(EMAIL)
    expect(data.orders).toMatchObject([{ public_id: publicId }])
    expect(data.invoices).toHaveLength(1)
    expect(data.sessions).toHaveLength(1)
    expect(JSON.stringify(data)).not.toMatch(/scrypt|token_hash|password/)
    must(await service.admin('POST', '/users/usr_none/export', {}), 404)
  })

  test('is not erased while they wait for something', async () => {
    const erase = () => service.admin('POST', `/users/${userId}/erase`, { reason: 'They asked' })
    expect(must(await erase(), 409).body.error.message).toContain('one order on its way')
    await operate(service, publicId, 'start', 'complete')
    expect(must(await erase(), 409).body.error.message).toContain('one domain')
    await service.app.db.deleteFrom('owned_domains').where('user_id', '=', userId).execute()
    must(await service.admin('POST', `/users/${userId}/erase`, {}), 400)
    must(await erase(), 200)
    must(await service.admin('POST', '/users/usr_none/erase', { reason: 'Nobody' }), 404)
  })

  test('is gone everywhere but in the books', async () => {
    const { db } = service.app
    const order = must(await service.admin('GET', `/orders/${publicId}`), 200).body
    expect(order.buyer).toMatchObject({ name: null, country: 'US' })
    expect(order.buyer.email).toMatch(/@erased\.invalid$/)
    for (const table of ['users', 'payments', 'checkout_sessions', 'mails', 'orders'] as const) {
      const rows = await db.selectFrom(table).selectAll().execute()
      expect(JSON.stringify(rows), table).not.toMatch(/ada@example|Lovelace/)
    }
    const [invoice] = await db.selectFrom('invoices').selectAll().execute()
    expect(invoice?.buyer.name).toBe('Ada Lovelace')
    const { status } = await service.send({
      method: 'POST',
      target: '/sign-in',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
      body: new URLSearchParams({ email: EMAIL, password: PASSWORD }).toString(),
    })
    expect(status).toBe(401)
  })
})

describe('an account whose address nobody confirmed', () => {
  const email = 'owner@example.org'
  let publicId: string
  let domain: string
  let strangerId: string

  const promised = () =>
    service.app.db
      .selectFrom('promised_domains')
      .select('domain')
      .where('email', '=', email)
      .execute()

  beforeAll(async () => {
    domain = await freshName(service, 'live')
    const buyer = new Buyer(service)
    await buyer.pay(`/d/${domain}`, undefined, { email })
    publicId = buyer.publicId ?? ''
    await operate(service, publicId, 'start', 'complete')
    const stranger = new Browser(() => service)
    must(await stranger.post('/sign-up', { email, password: PASSWORD }), 303)
    const { users } = must(await service.admin('GET', `/users?email=${email}`), 200).body
    strangerId = users[0].user_id
  })

  test('is exported without what somebody bought with the address', async () => {
    const { data } = must(await service.admin('POST', `/users/${strangerId}/export`, {}), 200).body
    expect(data.account).toMatchObject({ email, email_confirmed_at: null })
    expect(data.sessions).toHaveLength(1)
    for (const kind of [
      'orders',
      'payments',
      'checkouts',
      'invoices',
      'mails',
      'promised_domains',
    ]) {
      expect(data[kind], kind).toEqual([])
    }
  })

  test('is erased without it, too, and its owner still gets what they bought', async () => {
    const erase = (userId: string) =>
      service.admin('POST', `/users/${userId}/erase`, { reason: 'Opened by a stranger' })
    must(await erase(strangerId), 200)
    const order = must(await service.admin('GET', `/orders/${publicId}`), 200).body
    expect(order.buyer.email).toBe(email)
    expect(await promised()).toEqual([{ domain }])

    const owner = await makeUser(service, email)
    expect(must(await erase(owner), 409).body.error.message).toContain('one domain')
    const { data } = must(await service.admin('POST', `/users/${owner}/export`, {}), 200).body
    expect(data.domains).toMatchObject([{ domain }])
  })
})

describe('what is still open keeps a person from being erased', () => {
  let partner: PartnerClient
  beforeAll(async () => {
    partner = await service.partner({ environment: 'live' })
  })

  async function erase(userId: string) {
    return await service.admin('POST', `/users/${userId}/erase`, { reason: 'They asked' })
  }

  async function expectOpen(userId: string, what: string): Promise<void> {
    const { message, details } = must(await erase(userId), 409).body.error
    expect(message).toBe(`This account still has ${what}.`)
    expect(details).toMatchObject({ reason: 'not_allowed_now', status: 'in_use' })
  }

  async function checkout(email: string | null, card: string, details: object): Promise<void> {
    const domain = await freshName(service, 'live')
    const session = { domain, ...(email && { buyer: { email } }) }
    const { checkout_url } = must(await partner.post('/checkout-session', session), 201).body
    await new Buyer(service).pay(checkout_url, card, details)
  }

  test('a payment that takes its time, whoever its link was for', async () => {
    const [payer, buyer] = ['payer@example.com', 'Prefilled@example.com'] as const
    await checkout(buyer, CARDS.later, { email: 'Payer@example.com' })
    for (const email of [payer, buyer.toLowerCase()]) {
      await expectOpen(await makeUser(service, email), 'one payment or refund under way')
    }
  })

  test.each(['refund_due', 'refund_failed'] as const)('a payment that is %s', async (status) => {
    const email = `${status}@example.com`
    await checkout(null, CARDS.later, { email })
    await service.app.db
      .updateTable('payments')
      .set({ status, due_at: null })
      .where(sql<string>`registrant->>'email'`, '=', email)
      .execute()
    const userId = await makeUser(service, email)
    service.clock.advance(8 * DAY)
    await expectOpen(userId, 'one payment or refund under way')
  })

  test('a payment that waits for its buyer, for as long as they can make it', async () => {
    const email = 'asked@example.com'
    await checkout(null, CARDS.asks, { email })
    await checkout(null, CARDS.asks, { email })
    const userId = await makeUser(service, email)
    await expectOpen(userId, '2 payments or refunds under way')
    // The checkout has ended, and so has every page of a provider on which it could be paid.
    service.clock.advance(7 * DAY + 1)
    must(await erase(userId), 200)
  })

  test('an accepted offer, until it lapses', async () => {
    const email = 'offerer@example.com'
    const domain = await negotiable(service, { environment: 'live' })
    const offer = await makeOffer(partner, domain, 8_000, {
      buyer: { email: 'Offerer@example.com' },
    })
    expect(offer.status).toBe('accepted')
    const userId = await makeUser(service, email)
    await expectOpen(userId, 'one accepted offer')
    service.clock.advance(OFFER_QUOTE_LIFETIME_MS + 1)
    must(await erase(userId), 200)
  })

  test('a brokerage case, until it ends', async () => {
    const { case_id } = await openCase(partner, { buyer_email: 'Seeker@example.com' })
    const userId = await makeUser(service, 'seeker@example.com')
    await expectOpen(userId, 'one running brokerage case')
    await moveCase(service, case_id, 'cancel')
    must(await erase(userId), 200)
  })

  test('a domain that waits for their address', async () => {
    const email = 'awaited@example.com'
    const userId = await makeUser(service, email)
    await service.app.db
      .insertInto('promised_domains')
      .values({ domain: 'awaited.test', email, expires_at: null, created_at: service.clock.now() })
      .execute()
    await expectOpen(userId, 'one domain')
  })

  test('but nothing of a sandbox', async () => {
    const email = 'tester@example.com'
    const sandbox = await service.partner()
    await openCase(sandbox, { buyer_email: email })
    await makeOffer(sandbox, await negotiable(service), 8_000, { buyer: { email } })
    must(await erase(await makeUser(service, email)), 200)
  })
})

test('the card of a person is forgotten by its provider, which may be away for a while', async () => {
  await holdJobs(service, forgetErasedCards)
  const email = 'payer@example.org'
  const userId = await makeUser(service, email)
  const payer = await signIn(service, email)
  const typed = { card_number: CARDS.succeeds, card_expiry: '12/39', card_cvc: '123' }
  must(await payer.post('/account/payment-method', typed), 303)
  const card = await service.app.db
    .selectFrom('payment_methods')
    .selectAll()
    .where('user_id', '=', userId)
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow()
  const kept = () =>
    service.app.db
      .selectFrom('payment_methods')
      .select(['status', 'customer_ref', 'method_ref', 'forget_due_at'])
      .where('id', '=', card.id)
      .executeTakeFirst()
  const { cards } = service.app.payments.byId(card.provider)
  const forget = vi.spyOn(cards, 'forget').mockRejectedValue(new Error('away'))
  const told = () => forget.mock.calls.filter(([{ id }]) => id === card.id).length
  must(await service.admin('POST', `/users/${userId}/erase`, { reason: 'They asked' }), 200)
  const run = () => forgetErasedCards.run(service.app, new AbortController().signal)
  await run()
  await run()
  expect(told()).toBe(1)
  expect(await kept()).toMatchObject({ status: 'removed', method_ref: card.method_ref })
  forget.mockRestore()
  service.clock.advance(HOUR)
  await run()
  const nothing = { customer_ref: null, method_ref: null, forget_due_at: null }
  expect(await kept()).toMatchObject({ status: 'removed', ...nothing })
})

describe('what a person has left everywhere', () => {
  const email = 'ned@example.com'
  const written = 'Ned@Example.com'
  let userId: string

  /** A negotiation in which each side says something, and which the buyer ends. */
  async function negotiate(partner: PartnerClient, buyer: string, says: string): Promise<void> {
    const domain = await negotiable(service, { environment: 'live' })
    const more = { buyer: { email: buyer, name: says }, message: says }
    const { offer_id } = await makeOffer(partner, domain, 5_000, more)
    const counter = { amount_cents: 9_000, message: 'The seller says no.' }
    must(await service.admin('POST', `/offers/${offer_id}/counter`, counter), 200)
    must(await partner.post(`/offers/${offer_id}/decline`, { message: says }), 200)
  }

  /** A checkout that was made for the person, and whose form somebody else filled in. */
  async function payForAnother(partner: PartnerClient): Promise<void> {
    const session = { domain: await freshName(service, 'live'), buyer: { email: written } }
    const { checkout_url } = must(await partner.post('/checkout-session', session), 201).body
    const other = { email: 'payer@other.example', name: 'Other Payer' }
    await new Buyer(service).pay(checkout_url, CARDS.declined, other)
  }

  /** A case in which each side offers and says something, and which the buyer's broker ends. */
  async function seek(partner: PartnerClient, buyer_email: string, says: string): Promise<void> {
    const { case_id } = await openCase(partner, { buyer_email, note: says })
    await moveCase(service, case_id, 'source', 'contact', 'negotiate')
    for (const [made_by, message] of [
      ['buyer', says],
      ['owner', 'The owner says more.'],
    ]) {
      const offer = { made_by, price_cents: 300_000, message }
      must(await service.admin('POST', `/brokerage/${case_id}/offers`, offer), 201)
    }
    await moveCase(service, case_id, 'cancel')
  }

  /** The tables in which a text is, however it is written. */
  async function tablesWith(text: string): Promise<string[]> {
    const { db } = service.app
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`.execute(db)
    const found: string[] = []
    for (const { name } of rows) {
      const { rows: hits } = await sql`select from ${sql.table(name)} t
        where strpos(lower(t::text), ${text.toLowerCase()}) > 0 limit 1`.execute(db)
      if (hits.length > 0) found.push(name)
    }
    return found
  }

  beforeAll(async () => {
    userId = await makeUser(service, email)
    const ned = await signIn(service, email)
    const partner = await service.partner({ environment: 'live' })
    const buyer = new Buyer(service)
    await buyer.pay(`/d/${await freshName(service, 'live')}`, undefined, { email: written })
    await operate(service, buyer.publicId ?? '', 'start', 'complete')
    await payForAnother(partner)
    await negotiate(partner, written, 'Ned says please.')
    await negotiate(partner, 'other@example.com', 'Another says please.')
    await negotiate(partner, 'third@example.com', 'A third says please.')
    await service.app.db
      .updateTable('offers')
      .set({ seller_id: userId })
      .where(sql<string>`buyer->>'email'`, '=', 'third@example.com')
      .execute()
    await seek(partner, written, 'Ned says please.')
    await seek(partner, 'other@example.com', 'Another says please.')
    must(await ned.post('/confirm', { next: '/account/payee', password: PASSWORD }), 303)
    const once = hidden(await ned.get('/account/payee'), 'once')
    const account = { name: 'Ned', country: 'DE', iban: 'DE89370400440532013000', currency: 'EUR' }
    must(await ned.post('/account/payee', { once, ...account }), 303)
    await letIn(service, ned, { max_per_order: '100', max_total: '150' })
    const shop = await signedInPartner(service, 'shop@example.com')
    const invitation = { email, once: crypto.randomUUID() }
    must(await shop.browser.post('/partner/sandbox/members', invitation), 303)
  })

  test('is exported, with nothing of others and no secrets', async () => {
    const exported = async () =>
      must(await service.admin('POST', `/users/${userId}/export`, {}), 200).body.data
    const [seller] = (await exported()).seller_account
    expect(seller).toMatchObject({ name: email, email, status: 'active' })
    await earned(service, { partner_id: seller.id }, 'live', 17_000)
    const made = await service.admin('POST', '/payouts', { environment: 'live' })
    const [payout] = must(made, 201).body.payouts
    for (const move of ['process', 'paid']) {
      must(await service.admin('POST', `/payouts/${payout.id}/${move}`, {}), 200)
    }
    const promise = { expires_at: null, created_at: new Date() }
    await service.app.db
      .insertInto('promised_domains')
      .values({ domain: 'promised.test', email, ...promise })
      .execute()

    const data = await exported()
    const registrant = { email: written, address: '1 Main Street', postal_code: '12345' }
    expect(data).toMatchObject({
      payments: [{ status: 'succeeded', card: 'Test card ending in 4242', registrant }],
      checkout_details: [{ registrant }],
      checkouts: [{ status: 'open', buyer: { email: written } }],
      payees: [{ name: 'Ned', country: 'DE', account_last4: '3000' }],
      payouts: [{ amount_cents: 17_000, currency: 'USD', status: 'paid' }],
      mandates: [{ max_per_order_cents: 10_000, max_total_cents: 15_000 }],
      promised_domains: [{ domain: 'promised.test' }],
      partner_invitations: [{ ended_at: null }],
      offers: [{ history: [{ message: 'Ned says please.' }, { message: 'The seller says no.' }] }],
      offers_received: [{ history: [{ message: 'A third says please.' }, {}] }],
      brokerage_offers: [
        { made_by: 'buyer', message: 'Ned says please.' },
        { made_by: 'owner', message: 'The owner says more.' },
      ],
    })
    expect(JSON.stringify(data)).not.toMatch(
      /DE89370400440532013000|scrypt|_hash|_sealed|password|"details"|another|third@|Other Payer/i,
    )
  })

  test('is replaced, but in the books', async () => {
    await service.app.db.deleteFrom('owned_domains').where('user_id', '=', userId).execute()
    await service.app.db.deleteFrom('promised_domains').where('email', '=', email).execute()
    must(await service.admin('POST', `/users/${userId}/erase`, { reason: 'They asked' }), 200)
    expect(await tablesWith(email)).toEqual(['audit_entries', 'invoices'])
  })

  test('is not what they said, while others are still quoted', async () => {
    expect(await tablesWith('Ned says please.')).toEqual(['audit_entries'])
    for (const words of ['Another says please.', 'The seller says no.', 'The owner says more.']) {
      expect(await tablesWith(words), words).not.toEqual([])
    }
    const offers = await service.app.db
      .selectFrom('offers')
      .select(['history', 'closing_message'])
      .where(sql<string>`buyer->>'name'`, 'is distinct from', 'Another says please.')
      .where('status', '=', 'declined')
      .orderBy('offer_id')
      .execute()
    expect(offers).toMatchObject([
      {
        history: [
          { by: 'buyer', amount_cents: 5_000, message: null },
          { by: 'seller', amount_cents: 9_000, message: 'The seller says no.' },
        ],
        closing_message: null,
      },
      {
        history: [
          { by: 'buyer', amount_cents: 5_000, message: 'A third says please.' },
          { by: 'seller', amount_cents: 9_000, message: null },
        ],
        closing_message: 'A third says please.',
      },
    ])
  })
})

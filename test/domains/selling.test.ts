import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expireDomains } from '../../src/domain/domains/expire.ts'
import { monthlyPayouts } from '../../src/domain/payouts/make-payouts.ts'
import { Buyer, CARDS, DETAILS } from '../support/buyer.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { mailsTo } from '../support/market.ts'
import { Browser, makeUser, PASSWORD, signIn } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { orderBody, quote, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const DAY = 86_400_000
let service: TestService
beforeAll(async () => {
  service = await startService()
  await holdJobs(service, monthlyPayouts)
})
afterAll(() => service.stop())

async function account(name: string, domains: string[] = []) {
  const email = `${name}@example.com`
  const userId = await makeUser(service, email, domains)
  const { token } = (await service.admin('POST', '/user-tokens', { email })).body
  return { email, userId, reader: readerOf(() => service, token) }
}

type Account = Awaited<ReturnType<typeof account>>
const offer = async (
  { reader }: Account,
  domain: string,
  price_cents: number,
  description?: string,
) => {
  const body = { domains: [domain], params: { price_cents, description } }
  return (await reader.post('/api/domains/bulk/list_for_sale', body)).body.results[0]
}
const lock = async ({ reader }: Account, domain: string) =>
  (await reader.post('/api/domains/bulk/lock', { domains: [domain], params: {} })).body.results[0]
const move = (publicId: string, name: string) =>
  service.admin('POST', `/orders/${publicId}/${name}`, {})

/** Buys a name on its page, and returns the order's id. */
async function buy(domain: string, email: string): Promise<string> {
  const buyer = new Buyer(service)
  await buyer.pay(`/d/${domain}`, undefined, { email })
  expect(buyer.publicId, buyer.page.text).toBeDefined()
  return buyer.publicId ?? ''
}

/** An operator plays the bank of the payment that bought an order. */
async function bank(publicId: string, play: string): Promise<void> {
  const { payments } = (await service.admin('GET', `/payments?public_id=${publicId}`)).body
  const response = await service.admin('POST', `/payments/${payments[0].id}/play/${play}`)
  expect(response.status, response.text).toBe(200)
}

async function deliver(publicId: string): Promise<void> {
  expect((await move(publicId, 'start')).status).toBe(200)
  expect((await move(publicId, 'complete')).status).toBe(200)
}

async function balance(userId: string): Promise<number> {
  const row = await service.app.db
    .selectFrom('commission_balances as b')
    .innerJoin('partners as p', 'p.id', 'b.partner_id')
    .select('b.balance_cents')
    .where('p.user_id', '=', userId)
    .executeTakeFirst()
  return row?.balance_cents ?? 0
}

const expiry = async (domain: string) =>
  await service.app.db
    .selectFrom('owned_domains')
    .select('expires_at')
    .where('domain', '=', domain)
    .executeTakeFirst()

describe('a user’s own domain, sold on its page', () => {
  test('goes over with the years that it has left', async () => {
    const seller = await account('farsighted', ['years.com'])
    const body = { domains: ['years.com'], params: { years: 3 } }
    expect((await seller.reader.post('/api/domains/bulk/renew', body)).body.succeeded).toBe(1)
    const before = await expiry('years.com')
    await offer(seller, 'years.com', 10_000)
    const buyer = await account('years')
    await deliver(await buy('years.com', buyer.email))
    expect(await lock(buyer, 'years.com')).toMatchObject({ status: 200 })
    expect(await expiry('years.com')).toEqual(before)
  })

  test('pays the seller, becomes the buyer’s, and may be sold again', async () => {
    const seller = await account('seller', ['mine.com'])
    const buyer = await account('buyer')
    expect(await offer(seller, 'mine.com', 10_000)).toMatchObject({ status: 200 })
    const order = await buy('mine.com', 'Buyer@example.com')
    // Under way it is nobody's to change.
    expect(await lock(seller, 'mine.com')).toMatchObject({ status: 409 })
    expect(await lock(buyer, 'mine.com')).toMatchObject({ status: 404 })
    const browser = await signIn(service, seller.email)
    const { text } = await browser.get('/account')
    expect(text).toContain('sold, being delivered')
    expect(text).not.toContain('value="mine.com"')
    expect((await browser.get('/account?filter=for_sale')).text).toContain('No matching domains')
    expect(await balance(seller.userId)).toBe(0)
    await deliver(order)
    expect(await lock(seller, 'mine.com')).toMatchObject({ status: 404 })
    expect(await lock(buyer, 'mine.com')).toMatchObject({ status: 200 })
    expect(await balance(seller.userId)).toBe(8_500)
    const page = await browser.get('/account/payment-method')
    expect(page.text).toContain('$85.00')
    // What one bought here may be sold here.
    expect(await offer(buyer, 'mine.com', 20_000)).toMatchObject({ status: 200 })
    const again = await buy('mine.com', seller.email)
    await deliver(again)
    expect(await balance(buyer.userId)).toBe(17_000)
    expect(await lock(seller, 'mine.com')).toMatchObject({ status: 200 })
    expect(await offer(seller, 'mine.com', 30_000)).toMatchObject({ status: 200 })
  })

  test('is not withdrawn while a buyer has it reserved', async () => {
    const seller = await account('hasty', ['hasty.com'])
    await offer(seller, 'hasty.com', 10_000)
    const partner = await service.partner({ environment: 'live' })
    const held = await quote(partner, 'hasty.com')
    const delist = async () => {
      const body = { domains: ['hasty.com'], params: {} }
      return (await seller.reader.post('/api/domains/bulk/delist', body)).body.results[0]
    }
    const rejected = await delist()
    expect(rejected).toMatchObject({ status: 409, error: { code: 'conflict' } })
    expect(rejected.error.message).toContain('has it reserved')
    const released = await partner.delete(`/quotes/${held.quote_id}`)
    expect(released.status, released.text).toBe(200)
    expect(await delist()).toMatchObject({ status: 200 })
    expect((await partner.get('/domains/hasty.com')).status).toBe(404)
  })

  test('is paid out as partners are, once it is held no longer', async () => {
    const seller = await account('paid', ['paid.com'])
    await offer(seller, 'paid.com', 50_000)
    await deliver(await buy('paid.com', 'anyone@example.com'))
    const mine = (response: { body: { payouts: { kind: string; amount_cents: number }[] } }) =>
      response.body.payouts.filter(({ amount_cents }) => amount_cents === 42_500)
    expect(mine(await service.admin('POST', '/payouts', { environment: 'live' }))).toEqual([])
    service.clock.advance(31 * DAY)
    const [payout] = mine(await service.admin('POST', '/payouts', { environment: 'live' }))
    expect(payout).toMatchObject({ kind: 'sale', status: 'pending' })
    const { id, partner_id } = payout as unknown as { id: string; partner_id: string }
    const { partners } = (await service.admin('GET', '/partners?limit=100')).body
    expect(
      partners.find((row: { partner_id: string }) => row.partner_id === partner_id),
    ).toMatchObject({ user_id: seller.userId, email: seller.email })
    // Who is paid for sales of their own signs no requests.
    const credentials = { environment: 'live', scopes: ['buy'] }
    const made = await service.admin('POST', `/partners/${partner_id}/credentials`, credentials)
    expect(made.body.error?.code, made.text).toBe('conflict')
    expect((await service.admin('POST', `/payouts/${id}/paid`, {})).status).toBe(200)
    expect(await balance(seller.userId)).toBe(0)
  })

  test('taken back before its delivery, stays the seller’s and on the market', async () => {
    const seller = await account('back', ['back.com'])
    await offer(seller, 'back.com', 10_000)
    const order = await buy('back.com', 'anyone@example.com')
    expect((await move(order, 'refund')).status).toBe(200)
    expect(await lock(seller, 'back.com')).toMatchObject({ status: 200 })
    expect(await balance(seller.userId)).toBe(0)
    const [listing] = (await seller.reader.get('/api/market/listings?q=back.com')).body.items
    expect(listing).toMatchObject({ price_cents: 10_000 })
    expect(await mailsTo(service, seller.email)).toEqual([
      'Listed for sale: back.com',
      'back.com is sold',
      'The sale of back.com was taken back',
    ])
  })

  test('that is handed over at the third attempt is told to have failed once', async () => {
    const seller = await account('trying', ['tried.com'])
    await offer(seller, 'tried.com', 10_000)
    const order = await buy('tried.com', 'anyone@example.com')
    for (const name of ['start', 'fail', 'start', 'fail']) {
      expect((await move(order, name)).status).toBe(200)
    }
    await deliver(order)
    expect(await mailsTo(service, seller.email)).toEqual([
      'Listed for sale: tried.com',
      'tried.com is sold',
      'The transfer of tried.com did not work at first',
      'tried.com has been handed over',
    ])
    const { body } = await service.app.db
      .selectFrom('mails')
      .select('body')
      .where('subject', '=', 'tried.com has been handed over')
      .executeTakeFirstOrThrow()
    // Thirty days later, by default: no earlier payout has it.
    const from = new Date(service.clock.now().getTime() + 30 * 86_400_000)
    expect(body).toContain(`with the first payout from ${from.toISOString().slice(0, 10)} on`)
  })

  test('and lost to the buyer’s bank before its delivery is told once it is taken back', async () => {
    const seller = await account('unsold', ['unsold.com'])
    await offer(seller, 'unsold.com', 10_000)
    const order = await buy('unsold.com', 'anyone@example.com')
    await bank(order, 'dispute')
    await bank(order, 'lose-dispute')
    expect((await move(order, 'cancel')).status).toBe(200)
    expect(await mailsTo(service, seller.email)).toEqual([
      'Listed for sale: unsold.com',
      'unsold.com is sold',
      'The sale of unsold.com was taken back',
    ])
  })

  test('is not withdrawn while a payment for it is under way', async () => {
    const seller = await account('promising', ['promised.com'])
    await offer(seller, 'promised.com', 10_000)
    const provider = service.app.payments.byId('test')
    const lookUp = vi.spyOn(provider, 'lookUp').mockRejectedValue(new Error('not known yet'))
    await new Buyer(service).pay('/d/promised.com', CARDS.later)
    const delist = async () => {
      const body = { domains: ['promised.com'], params: {} }
      return (await seller.reader.post('/api/domains/bulk/delist', body)).body.results[0]
    }
    expect(await delist()).toMatchObject({
      error: { message: 'A buyer has it reserved for the moment.' },
    })
    lookUp.mockRestore()
    // It is asked about again within the hour.
    service.clock.advance(DAY / 12)
    await expect
      .poll(async () => (await delist()).error.message, { timeout: 30_000 })
      .toBe('It has been sold.')
  })

  test('withdrawn in the middle of a payment, is told as that, and not as sold', async () => {
    const seller = await account('withdrawing', ['withdrawn.com'])
    await offer(seller, 'withdrawn.com', 10_000)
    const buyer = new Buyer(service)
    await buyer.pay('/d/withdrawn.com', CARDS.asks)
    const link = `/checkout?pt=${new URLSearchParams(buyer.path.split('?')[1]).get('pt')}`
    const body = { domains: ['withdrawn.com'], params: {} }
    expect((await seller.reader.post('/api/domains/bulk/delist', body)).body).toMatchObject({
      succeeded: 1,
    })
    const { status, text } = await new Buyer(service).visit(link)
    expect(status).toBe(410)
    expect(text).toContain('Its owner does not offer it any more.')
    await buyer.submit({ answer: 'confirm' })
    expect(buyer.page.text).toContain('withdrawn.com is not for sale any more.')
    expect(buyer.page.text).toContain('refund')
  })
})

describe('a dispute over a user’s domain', () => {
  test('takes the share back after its delivery; later sales make up for what was paid out', async () => {
    const seller = await account('clawed', ['clawed.com', 'second.com'])
    await offer(seller, 'clawed.com', 10_000)
    const order = await buy('clawed.com', 'anyone@example.com')
    await deliver(order)
    service.clock.advance(31 * DAY)
    const made = (await service.admin('POST', '/payouts', { environment: 'live' })).body.payouts
    for (const { id } of made) await service.admin('POST', `/payouts/${id}/paid`, {})
    expect(await balance(seller.userId)).toBe(0)
    await bank(order, 'dispute')
    expect(await balance(seller.userId)).toBe(-8_500)
    const page = await (await signIn(service, seller.email)).get('/account/payment-method')
    expect(page.text).toContain('Taken back after it was paid out to you')
    expect(page.text).toContain('Your next sales make up for what was taken back.')
    expect(page.text).toContain('-$85.00')
    expect(page.text).toMatch(/Your latest payouts.*paid.*\$85\.00/s)
    await bank(order, 'lose-dispute')
    expect(await balance(seller.userId)).toBe(-8_500)
    expect(await sharesOf(order)).toEqual([
      ['seller_share', 'commission_payable', -8_500],
      ['seller_share', 'seller_proceeds', 8_500],
      ['seller_share_reversed', 'commission_payable', 8_500],
      ['seller_share_reversed', 'seller_proceeds', -8_500],
    ])
    expect((await mailsTo(service, seller.email)).slice(-2)).toEqual([
      'The payment for clawed.com is disputed',
      'The payment for clawed.com has gone back to its buyer',
    ])

    await offer(seller, 'second.com', 30_000)
    await deliver(await buy('second.com', 'anyone@example.com'))
    expect(await balance(seller.userId)).toBe(17_000)
    service.clock.advance(31 * DAY)
    const { payouts } = (await service.admin('POST', '/payouts', { environment: 'live' })).body
    const amounts = payouts.map(({ amount_cents }: { amount_cents: number }) => amount_cents)
    expect(amounts).toEqual([17_000])
  })

  test('that is won gives it back', async () => {
    const seller = await account('won', ['won.com'])
    await offer(seller, 'won.com', 10_000)
    const order = await buy('won.com', 'anyone@example.com')
    await deliver(order)
    await bank(order, 'dispute')
    expect(await balance(seller.userId)).toBe(0)
    await bank(order, 'win-dispute')
    expect(await balance(seller.userId)).toBe(8_500)
    expect(await mailsTo(service, seller.email)).toContain(
      'The payment for won.com is no longer disputed',
    )
  })

  test('that is open at its delivery keeps the share back until it is won', async () => {
    const seller = await account('early', ['early.com'])
    await offer(seller, 'early.com', 10_000)
    const order = await buy('early.com', 'anyone@example.com')
    expect((await move(order, 'start')).status).toBe(200)
    await bank(order, 'dispute')
    expect((await move(order, 'complete')).status).toBe(200)
    expect(await balance(seller.userId)).toBe(0)
    await bank(order, 'win-dispute')
    expect(await balance(seller.userId)).toBe(8_500)
  })

  async function sharesOf(publicId: string) {
    const entries = await service.app.db
      .selectFrom('commission_entries as c')
      .innerJoin('ledger_transactions as t', 't.id', 'c.transaction_id')
      .innerJoin('ledger_entries as e', 'e.transaction_id', 't.id')
      .select(['t.code', 'e.account', 'e.amount_cents'])
      .where('c.sale_id', '=', publicId)
      .where('c.type', 'in', ['accrued', 'reversed'])
      .orderBy('t.code')
      .orderBy('e.account')
      .execute()
    return entries.map(({ code, account: name, amount_cents }) => [code, name, amount_cents])
  }
})

test('a partner’s order of a user’s domain pays both, and the domain leaves the seller', async () => {
  const seller = await account('through', ['through.com'])
  await offer(seller, 'through.com', 10_000)
  const partner = await service.partner({ environment: 'live' })
  const order = await sold(partner, 'through.com')
  expect(order.commission_cents).toBe(1_000)
  await deliver(order.public_id)
  expect(await balance(seller.userId)).toBe(8_500)
  expect(await lock(seller, 'through.com')).toMatchObject({ status: 404 })
  const detail = await partner.get('/domains/through.com')
  expect(detail.body.status).toBe('sold')
  const entries = await service.app.db
    .selectFrom('ledger_entries as e')
    .innerJoin('ledger_transactions as t', 't.id', 'e.transaction_id')
    .select(['t.code', 'e.account', 'e.amount_cents'])
    .where('t.source', '=', order.public_id)
    .where('t.code', '=', 'seller_share')
    .orderBy('e.account')
    .execute()
  expect(entries.map(({ account, amount_cents }) => [account, amount_cents])).toEqual([
    ['commission_payable', -8_500],
    ['seller_proceeds', 8_500],
  ])
  // Once it is the seller's again, it is like any other.
  const domains = { domains: ['through.com'] }
  const given = await service.admin('POST', `/users/${seller.userId}/domains`, domains)
  expect(given.status, given.text).toBe(200)
  expect(await lock(seller, 'through.com')).toMatchObject({ status: 200 })
})

describe('a domain that has another holder now', () => {
  test('is not sold by a link of the one before, whose price it was', async () => {
    const seller = await account('first', ['handed.com'])
    const next = await account('next')
    await offer(seller, 'handed.com', 100)
    const partner = await service.partner({ environment: 'live' })
    const link = (await partner.post('/checkout-session', { domain: 'handed.com' })).body
    const left = new Buyer(service)
    await left.visit('/d/handed.com')
    await left.submit()
    await left.submit({ ...DETAILS, email: seller.email })
    await offer(seller, 'handed.com', 10_000)
    await deliver(await buy('handed.com', next.email))
    await offer(next, 'handed.com', 20_000)

    await left.card(CARDS.succeeds)
    expect(left.publicId).toBeUndefined()
    expect(left.page.text).toContain('sold')
    await new Buyer(service).pay(link.checkout_url).catch(() => {})
    expect(await lock(next, 'handed.com')).toMatchObject({ status: 200 })
    const [listing] = (await next.reader.get('/api/market/listings?q=handed.com')).body.items
    expect(listing).toMatchObject({ price_cents: 20_000 })
    const paid = await service.app.db
      .selectFrom('checkout_sessions')
      .select('status')
      .where('domain', '=', 'handed.com')
      .orderBy('status')
      .execute()
    expect(paid.map(({ status }) => status)).toEqual(['open', 'open', 'paid'])
  })

  test('that the marketplace sold is not offered before it is delivered, and leaves its holder then', async () => {
    await service.list('live', 'both.com,4000,,\n')
    const holder = await account('holder', ['both.com'])
    expect(await service.list('live', 'both.com,5000,,\n')).toMatchObject({ updated: 1 })
    expect(await offer(holder, 'both.com', 9_000)).toMatchObject({ status: 409 })
    const body = { domains: ['both.com'], params: { price_cents: 1 } }
    const priced = await holder.reader.post('/api/domains/bulk/set_price', body)
    expect(priced.body.results[0]).toMatchObject({ status: 409 })
    const { text } = await (await signIn(service, holder.email)).get('/account')
    expect(text).toContain('both.com')
    expect(text).not.toContain('$50.00')
    const partner = await service.partner({ environment: 'live' })
    const order = await sold(partner, 'both.com')
    const rejected = await offer(holder, 'both.com', 9_000)
    expect(rejected).toMatchObject({ status: 409 })
    expect(rejected.error.message).toContain('It has been sold.')
    await deliver(order.public_id)
    expect(await lock(holder, 'both.com')).toMatchObject({ status: 404 })
  })

  test('that its holder sells is left as it is by an import', async () => {
    const seller = await account('unmoved', ['unmoved.com'])
    await offer(seller, 'unmoved.com', 9_000)
    expect(await service.list('live', 'unmoved.com,5000,,\n')).toMatchObject({ skipped_sold: 1 })
    const { body } = await service.admin('GET', '/listings?environment=live&q=unmoved.com')
    expect(body.listings).toMatchObject([{ price_cents: 9_000, seller_id: seller.userId }])
  })

  test('that its holder has never offered is left as it is by an import', async () => {
    const holder = await account('keeping', ['keeping.com'])
    expect(await service.list('live', 'keeping.com,5000,,\n')).toMatchObject({
      created: 0,
      skipped_sold: 1,
    })
    expect(await offer(holder, 'keeping.com', 9_000)).toMatchObject({ status: 200 })
    // Users hold nothing in the sandbox.
    const tried = await service.list('sandbox', 'keeping.com,5000,,\n')
    expect(tried).toMatchObject({ created: 1 })
  })

  test('may be offered though the one before had withdrawn it', async () => {
    const one = await account('lapsing', ['lapsed.com', 'relisted.com'])
    for (const domain of ['lapsed.com', 'relisted.com']) {
      await offer(one, domain, 5_000, 'Write to me at one@example.com.')
      const body = { domains: [domain], params: {} }
      expect(
        (await one.reader.post('/api/domains/bulk/delist', body)).body.results[0],
      ).toMatchObject({ status: 200 })
    }
    const loaded = await service.list('live', 'relisted.com,7000,,\n')
    expect(loaded).toMatchObject({ skipped_sold: 1 })
    await service.app.db.deleteFrom('owned_domains').where('user_id', '=', one.userId).execute()
    const two = await account('after', ['lapsed.com'])
    expect(await offer(two, 'lapsed.com', 6_000)).toMatchObject({ status: 200 })
    expect(await service.list('live', 'relisted.com,7000,,\n')).toMatchObject({ updated: 1 })
    const [listing] = (await two.reader.get('/api/market/listings?q=relisted.com')).body.items
    expect(listing).toMatchObject({ price_cents: 7_000 })
    // What it sells for is the marketplace's, and nothing of it the earlier holder's.
    const page = await service.send({
      method: 'GET',
      target: '/d/relisted.com',
      headers: { accept: 'text/html' },
    })
    expect(page.text).toContain('$70.00')
    expect(page.text).not.toContain('one@example.com')
    const { body } = await service.admin('GET', '/listings?environment=live&q=relisted.com')
    expect(body.listings).toMatchObject([{ status: 'listed', seller_id: null }])
  })
})

describe('what a disabled user has for sale', () => {
  const disable = async ({ userId }: Account, disabled: boolean) => {
    const response = await service.admin('PUT', `/users/${userId}`, { disabled })
    expect(response.status, response.text).toBe(200)
  }

  test('is sold to nobody, and leaves the market', async () => {
    const seller = await account('barred', ['barred.com', 'linked.com'])
    for (const domain of ['barred.com', 'linked.com']) await offer(seller, domain, 10_000)
    const partner = await service.partner({ environment: 'live' })
    const link = (await partner.post('/checkout-session', { domain: 'linked.com' })).body
    const buyer = new Buyer(service)
    await buyer.visit('/d/barred.com')
    await disable(seller, true)
    await buyer.submit()
    expect(buyer.page.status).toBe(409)
    expect(buyer.page.text).toContain('barred.com is not for sale for the moment.')
    await buyer.visit(link.checkout_url)
    expect(buyer.page.status).toBe(410)
    expect(buyer.page.text).toContain('This checkout is not open')
    const quoted = await partner.post('/quotes', { domain: 'barred.com' })
    expect(quoted.body.error.code).toBe('conflict')
    await expireDomains.run(service.app, new AbortController().signal)
    const detail = await partner.get('/domains/barred.com')
    expect(detail.status).toBe(404)

    await disable(seller, false)
    expect(await offer(seller, 'barred.com', 10_000)).toMatchObject({ status: 200 })
    expect(await buy('barred.com', 'anyone@example.com')).toContain('ord_')
  })

  test('leaves the market although what another offers cannot', async () => {
    const names = ['stuck.com', 'goes-1.com', 'goes-2.com', 'goes-3.com']
    for (const [index, domain] of names.entries()) {
      const seller = await account(`leaving-${index}`, [domain])
      await offer(seller, domain, 10_000)
      await disable(seller, true)
    }
    const { db } = service.app
    await sql`alter table listings add constraint stuck
      check (domain <> 'stuck.com' or status = 'listed') not valid`.execute(db)
    await expireDomains.run(service.app, new AbortController().signal).catch(() => {})
    await sql`alter table listings drop constraint stuck`.execute(db)
    const rows = await db
      .selectFrom('listings')
      .select('status')
      .where('domain', 'in', names)
      .execute()
    expect(rows.map(({ status }) => status).toSorted()).toEqual([
      'delisted',
      'delisted',
      'delisted',
      'listed',
    ])
  })

  test('and has sold is paid out once the account is enabled again', async () => {
    const seller = await account('waiting', ['waiting.com'])
    await offer(seller, 'waiting.com', 70_000)
    await deliver(await buy('waiting.com', 'anyone@example.com'))
    service.clock.advance(31 * DAY)
    const pay = async () => {
      const { payouts } = (await service.admin('POST', '/payouts', { environment: 'live' })).body
      return payouts.find(({ amount_cents }: { amount_cents: number }) => amount_cents === 59_500)
    }
    await disable(seller, true)
    const { payouts } = (await service.admin('GET', '/payouts/preview?environment=live')).body
    expect(payouts).toContainEqual(
      expect.objectContaining({ amount_cents: 59_500, reaches: false, suspended: true }),
    )
    expect(await pay()).toBeUndefined()
    await disable(seller, false)
    const { id, partner_id } = await pay()

    // A payout from before the account was disabled again waits, too.
    const payee = { name: 'W', country: 'DE', iban: 'DE89370400440532013000', currency: 'USD' }
    await service.admin('PUT', `/partners/${partner_id}/payee`, { payee })
    service.clock.advance(4 * DAY)
    const exported = () =>
      service.admin('POST', '/payout-batches', { environment: 'live', format: 'csv' })
    await disable(seller, true)
    expect((await exported()).status).toBe(409)
    await disable(seller, false)
    expect((await exported()).body.file).toContain(id)
  })

  test('is sold to whom it was promised before', async () => {
    const seller = await account('promiser', ['quoted.com', 'begun.com'])
    for (const domain of ['quoted.com', 'begun.com']) await offer(seller, domain, 10_000)
    const partner = await service.partner({ environment: 'live' })
    const held = await quote(partner, 'quoted.com')
    const buyer = new Buyer(service)
    await buyer.pay('/d/begun.com', CARDS.asks)
    await disable(seller, true)
    await expireDomains.run(service.app, new AbortController().signal)
    expect((await partner.post('/orders', orderBody(held))).status).toBe(201)
    await buyer.submit({}, '/confirm')
    expect(buyer.publicId, buyer.page.text).toBeDefined()
  })
})

describe('what is bought here', () => {
  test('waits for an account whose address is confirmed', async () => {
    await service.list(
      'live',
      'domain,price_cents,floor_price_cents,currency\nwaits.com,5000,4000,USD\n',
    )
    const email = 'late@example.com'
    await deliver(await buy('waits.com', email))
    // Meanwhile it is nobody's to be given.
    const other = await account('other-than-late')
    const give = await service.admin('POST', `/users/${other.userId}/domains`, {
      domains: ['waits-not.com', 'waits.com'],
    })
    expect(give.body.error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('waits.com was bought here'),
    })
    expect(await lock(other, 'waits-not.com')).toMatchObject({ status: 404 })
    const wrong = await service.admin('POST', `/users/${other.userId}/domains`, {
      domains: ['waits.com'],
      buyer_email: 'nobody@example.com',
    })
    expect(wrong.status).toBe(409)
    const browser = new Browser(() => service)
    await browser.post('/sign-up', { email, password: PASSWORD })
    // Nor does what arrives while the account is there, and anybody's.
    await service.list('live', 'waits-too.com,5000,,\n')
    await deliver(await buy('waits-too.com', email))
    expect((await browser.get('/account')).text).not.toMatch(/waits(?:-too)?\.com/)
    const mail = await service.app.db
      .selectFrom('mails')
      .select('body')
      .where('recipient', '=', email)
      .where('subject', '=', 'Confirm your address')
      .executeTakeFirstOrThrow()
    const token = /token=(\S+)/.exec(mail.body ?? '')?.[1] ?? ''
    await browser.post('/confirm-email', { token })
    const { text } = await browser.get('/account')
    for (const domain of ['waits.com', 'waits-too.com']) expect(text).toContain(domain)
  })

  test('for an address that was a slip is given to its buyer, for as long as it was bought', async () => {
    const typo = 'slip@exmaple.com'
    await service.list('live', 'slipped.com,5000,,\n')
    await deliver(await buy('slipped.com', typo))
    const { db } = service.app
    const bought = await db
      .selectFrom('promised_domains')
      .selectAll()
      .where('email', '=', typo)
      .executeTakeFirstOrThrow()
    service.clock.advance(3_600_000)
    const buyer = await account('slip')
    const given = await service.admin('POST', `/users/${buyer.userId}/domains`, {
      domains: ['slipped.com'],
      buyer_email: typo.toUpperCase(),
    })
    expect(given).toMatchObject({ status: 200, body: { domain_count: 1, imported: 1 } })
    const { expires_at } = await db
      .selectFrom('owned_domains')
      .selectAll()
      .where('domain', '=', 'slipped.com')
      .where('user_id', '=', buyer.userId)
      .executeTakeFirstOrThrow()
    expect(expires_at).toEqual(bought.expires_at)
    const waiting = db
      .selectFrom('promised_domains')
      .selectAll()
      .where('domain', '=', bought.domain)
    expect(await waiting.execute()).toEqual([])
  })

  test('in the sandbox is nobody’s', async () => {
    const partner = await service.partner()
    const made = (await partner.post('/checkout-session', { domain: 'petpantry.test' })).body
    const user = await account('tester')
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url, undefined, { email: user.email })
    await deliver(buyer.publicId ?? '')
    expect(await lock(user, 'petpantry.test')).toMatchObject({ status: 404 })
  })
})

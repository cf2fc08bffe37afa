import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CARDS } from '../support/buyer.ts'
import { mailsTo } from '../support/market.ts'
import { type Browser, makeUser, signIn } from '../support/oauth.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

const DAY = 86_400_000
/** Can be saved, and is declined when it is charged. */
const DECLINED_LATER = '4000 0000 0000 0341'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** Somebody with names, a card, and a way to renew them. */
async function owner(name: string, domains: string[], card?: string) {
  const email = `${name}@example.com`
  const userId = await makeUser(service, email, domains)
  const browser = await signIn(service, email)
  const reader = await readerWith(email)
  if (card !== undefined) await save(browser, card)
  return { email, userId, browser, reader }
}

/** With a new token of the user. */
async function readerWith(email: string): Promise<Reader> {
  const { token } = (await service.admin('POST', '/user-tokens', { email })).body
  return readerOf(() => service, token)
}

const save = (browser: Browser, card_number: string) =>
  browser.post('/account/payment-method', { card_number, card_expiry: '12/39', card_cvc: '123' })
const renew = (reader: Reader, domains: string[], headers = {}, more = {}) =>
  reader.post('/api/domains/bulk/renew', { domains, params: { years: 1 }, ...more }, headers)

async function expiry(domain: string): Promise<Date | null | undefined> {
  const row = await service.app.db
    .selectFrom('owned_domains')
    .select('expires_at')
    .where('domain', '=', domain)
    .executeTakeFirst()
  return row?.expires_at
}

async function chargesOf(userId: string) {
  return await service.app.db
    .selectFrom('charges')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
}

/** What the ledger says of a user's charges, by account. */
async function ledgerOf(userId: string): Promise<Record<string, number>> {
  const rows = await service.app.db
    .selectFrom('ledger_entries as e')
    .innerJoin('ledger_transactions as t', 't.id', 'e.transaction_id')
    .innerJoin('charges as c', (join) =>
      join.on((row) => row('t.source', 'in', [row.ref('c.id'), row.ref('c.refund_ref')])),
    )
    .select(['e.account', 'e.amount_cents'])
    .where('c.user_id', '=', userId)
    .execute()
  const sums: Record<string, number> = {}
  for (const { account, amount_cents } of rows) sums[account] = (sums[account] ?? 0) + amount_cents
  return sums
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 150; tries++) {
    if (await what()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('it did not come about')
}

describe('a payment method', () => {
  test('is saved, replaced and removed on the account page, and its number is kept nowhere', async () => {
    const { browser, reader, userId } = await owner('card', ['card.com'])
    expect((await browser.get('/account/payment-method')).text).toContain(
      'Test card ending in 4242',
    )
    expect((await save(browser, CARDS.later)).status).toBe(303)
    const page = await browser.get('/account/payment-method')
    expect(page.text).toContain('Test card ending in 0077 pays for your renewals from now on')
    expect((await save(browser, CARDS.declined)).status).toBe(400)
    expect((await save(browser, '1234')).text).toContain('not a card number')
    const rows = await service.app.db
      .selectFrom('payment_methods')
      .selectAll()
      .where('user_id', '=', userId)
      .execute()
    expect(rows.filter(({ status }) => status === 'active')).toMatchObject([
      { label: 'Test card ending in 0077' },
    ])
    expect(JSON.stringify(rows)).not.toContain('4000000000000077')
    await browser.post('/account/payment-method/remove', {})
    expect((await browser.get('/account/payment-method')).text).toContain('Save one to renew')
    for (const more of [{}, { dry_run: true }]) {
      const response = await renew(reader, ['card.com'], {}, more)
      expect(response.body).toMatchObject({
        failed: 1,
        results: [{ domain: 'card.com', status: 402, error: { code: 'payment_failed' } }],
      })
    }
    expect(await chargesOf(userId)).toEqual([])
  })

  test('is nobody else’s to change', async () => {
    const { browser } = await owner('forged', [])
    const form = { card_number: CARDS.later, card_expiry: '12/39', card_cvc: '123' }
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await browser.post('/account/payment-method', form, headers)).status).toBe(403)
    expect((await browser.post('/account/payment-method/remove', {}, headers)).status).toBe(403)
    expect((await browser.get('/account/payment-method')).text).toContain('ending in 4242')
  })
})

describe('the charge of a renewal', () => {
  test('is one for all names, with every cent in the ledger and a receipt', async () => {
    const { reader, userId, email } = await owner('good', ['good-a.com', 'good-b.net'])
    const before = await expiry('good-a.com')
    const response = await renew(reader, ['good-a.com', 'good-b.net', 'not-mine.com'])
    expect(response.body).toMatchObject({ count: 3, succeeded: 2, failed: 1, pending: 0 })
    expect((await expiry('good-a.com'))?.getUTCFullYear()).toBe((before?.getUTCFullYear() ?? 0) + 1)
    const [charge, ...more] = await chargesOf(userId)
    expect(more).toEqual([])
    expect(charge?.status).toBe('succeeded')
    expect(await ledgerOf(userId)).toEqual({
      card_funds: charge?.amount_cents,
      renewals: -(charge?.amount_cents ?? 0),
    })
    expect(await mailsTo(service, email)).toEqual(['Renewed: 2 domains'])
  })

  test.each([
    ['declined', DECLINED_LATER, 'The card was declined.'],
    ['asks', CARDS.asks, 'The bank asks for a confirmation.'],
  ])('that fails leaves the name as it was (%s)', async (name, card, reason) => {
    const domain = `${name}.com`
    const { reader, userId, browser } = await owner(name, [domain], card)
    const before = await expiry(domain)
    const key = { 'idempotency-key': `renew-${name}` }
    const response = await renew(reader, [domain], key)
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ succeeded: 0, failed: 1 })
    expect(response.body.results[0]).toMatchObject({
      status: 402,
      error: { code: 'payment_failed', message: `${reason} It was not renewed.` },
    })
    expect(await expiry(domain)).toEqual(before)
    expect(await ledgerOf(userId)).toEqual({})
    // It took no effect, so the same request tries again with another card.
    await save(browser, CARDS.succeeds)
    expect((await renew(reader, [domain], key)).body.succeeded).toBe(1)
    expect((await renew(reader, [domain], key)).headers['idempotent-replayed']).toBe('true')
    expect((await chargesOf(userId)).map(({ status }) => status)).toEqual(['failed', 'succeeded'])
  })

  test('that takes its time says so, and a repeat learns what became of it', async () => {
    const { reader, userId } = await owner('later', ['later.com'], CARDS.later)
    const before = await expiry('later.com')
    const key = { 'idempotency-key': 'renew-later' }
    const response = await renew(reader, ['later.com'], key)
    expect(response.body).toMatchObject({ succeeded: 0, failed: 0, pending: 1 })
    expect(response.body.results[0]).toEqual({ domain: 'later.com', status: 202 })
    expect(await expiry('later.com')).toEqual(before)
    const second = await renew(reader, ['later.com'])
    expect(second.body.results[0]).toMatchObject({ status: 409, error: { code: 'conflict' } })
    service.clock.advance(5_000)
    await until(async () => (await chargesOf(userId))[0]?.status === 'succeeded')
    expect((await renew(reader, ['later.com'], key)).body.succeeded).toBe(1)
    expect(await chargesOf(userId)).toHaveLength(1)
  })

  test('whose response got lost is found again, and nothing is charged twice', async () => {
    const { reader, userId } = await owner('lost', ['lost.com'])
    const { cards } = service.app.payments.byId('test')
    const charge = vi.spyOn(cards, 'charge').mockRejectedValueOnce(new Error('no answer'))
    const key = { 'idempotency-key': 'renew-lost' }
    const response = await renew(reader, ['lost.com'], key)
    expect(response.body.pending).toBe(1)
    const other = await renew(reader, ['lost.com', 'other.com'], key)
    expect(other.status).toBe(409)
    // The provider had taken it: what it says is what counts.
    const lookUp = vi.spyOn(cards, 'lookUpCharge').mockImplementationOnce(async (known) => ({
      kind: 'succeeded',
      ref: 'found',
      amountCents: known.amount_cents,
      currency: known.currency,
    }))
    service.clock.advance(10_000)
    await until(async () => (await chargesOf(userId))[0]?.status === 'succeeded')
    expect(charge).toHaveBeenCalledTimes(1)
    expect(lookUp).toHaveBeenCalled()
    vi.restoreAllMocks()
    expect((await renew(reader, ['lost.com'], key)).body.succeeded).toBe(1)
    expect(await chargesOf(userId)).toMatchObject([{ provider_ref: 'found' }])
  })

  test('goes back for a name that left its user meanwhile', async () => {
    const { reader, userId, email } = await owner('left', ['left-a.com', 'left-b.com'], CARDS.later)
    await renew(reader, ['left-a.com', 'left-b.com'])
    await service.app.db.deleteFrom('owned_domains').where('domain', '=', 'left-b.com').execute()
    service.clock.advance(5_000)
    await until(async () => (await chargesOf(userId))[0]?.status === 'refunded')
    const [charge] = await chargesOf(userId)
    const half = (charge?.amount_cents ?? 0) / 2
    expect(charge).toMatchObject({ refund_cents: half, refund_ref: `test_refund_${charge?.id}` })
    expect(await ledgerOf(userId)).toEqual({
      card_funds: half,
      renewals: -half,
      buyer_refunds: 0,
    })
    expect(await mailsTo(service, email)).toEqual(['Renewed: left-a.com'])
  })

  test('is made once, however many requests race', async () => {
    const { reader, userId } = await owner('race', ['race.com'])
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => renew(reader, ['race.com'], { 'idempotency-key': 'r' })),
    )
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(await chargesOf(userId)).toHaveLength(1)
  })
})

describe('by itself', () => {
  const autoRenew = (reader: Reader, domains: string[]) =>
    reader.post('/api/domains/bulk/set_auto_renew', { domains, params: { enabled: true } })

  test('a name is renewed a month before it expires, and a card that fails is tried five times', async () => {
    const kept = await owner('auto', ['auto-a.com', 'auto-b.com', 'plain.com'])
    const broken = await owner('broken', ['broken.com'], DECLINED_LATER)
    const cardless = await owner('cardless', ['cardless.com'])
    const barred = await owner('barred', ['barred.com'])
    await cardless.browser.post('/account/payment-method/remove', {})
    for (const { reader, domains } of [
      { reader: kept.reader, domains: ['auto-a.com', 'auto-b.com'] },
      { reader: broken.reader, domains: ['broken.com'] },
      { reader: cardless.reader, domains: ['cardless.com'] },
      { reader: barred.reader, domains: ['barred.com'] },
    ]) {
      expect((await autoRenew(reader, domains)).body.failed).toBe(0)
    }
    const disabled = await service.admin('PUT', `/users/${barred.userId}`, { disabled: true })
    expect(disabled.status).toBe(200)
    const before = await expiry('auto-a.com')
    service.clock.advance(336 * DAY)
    await until(async () => (await chargesOf(kept.userId))[0]?.status === 'succeeded')
    await until(async () => (await mailsTo(service, cardless.email)).length === 1)
    await until(async () => (await mailsTo(service, broken.email)).length === 1)
    expect(await chargesOf(kept.userId)).toHaveLength(1)
    expect((await expiry('auto-a.com'))?.getTime()).toBeGreaterThan(before?.getTime() ?? Infinity)
    expect(await expiry('plain.com')).toEqual(before)
    expect(await mailsTo(service, kept.email)).toEqual(['Renewed: 2 domains'])
    expect(await chargesOf(barred.userId)).toEqual([])
    for (let tries = 2; tries <= 5; tries++) {
      service.clock.advance(5 * DAY + 120_000)
      await until(async () => (await chargesOf(broken.userId)).length === tries)
      await until(async () => (await mailsTo(service, broken.email)).length === tries)
      await until(async () => (await mailsTo(service, cardless.email)).length === tries)
    }
    service.clock.advance(6 * DAY)
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    expect(await chargesOf(broken.userId)).toHaveLength(5)
    expect((await mailsTo(service, cardless.email)).at(-1)).toBe('Not renewed: cardless.com')
    expect(await mailsTo(service, cardless.email)).toHaveLength(5)
  }, 60_000)

  test('names are renewed behind a thousand that cannot be', async () => {
    const { db } = service.app
    const stuck = await owner('stuck', ['stuck.com'])
    const behind = await owner('behind', ['behind.com'])
    for (const [{ reader }, domain] of [
      [stuck, 'stuck.com'] as const,
      [behind, 'behind.com'] as const,
    ]) {
      expect((await autoRenew(reader, [domain])).body.failed).toBe(0)
    }
    await sql`insert into owned_domains select copy.* from owned_domains o, generate_series(1, 1000) as n,
        jsonb_populate_record(o, jsonb_build_object('domain', n || o.domain)) as copy
      where o.domain = 'stuck.com'`.execute(db)
    await sql`create function refuse_renewal() returns trigger language plpgsql as $$
      begin raise exception 'not this one'; end $$`.execute(db)
    await sql`create trigger refuse_renewal before insert on renewals for each row
      when (new.user_id = ${sql.lit(stuck.userId)}) execute function refuse_renewal()`.execute(db)
    service.clock.advance(336 * DAY)
    await until(async () => (await chargesOf(behind.userId))[0]?.status === 'succeeded')
    expect(await chargesOf(stuck.userId)).toEqual([])
    await sql`drop function refuse_renewal cascade`.execute(db)
    await sql`delete from owned_domains where user_id = ${stuck.userId}`.execute(db)
  }, 30_000)
})

test('an expired name leaves the market, can be renewed for a while, and then leaves its owner', async () => {
  const { reader: first, email } = await owner('old', ['old-a.com', 'old-b.com'])
  let reader = first
  const list = (domains: string[]) =>
    reader.post('/api/domains/bulk/list_for_sale', { domains, params: { price_cents: 500 } })
  expect((await list(['old-a.com'])).body.succeeded).toBe(1)
  service.clock.advance(366 * DAY)
  // The token has ended by then.
  reader = await readerWith(email)
  await until(
    async () => (await reader.get('/api/market/listings?q=old-a.com')).body.items.length === 0,
  )
  expect((await list(['old-b.com'])).body.results[0]).toMatchObject({
    status: 409,
    error: { message: 'It has expired. Renew it first.' },
  })
  expect((await renew(reader, ['old-a.com'])).body.succeeded).toBe(1)
  service.clock.advance(60 * DAY)
  await until(async () => (await expiry('old-b.com')) === undefined)
  expect(await expiry('old-a.com')).toBeDefined()
  expect((await mailsTo(service, email)).at(-1)).toBe('Expired: old-b.com')
}, 30_000)

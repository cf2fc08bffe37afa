import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { renewAutomatically } from '../../src/domain/domains/auto-renew.ts'
import { advanceCharges } from '../../src/domain/domains/collect.ts'
import { expireDomains } from '../../src/domain/domains/expire.ts'
import { DAY } from '../../src/lib/clock.ts'
import { beforeNextTransaction } from '../support/before-transaction.ts'
import { Buyer, CARDS } from '../support/buyer.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { mailsTo, must } from '../support/market.ts'
import { makeUser, signIn } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

/** Can be saved, and is declined when it is charged. */
const DECLINED_LATER = '4000 0000 0000 0341'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await holdJobs(service, renewAutomatically, expireDomains, advanceCharges)
})
afterAll(() => service.stop())
afterEach(() => vi.restoreAllMocks())

/** Somebody whose names renew themselves, and end in so many days. */
async function owner(name: string, domains: string[], days: number, card?: string) {
  const email = `${name}@example.com`
  const userId = await makeUser(service, email, domains)
  const { token } = (await service.admin('POST', '/user-tokens', { email })).body
  const reader = readerOf(() => service, token)
  const change = async (op: string, names: string[], params: object) =>
    must(await reader.post(`/api/domains/bulk/${op}`, { domains: names, params }), 200).body
  const save = async (card_number: string) => {
    const browser = await signIn(service, email)
    const form = { card_number, card_expiry: '12/39', card_cvc: '123' }
    must(await browser.post('/account/payment-method', form), 303)
  }
  if (card !== undefined) await save(card)
  expect((await change('set_auto_renew', domains, { enabled: true })).failed).toBe(0)
  await endIn(days, domains)
  return { email, userId, change, save }
}

async function endIn(days: number, domains: string[]): Promise<void> {
  const expires_at = new Date(service.app.clock.now().getTime() + days * DAY)
  await service.app.db
    .updateTable('owned_domains')
    .set({ expires_at })
    .where('domain', 'in', domains)
    .execute()
}

async function daysLeft(domain: string): Promise<number | undefined> {
  const row = await service.app.db
    .selectFrom('owned_domains')
    .select('expires_at')
    .where('domain', '=', domain)
    .executeTakeFirst()
  if (!row?.expires_at) return undefined
  return Math.round((row.expires_at.getTime() - service.app.clock.now().getTime()) / DAY)
}

const chargesOf = (userId: string) =>
  service.app.db
    .selectFrom('charges')
    .select(['status', 'amount_cents'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
const run = (job: typeof renewAutomatically) => job.run(service.app, new AbortController().signal)
const sell = async ({ change }: Awaited<ReturnType<typeof owner>>, domain: string) => {
  const body = await change('list_for_sale', [domain], { price_cents: 10_000 })
  expect(body.succeeded).toBe(1)
  const buyer = new Buyer(service)
  await buyer.pay(`/d/${domain}`)
  expect(buyer.publicId, buyer.page.text).toBeDefined()
}

describe('of names that renew themselves', () => {
  test('each term is renewed by a charge of its own', async () => {
    const { userId, email } = await owner('terms', ['terms.com', 'terms.ai'], 20)
    await run(renewAutomatically)
    expect(await chargesOf(userId)).toHaveLength(2)
    expect(await daysLeft('terms.com')).toBeLessThanOrEqual(20 + 366)
    expect(await daysLeft('terms.ai')).toBeGreaterThanOrEqual(20 + 730)
    expect((await mailsTo(service, email)).toSorted()).toEqual([
      'Renewed: terms.ai',
      'Renewed: terms.com',
    ])
  })

  test('one that cannot be renewed is told of by itself', async () => {
    must(await service.admin('PUT', '/tld-prices/lol/renew', { price_cents: null }), 200)
    const { userId, email } = await owner('partly', ['partly.com', 'partly.lol'], 20)
    await run(renewAutomatically)
    expect(await chargesOf(userId)).toMatchObject([{ status: 'succeeded' }])
    expect((await mailsTo(service, email)).toSorted()).toEqual([
      'Not renewed: partly.lol',
      'Renewed: partly.com',
    ])
    expect(await daysLeft('partly.lol')).toBe(20)
  })

  test('one that is being renewed by hand is left alone, and nobody is told that it is not', async () => {
    const { userId, email, change } = await owner('byhand', ['byhand.com'], 20, CARDS.later)
    expect(await change('renew', ['byhand.com'], { years: 1 })).toMatchObject({ pending: 1 })
    await run(renewAutomatically)
    expect(await chargesOf(userId)).toHaveLength(1)
    expect(await mailsTo(service, email)).toEqual([])
  })

  test.each([
    ['renews by hand', 'by-hand.com', 'renew', { years: 1 }, 1],
    ['lets expire', 'let-go.com', 'set_auto_renew', { enabled: false }, 0],
  ])('one that its owner %s while others are charged is not charged for', async (...values) => {
    const [, domain, op, params, charges] = values
    const { userId, email, change } = await owner(domain.replace('.com', ''), [domain], 20)
    beforeNextTransaction(service, async () => {
      expect(await change(op, [domain], params)).toMatchObject({ succeeded: 1 })
    })
    await run(renewAutomatically)
    expect(await chargesOf(userId)).toHaveLength(charges)
    expect(await mailsTo(service, email)).toHaveLength(charges)
  })

  test('one that is sold waits for its delivery, and is not charged for', async () => {
    const seller = await owner('selling', ['selling.com'], 20)
    await sell(seller, 'selling.com')
    const before = await mailsTo(service, seller.email)
    await run(renewAutomatically)
    expect(await chargesOf(seller.userId)).toEqual([])
    expect(await mailsTo(service, seller.email)).toEqual(before)
  })

  test('one that failed five times in a term is tried again in the next', async () => {
    const { userId, change, save } = await owner('again', ['again.com'], 20, DECLINED_LATER)
    for (let tries = 0; tries < 6; tries++) {
      await run(renewAutomatically)
      service.clock.advance(5 * DAY + 1_000)
    }
    expect(await chargesOf(userId)).toHaveLength(5)
    await save(CARDS.succeeds)
    expect(await change('renew', ['again.com'], { years: 1 })).toMatchObject({ succeeded: 1 })
    await endIn(20, ['again.com'])
    await run(renewAutomatically)
    expect((await chargesOf(userId)).map(({ status }) => status).slice(5)).toEqual([
      'succeeded',
      'succeeded',
    ])
  })
})

describe('a name whose time to be renewed is over', () => {
  test('stays where it is while its buyer waits for it', async () => {
    const seller = await owner('late', ['late.com'], 20)
    await sell(seller, 'late.com')
    await endIn(-100, ['late.com'])
    await run(expireDomains)
    expect(await daysLeft('late.com')).toBe(-100)
  })

  test('stays while its renewal is being paid for', async () => {
    const { change } = await owner('paying', ['paying.com'], 20, CARDS.later)
    expect(await change('renew', ['paying.com'], { years: 1 })).toMatchObject({ pending: 1 })
    await endIn(-100, ['paying.com'])
    await run(expireDomains)
    expect(await daysLeft('paying.com')).toBe(-100)
  })

  test('stays when it was renewed since it was looked at', async () => {
    const { email } = await owner('just', ['just.com', 'over.com'], -100)
    beforeNextTransaction(service, () =>
      sql`update owned_domains set expires_at = expires_at + interval '1 year'
        where domain = 'just.com'`.execute(service.app.db),
    )
    await run(expireDomains)
    expect(await daysLeft('just.com')).toBeGreaterThan(200)
    expect(await daysLeft('over.com')).toBeUndefined()
    expect((await mailsTo(service, email)).at(-1)).toBe('Expired: over.com')
  })
})

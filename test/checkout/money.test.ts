import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertSession, newSession } from '../../src/modules/checkout/create-session.ts'
import { startPayment } from '../../src/modules/checkout/pay.ts'
import { findListing } from '../../src/modules/inventory/listing.ts'
import { HOUSE_PARTNER } from '../../src/modules/partners/partner.ts'
import type { PartnerClient } from '../support/client.ts'
import { ledgerOf, must, offer } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

/** More of them on request; a run on every change is to be short. */
const RUNS = Number(process.env.MONEY_RUNS ?? 15)

let service: TestService
beforeAll(async () => {
  service = await startService({
    settings: { settlementSchedule: 'manual', payoutSchedule: 'manual' },
  })
})
afterAll(() => service.stop())

const step = fc.record({
  who: fc.nat({ max: 1 }),
  what: fc.constantFrom(
    ...([
      'sell',
      'sell',
      'sell',
      'refer',
      'refer',
      'start',
      'complete',
      'refund',
      'refund',
    ] as const),
    ...([
      'cancel',
      'pay out',
      'pay out',
      'paid',
      'paid',
      'fail',
      'undo',
      'process',
      'settle',
    ] as const),
  ),
  which: fc.nat({ max: 9 }),
  price: fc.oneof(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 100_000_000_000 })),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** What happens at the same time, one group after the other. */
const history = fc.record({
  rates: fc.tuple(fc.integer({ min: 0, max: 10_000 }), fc.constantFrom(0, 1, 3_333, 10_000)),
  groups: fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 5, maxLength: 14 }),
})

let names = 0

interface Player {
  client: PartnerClient
  linkId: string
  orders: string[]
}

async function playerAt(bps: number): Promise<Player> {
  const made = must(
    await service.admin('POST', '/partners', {
      name: 'Rated',
      email: 'rated@example.com',
      affiliate: true,
      hosted_checkout_bps: bps,
      referral_bps: bps,
    }),
    201,
  )
  const client = await service.partner({ partner_id: made.body.partner_id })
  const linkId = must(await client.post('/links', { type: 'generic' }), 201).body.id
  return { client, linkId, orders: [] }
}

/** A sale through the test provider; of two buyers on one checkout, one gets the money back. */
async function buy(player: Player, isReferred: boolean, price: number, buyers: number) {
  const { house } = service
  names += 1
  const domain = `paid-${names}.test`
  await offer(service, 'sandbox', [domain], price)
  const listing = await findListing(house.db, 'sandbox', domain)
  const provider = house.payments.of('sandbox')
  if (!listing || !provider) throw new Error('nothing to sell')
  const now = house.clock.now()
  const session = newSession(listing, isReferred ? HOUSE_PARTNER : player.client.partner_id, now)
  session.buyer = { email: 'buyer@example.com', name: null, country: null }
  if (isReferred) Object.assign(session, { link_id: player.linkId, clicked_at: now })
  await house.db.transaction().execute((tx) => insertSession(tx, session))
  const card = { number: '4242424242424242', expiry: '', cvc: '' }
  const pages = { returnUrl: () => '/', cancelUrl: '/' }
  await Promise.all(
    Array.from({ length: buyers }, () => startPayment(house, provider, session, card, pages)),
  )
  const sold = await house.db
    .selectFrom('orders')
    .select('public_id')
    .where('checkout_session_id', '=', session.id)
    .execute()
  expect(sold).toHaveLength(1)
  player.orders.push(sold[0]?.public_id ?? '')
}

async function play({ who, what, which, price }: Step, players: Player[]): Promise<void> {
  const player = players[who] as Player
  if (what === 'sell' || what === 'refer') {
    return await buy(player, what === 'refer', price, which < 3 ? 2 : 1)
  }
  if (what === 'settle') {
    must(await service.admin('POST', '/settlement-runs', { environment: 'sandbox' }), 201)
  } else if (what === 'pay out') {
    must(await service.admin('POST', '/payouts', { environment: 'sandbox' }), 201)
  } else if (what === 'paid' || what === 'fail' || what === 'process' || what === 'undo') {
    const { payouts } = must(await player.client.get('/payouts'), 200).body
    if (payouts.length === 0) return
    const move = what === 'undo' ? 'cancel' : what
    const { id } = payouts[which % payouts.length]
    const { status } = await service.admin('POST', `/payouts/${id}/${move}`, {})
    expect([200, 409]).toContain(status)
  } else if (player.orders.length > 0) {
    const publicId = player.orders[which % player.orders.length]
    const { status } = await service.admin('POST', `/orders/${publicId}/${what}`, {})
    expect([200, 409]).toContain(status)
  }
}

function sum<T>(items: T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0)
}

async function expectBooksInOrder({ client }: Player): Promise<void> {
  const partner = { partnerId: client.partner_id, environment: 'sandbox' } as const
  const ledger = await ledgerOf(service, partner)
  const balance = (account: string) =>
    sum(
      ledger.filter((entry) => entry.account === account),
      (entry) => entry.amount_cents,
    ) + 0
  for (const id of new Set(ledger.map((entry) => entry.id))) {
    const entries = ledger.filter((entry) => entry.id === id)
    expect(sum(entries, (entry) => entry.amount_cents)).toBe(0)
  }

  // The commission account is the sum of its entries, entry by entry.
  const entries: { type: string; sale_id: string; amount_cents: number; balance_cents: number }[] =
    []
  for (let cursor = ''; ; ) {
    const page = must(await client.get(`/me/commissions?${cursor}limit=100`), 200).body
    entries.unshift(...page.entries.toReversed())
    if (page.next_cursor === null) {
      expect(page.balance_cents).toBe(sum(entries, (entry) => entry.amount_cents))
      expect(page.balance_cents).toBe(
        0 - balance('commission_payable') - balance('payouts_pending'),
      )
      break
    }
    cursor = `cursor=${page.next_cursor}&`
  }
  let running = 0
  for (const entry of entries) {
    running += entry.amount_cents
    expect(entry.balance_cents).toBe(running)
  }

  // Payouts are the sums of their lines, what was paid is what left the bank, and no line is paid twice.
  const { payouts, total_paid_cents } = must(await client.get('/payouts?limit=100'), 200).body
  const paidLines: string[] = []
  let pending = 0
  for (const payout of payouts) {
    const { lines } = must(await client.get(`/payouts/${payout.id}`), 200).body
    expect(sum(lines, (line: { amount_cents: number }) => line.amount_cents)).toBe(
      payout.amount_cents,
    )
    expect(payout.amount_cents).toBeGreaterThan(0)
    if (['failed', 'canceled'].includes(payout.status)) continue
    paidLines.push(...lines.map(({ entry_id }: { entry_id: string }) => entry_id))
    if (payout.status !== 'paid') pending += payout.amount_cents
  }
  expect(new Set(paidLines).size).toBe(paidLines.length)
  expect(total_paid_cents).toBe(0 - balance('bank'))
  expect(pending).toBe(0 - balance('payouts_pending'))
  const paidOut = entries.filter(({ type }) => type === 'paid_out')
  expect(0 - sum(paidOut, (entry) => entry.amount_cents)).toBe(total_paid_cents)

  // Sales and commissions agree, and the providers hold what was sold and not taken back.
  const { transactions, totals } = must(await client.get('/transactions?limit=100'), 200).body
  expect(totals).toEqual({
    count: transactions.length,
    gmv_cents: sum(transactions, (sale: { amount_cents: number }) => sale.amount_cents),
    commission_cents: sum(
      transactions,
      (sale: { commission_cents: number }) => sale.commission_cents,
    ),
  })
  expect(totals.commission_cents).toBe(balance('commission_cost'))
  const kept = transactions.filter(
    ({ status }: { status: string }) => !['REFUNDED', 'CANCELLED'].includes(status),
  )
  expect(balance('card_funds')).toBe(
    sum(kept, (sale: { amount_cents: number }) => sale.amount_cents),
  )
  expect(balance('buyer_refunds')).toBe(0)
  const { sales } = must(await client.get('/me/sales?limit=100'), 200).body
  const analytics = must(await client.get('/analytics'), 200).body
  expect(analytics.totals).toMatchObject({
    sales: sales.length,
    gmv_cents: sum(sales, (sale: { amount_cents: number }) => sale.amount_cents),
    commission_cents: sum(sales, (sale: { commission_cents: number }) => sale.commission_cents),
  })
  // The partner collected none of it, so its statements owe nothing.
  const { settlements } = must(await client.get('/settlements?limit=100'), 200).body
  for (const { amount_owed_cents } of settlements) expect(amount_owed_cents).toBe(0)
}

test('after any history, racing or not, every cent is accounted for', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ rates, groups }) => {
      const players = await Promise.all(rates.map(playerAt))
      for (const group of groups) await Promise.all(group.map((one) => play(one, players)))
      for (const player of players) await expectBooksInOrder(player)
      const { rows } = await sql<{ total: number }>`
        select coalesce(sum(amount_cents), 0)::bigint as total from ledger_entries`.execute(
        service.house.db,
      )
      expect(rows).toEqual([{ total: 0 }])
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
}, 900_000)

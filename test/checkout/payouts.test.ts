import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { type CommissionKind, postCommissions } from '../../src/domain/ledger/commissions.ts'
import { monthlyPayouts } from '../../src/domain/payouts/make-payouts.ts'
import { after, DAY } from '../../src/lib/clock.ts'
import { Buyer } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { earned } from '../support/earnings.ts'
import { freshName, ledgerOf, must, refusal } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let client: PartnerClient
beforeAll(async () => {
  service = await startService({
    settings: { payoutThresholdCents: 2_000, commissionHoldDays: 5, fourEyesCents: 50_000 },
  })
  client = await service.partner({ environment: 'live', affiliate: true })
})
afterAll(() => service.stop())

/** Noon of a day of a month from now on; the first test moves to month 1. */
const start = new Date()
function moveTo(month: number, day: number): void {
  const then = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + month, day, 12)
  service.clock.advance(then - service.clock.now().getTime())
}

/** Earns 1,000 cents. */
async function earn(): Promise<void> {
  const domain = await freshName(service, 'live')
  const session = must(await client.post('/checkout-session', { domain }), 201).body
  await new Buyer(service).pay(session.checkout_url)
}

async function payouts(): Promise<number[]> {
  await monthlyPayouts.run(service.app, new AbortController().signal)
  const { payouts: made } = must(await client.get('/payouts'), 200).body
  return made.map(({ amount_cents }: { amount_cents: number }) => amount_cents)
}

test('monthly payouts wait for the month and the threshold, and come once', async () => {
  moveTo(1, 10)
  await earn()
  moveTo(2, 1)
  // Payable, but less than the threshold.
  expect(await payouts()).toEqual([])
  await earn()
  moveTo(2, 20)
  // Payable since the 6th: that is next month's.
  expect(await payouts()).toEqual([])
  moveTo(3, 1)
  expect(await payouts()).toEqual([2_000])
  expect(await payouts()).toEqual([2_000])
  moveTo(4, 1)
  expect(await payouts()).toEqual([2_000])
})

test('monthly payouts are made to all but the partner whose balance fails', async () => {
  const broken = await service.partner({ environment: 'live', affiliate: true })
  const others = [client, await service.partner({ environment: 'live', affiliate: true })]
  const partners = [broken, ...others]
  const now = service.clock.now()
  for (const { partner_id } of partners) {
    await inTransaction(service.app, (tx) =>
      tx.executeQuery(
        postCommissions(tx, now, { partnerId: partner_id, environment: 'live' }, 'USD', [
          {
            type: 'accrued',
            kind: 'sale',
            saleId: `${partner_id} 1`,
            cents: 1_000,
            payableAt: now,
          },
          {
            type: 'accrued',
            kind: 'sale',
            saleId: `${partner_id} 2`,
            cents: 1_000,
            payableAt: now,
          },
        ]),
      ),
    )
  }
  const setLast = (position: number) =>
    service.app.db
      .updateTable('commission_balances')
      .set({ last_position: position })
      .where('partner_id', '=', broken.partner_id)
      .execute()
  // The next entry would have a position that is taken.
  await setLast(1)
  moveTo(5, 1)
  await monthlyPayouts.run(service.app, new AbortController().signal).catch(() => {})
  const made = await Promise.all(
    partners.map(async (partner) => must(await partner.get('/payouts'), 200).body.payouts),
  )
  expect(made.map((payouts) => payouts.length)).toEqual([0, 2, 1])
  await setLast(2)
  expect(await payouts()).toEqual([2_000, 2_000])
  expect(must(await broken.get('/payouts'), 200).body.payouts).toHaveLength(1)
})

test('the balance of a suspended partner is kept, and comes with the next once it is active', async () => {
  const preview = async () => {
    const all = must(await service.admin('GET', '/payouts/preview?environment=live'), 200).body
    return all.payouts.find(
      (balance: { partner_id: string }) => balance.partner_id === client.partner_id,
    )
  }
  const status = (to: string) =>
    service.admin('POST', `/partners/${client.partner_id}/status`, { status: to })
  await earn()
  await earn()
  moveTo(6, 10)
  must(await status('suspended'), 200)
  expect(await preview()).toMatchObject({ amount_cents: 2_000, reaches: false, suspended: true })
  await monthlyPayouts.run(service.app, new AbortController().signal)
  const made = must(await service.admin('POST', '/payouts', { environment: 'live' }), 201).body
  expect(made.payouts).toEqual([])
  must(await status('active'), 200)
  expect(await preview()).toMatchObject({ amount_cents: 2_000, reaches: true, suspended: false })
  expect(await payouts()).toEqual([2_000, 2_000, 2_000])
})

test('a payout that nobody made waits for anybody to approve it', async () => {
  const partner = await service.partner({ environment: 'live' })
  await earned(service, partner, 'live', 60_000)
  moveTo(7, 1)
  await monthlyPayouts.run(service.app, new AbortController().signal)
  const [{ id }] = must(await partner.get('/payouts'), 200).body.payouts
  const rejected = must(await service.admin('POST', `/payouts/${id}/paid`), 409).body.error
  expect(rejected.details.reason).toBe('approval_required')
  expect(rejected.message).toBe(
    'The payout is above FOUR_EYES_CENTS: somebody has to approve it first.',
  )
  must(await service.admin('POST', `/payouts/${id}/approve`), 200)
  must(await service.admin('POST', `/payouts/${id}/paid`), 200)
})

test('a payout that is cancelled is made again with the next month, or by hand', async () => {
  const partner = await service.partner({ environment: 'live' })
  const statuses = async () => {
    await monthlyPayouts.run(service.app, new AbortController().signal)
    const { payouts: made } = must(await partner.get('/payouts'), 200).body
    return made.map(({ status }: { status: string }) => status)
  }
  const move = async (name: string) => {
    const [last] = must(await partner.get('/payouts'), 200).body.payouts
    must(await service.admin('POST', `/payouts/${last.id}/${name}`), 200)
  }
  moveTo(7, 10)
  await earned(service, partner, 'live', 2_000)
  moveTo(8, 1)
  expect(await statuses()).toEqual(['pending'])
  await move('cancel')
  expect(await statuses()).toEqual(['canceled'])
  moveTo(8, 20)
  expect(await statuses()).toEqual(['canceled'])
  const preview = must(await service.admin('GET', '/payouts/preview?environment=live'), 200).body
  expect(preview.payouts).toContainEqual(
    expect.objectContaining({ partner_id: partner.partner_id, amount_cents: 2_000, reaches: true }),
  )
  moveTo(9, 1)
  expect(await statuses()).toEqual(['pending', 'canceled'])
  // What failed is not kept back by anybody.
  await move('fail')
  expect(await statuses()).toEqual(['pending', 'failed', 'canceled'])
  await move('cancel')
  must(await service.admin('POST', '/payouts', { environment: 'live' }), 201)
  expect(await statuses()).toEqual(['pending', 'canceled', 'failed', 'canceled'])
})

test.each([
  [{ commission: -300, brokerage: 200, sale: 150 }, [50]],
  [{ commission: -300, brokerage: 200, sale: 90 }, []],
  [{ commission: 300, brokerage: -200, sale: 150 }, [100, 150]],
])('of %j, what is owed in all is paid', async (balances, paid) => {
  const { partner_id } = await service.partner({ affiliate: true })
  const now = service.clock.now()
  const partner = { partnerId: partner_id, environment: 'sandbox' } as const
  await inTransaction(service.app, (tx) =>
    tx.executeQuery(
      postCommissions(
        tx,
        now,
        partner,
        'USD',
        Object.entries(balances).map(([kind, cents]) => ({
          type: cents > 0 ? 'accrued' : 'reversed',
          kind: kind as CommissionKind,
          saleId: `${partner_id} ${kind}`,
          cents: Math.abs(cents),
          payableAt: now,
        })),
      ),
    ),
  )
  const made = must(await service.admin('POST', '/payouts', { environment: 'sandbox' }), 201).body
  const own = made.payouts.filter(
    (payout: { partner_id: string }) => payout.partner_id === partner_id,
  )
  const amounts = own.map(({ amount_cents }: { amount_cents: number }) => amount_cents)
  expect(amounts.toSorted((a: number, b: number) => a - b)).toEqual(paid)
})

test('what a payout gave back is payable again, however many were made since', async () => {
  const { partner_id } = await service.partner({ affiliate: true })
  const partner = { partnerId: partner_id, environment: 'sandbox' } as const
  const earn = (saleId: string, cents: number, heldDays = 0) => {
    const now = service.clock.now()
    const payableAt = after(now, heldDays * DAY)
    return inTransaction(service.app, (tx) =>
      tx.executeQuery(
        postCommissions(tx, now, partner, 'USD', [
          {
            type: 'accrued',
            kind: 'commission',
            saleId: `${partner_id} ${saleId}`,
            cents,
            payableAt,
          },
        ]),
      ),
    )
  }
  const preview = async (environment = 'sandbox') => {
    const path = `/payouts/preview?environment=${environment}`
    const all = must(await service.admin('GET', path), 200).body
    const own = all.payouts.filter((due: { partner_id: string }) => due.partner_id === partner_id)
    return own.map(({ amount_cents }: { amount_cents: number }) => amount_cents)
  }
  const pay = async () => {
    const made = must(await service.admin('POST', '/payouts', { environment: 'sandbox' }), 201).body
    return made.payouts.find((payout: { partner_id: string }) => payout.partner_id === partner_id)
  }
  await earn('held', 1, 30)
  await earn('first', 10)
  const first = await pay()
  expect(first.amount_cents).toBe(10)
  await earn('second', 100)
  expect((await pay()).amount_cents).toBe(100)
  expect(await preview()).toEqual([])
  service.clock.advance(31 * DAY)
  expect((await pay()).amount_cents).toBe(1)
  must(await service.admin('POST', `/payouts/${first.id}/fail`), 200)
  expect(await preview()).toEqual([10])
  expect(await preview('live')).toEqual([])
  const again = await pay()
  expect(again.amount_cents).toBe(10)
  must(await service.admin('POST', `/payouts/${again.id}/cancel`), 200)
  await earn('third', 1_000)
  expect(await preview()).toEqual([1_010])
  expect((await pay()).amount_cents).toBe(1_010)
  expect(await preview()).toEqual([])
})

describe('a payout', () => {
  const MOVES = ['process', 'paid', 'fail', 'cancel']
  /** A partner of the sandbox who has earned 1,000 cents. */
  async function earner() {
    const partner = await service.partner({ affiliate: true })
    const domain = await freshName(service)
    const session = must(await partner.post('/checkout-session', { domain }), 201).body
    await new Buyer(service).pay(session.checkout_url)
    return partner
  }
  const payAll = async (partner: PartnerClient) => {
    const made = must(await service.admin('POST', '/payouts', { environment: 'sandbox' }), 201).body
    return made.payouts.filter(
      (one: { partner_id: string }) => one.partner_id === partner.partner_id,
    )
  }
  const move = (id: string, name: string) => service.admin('POST', `/payouts/${id}/${name}`, {})

  test.each([
    ['pending', [], []],
    ['processing', ['process'], ['process', 'cancel']],
    ['paid', ['process', 'paid'], MOVES],
    ['failed', ['process', 'fail'], MOVES],
    ['canceled', ['cancel'], MOVES],
  ])('that is %s moves as its state allows, and moves no other', async (status, way, closed) => {
    const [partner, other] = [await earner(), await earner()]
    const [payout] = await payAll(partner)
    for (const name of way) must(await move(payout.id, name), 200)
    for (const name of closed) {
      const response = await move(payout.id, name)
      expect(refusal(response), name).toEqual({ status: 409, code: 'conflict' })
      expect(response.body.error.details).toEqual({ reason: 'not_allowed_now', status })
    }
    expect(must(await partner.get(`/payouts/${payout.id}`), 200).body.status).toBe(status)
    expect(must(await other.get('/payouts'), 200).body.payouts).toMatchObject([
      { status: 'pending', amount_cents: 1_000 },
    ])
    // What did not reach the partner is payable again, and stands in the books once.
    const isBack = status === 'failed' || status === 'canceled'
    const again = await payAll(partner)
    expect(again.map((one: { amount_cents: number }) => one.amount_cents)).toEqual(
      isBack ? [1_000] : [],
    )
    const books = { partnerId: partner.partner_id, environment: 'sandbox' } as const
    const pending = (await ledgerOf(service, books))
      .filter(({ account }) => account === 'payouts_pending')
      .reduce((sum, { amount_cents }) => sum + amount_cents, 0)
    expect(pending).toBe(status === 'paid' ? 0 : -1_000)
  })
})

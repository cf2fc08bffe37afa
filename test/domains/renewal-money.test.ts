import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyChargeUpdate } from '../../src/domain/domains/charge-updates.ts'
import { advanceCharges } from '../../src/domain/domains/collect.ts'
import type { Charge } from '../../src/domain/payments/charge.ts'
import type { DisputeUpdate } from '../../src/domain/payments/dispute.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { must } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

/** More of them on request; a run on every change is to be short. */
const RUNS = Number(process.env.MONEY_RUNS ?? 15)
/** To play the same histories again. */
const SEED = process.env.MONEY_SEED

let service: TestService
beforeAll(async () => {
  service = await startService()
  // The clock's own run of the job would take a charge from the test's, and be on its way when that looks.
  await holdJobs(service, advanceCharges)
})
afterAll(() => service.stop())

/** What is true at the provider in the end; news of it come in any order, and more than once. */
const truth = fc.record({
  /** One of the two names leaves before they are paid, so that its half is owed. */
  loses: fc.boolean(),
  dispute: fc.constantFrom('none', 'asked', 'open', 'won', 'lost', 'turned'),
  /** In percent of the charge, made by an operator. */
  refunds: fc.array(fc.record({ percent: fc.integer({ min: 1, max: 60 }), fails: fc.boolean() }), {
    maxLength: 2,
  }),
  /** Whether the refund of what is owed does not arrive. */
  ownFails: fc.boolean(),
  /** What is heard at the same time, one group after the other: places in the list of all news. */
  order: fc.array(fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
})
type Truth = typeof truth extends fc.Arbitrary<infer T> ? T : never

let count = 0

/** A charge for two names that has not come in yet. */
async function underWay(loses: boolean): Promise<Charge> {
  count += 1
  const email = `owner-${count}@example.com`
  const names = [`kept-${count}.com`, `left-${count}.com`]
  const userId = await makeUser(service, email, names)
  const { db } = service.app
  const later = db.updateTable('payment_methods').set({ method_ref: 'test_later' })
  await later.where('user_id', '=', userId).execute()
  const { token } = (await service.admin('POST', '/user-tokens', { email })).body
  const body = { domains: names, params: { years: 1 } }
  must(await readerOf(() => service, token).post('/api/domains/bulk/renew', body), 200)
  if (loses)
    await db.deleteFrom('owned_domains').where('domain', '=', `left-${count}.com`).execute()
  return await db
    .selectFrom('charges')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
}

/** How a dispute stood while it came to this end. */
function disputeUpdate(charge: Charge, end: Truth['dispute']): DisputeUpdate[] {
  const at = (status: DisputeUpdate['status'], withdrawn: boolean, reinstated: boolean) => ({
    ref: `dp_${charge.id}`,
    amountCents: charge.amount_cents,
    reason: 'fraudulent',
    status,
    withdrawn,
    reinstated,
    dueAt: null,
  })
  const [asked, open] = [at('inquiry', false, false), at('needs_response', true, false)]
  const lost = at('lost', true, false)
  const won = at('won', true, true)
  return {
    none: [],
    asked: [asked],
    open: [asked, open],
    won: [asked, open, won],
    lost: [open, lost],
    turned: [open, lost, won],
  }[end]
}

async function chargeNow({ id }: Charge): Promise<Charge> {
  const { db } = service.app
  return await db.selectFrom('charges').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

async function isBooked(source: string): Promise<boolean> {
  const query = service.app.db.selectFrom('ledger_transactions').select('id')
  return (await query.where('source', '=', source).executeTakeFirst()) !== undefined
}

/** Every account as the ledger has it of this charge, its refunds and its dispute. */
async function books({ id }: Charge, refs: string[]): Promise<Record<string, number>> {
  const { db } = service.app
  const disputes = await db
    .selectFrom('disputes')
    .select('id')
    .where('charge_id', '=', id)
    .execute()
  const rows = await db
    .selectFrom('ledger_entries as e')
    .innerJoin('ledger_transactions as t', 't.id', 'e.transaction_id')
    .select(['e.account', (row) => row.fn.sum<string>('e.amount_cents').as('cents')])
    .where('t.source', 'in', [id, ...refs, ...disputes.map((dispute) => dispute.id)])
    .groupBy('e.account')
    .execute()
  return Object.fromEntries(rows.map(({ account, cents }) => [account, Number(cents)]))
}

test(
  'whatever banks and operators do to renewals, and however it is heard, every cent is accounted for',
  async () => {
    await fc.assert(
      fc.asyncProperty(truth, async ({ loses, dispute, refunds, ownFails, order }) => {
        const { app } = service
        const charge = await underWay(loses)
        const chargeId = charge.id
        const price = charge.amount_cents
        const own = `test_refund_${chargeId}`
        const made = refunds.map(({ percent, fails }, index) => ({
          ref: `re_${chargeId}_${index}`,
          amountCents: Math.floor((price * percent) / 100),
          failure: fails ? 'lost_or_stolen_card' : null,
        }))
        const tick = () => advanceCharges.run(app, new AbortController().signal)
        const hear = [
          ...disputeUpdate(charge, dispute).map(
            (update) => () =>
              applyChargeUpdate(app, { kind: 'dispute', chargeId, dispute: update }),
          ),
          ...made.flatMap((refund) =>
            [{ ...refund, failure: null }, refund].map(
              (one) => () => applyChargeUpdate(app, { kind: 'refund', chargeId, refund: one }),
            ),
          ),
        ]
        for (const group of order) {
          await Promise.all(group.map((place) => (hear[place] ?? tick)()))
          service.clock.advance(4_000)
        }
        for (const update of hear) await update()
        for (let again = 0; again < 4; again++) {
          await tick()
          service.clock.advance(4_000)
        }
        const refund = { ref: own, amountCents: (await chargeNow(charge)).refund_cents }
        const wasSent = await isBooked(own)
        const isLost = wasSent && ownFails
        for (let again = 0; isLost && again < 2; again++) {
          const update = { ...refund, failure: 'expired_or_canceled_card' }
          await applyChargeUpdate(app, { kind: 'refund', chargeId, refund: update })
        }

        const { status, refund_ref, refund_cents } = await chargeNow(charge)
        const owed = loses ? price / 2 : 0
        expect(refund_cents).toBe(owed)
        const isOwed = status === 'refund_due' || status === 'refund_failed'
        const isPaid = status === 'refunded' && refund_ref !== null
        const byBank = status === 'refunded' && refund_ref === null
        // Only a bank that has not decided, or a card that rejected, keeps a refund from being made.
        const hasFailed = made.some((each) => each.failure !== null && each.amountCents >= owed)
        if (isOwed) expect(dispute === 'open' || isLost || hasFailed).toBe(true)
        const isGone = dispute === 'open' || dispute === 'lost'
        const returned =
          made.reduce((sum, each) => sum + (each.failure === null ? each.amountCents : 0), 0) +
          (wasSent && !isLost ? owed : 0)
        const expected = {
          card_funds: price - (isGone ? price : 0) - returned,
          disputed_funds: dispute === 'open' ? price : 0,
          dispute_losses: dispute === 'lost' ? price - (byBank ? owed : 0) : 0,
          buyer_refunds: isOwed ? -owed : 0,
          renewals: owed - price + returned - (isPaid ? owed : 0),
        }
        const found = await books(charge, [own, ...made.map(({ ref }) => ref)])
        for (const [account, cents] of Object.entries(expected)) {
          expect([account, found[account] ?? 0]).toEqual([account, cents + 0])
        }
      }),
      { numRuns: RUNS, endOnFailure: true, ...(SEED !== undefined && { seed: Number(SEED) }) },
    )
  },
  300_000 + RUNS * 2_000,
)

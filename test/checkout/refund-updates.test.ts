import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ApiError } from '../../src/core/errors.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { advancePaymentsJob } from '../../src/domain/checkout/pay.ts'
import { recordRefundUpdate } from '../../src/domain/checkout/refund-payment.ts'
import { refundCents } from '../../src/domain/payments/payment.ts'
import type { RefundOutcome } from '../../src/domain/payments/provider.ts'
import { Buyer } from '../support/buyer.ts'
import { freshName, ledgerOf, must } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

/** More of them on request; a run on every change is to be short. */
const RUNS = Number(process.env.MONEY_RUNS ?? 25)
/** To play the same histories again. */
const SEED = process.env.MONEY_SEED
const PRICE = 10_000
const HOUR = 3_600_000

/** A refund as the provider has it. */
interface Made {
  ref: string
  amountCents: number
  /** Null when an operator made it there. */
  round: number | null
  hasFailed: boolean
}

let service: TestService
let made: Made[] = []
let weather: 'fine' | 'refuses' | 'loses the answer' = 'fine'
let refs = 0

beforeAll(async () => {
  service = await startService()
  const provider = service.app.payments.byId('test')
  provider.refund = async (payment): Promise<RefundOutcome> => {
    // As Stripe does: what a key was used for is responded to again, and no more goes back than was paid.
    const known = made.find(({ round }) => round === payment.refund_round)
    if (!known && weather === 'refuses') {
      return { kind: 'rejected', ref: null, reason: 'insufficient_funds' }
    }
    const amountCents = known?.amountCents ?? payment.refund_cents ?? left()
    if (!known && amountCents > left()) return { kind: 'rejected', ref: null, reason: 'too much' }
    if (!known && amountCents > 0) make(amountCents, payment.refund_round)
    if (weather === 'loses the answer') throw new Error('the connection was lost')
    const arrived = made.filter(({ hasFailed }) => !hasFailed)
    const own = known ?? made.at(-1)
    if (own && amountCents > 0 && amountCents >= refundCents(payment)) {
      return { kind: 'taken', ours: [own], others: [] }
    }
    return {
      kind: 'taken',
      ours: arrived.filter(({ round }) => round !== null),
      others: arrived.filter(({ round }) => round === null),
    }
  }
})
afterAll(() => service.stop())

function make(amountCents: number, round: number | null): void {
  refs += 1
  made.push({ ref: `re_${refs}`, amountCents, round, hasFailed: false })
}

function arrivedCents(): number {
  return made
    .filter(({ hasFailed }) => !hasFailed)
    .reduce((sum, { amountCents }) => sum + amountCents, 0)
}

function left(): number {
  return PRICE - arrivedCents()
}

const step = fc.record({
  what: fc.constantFrom(
    ...(['take back', 'take back', 'by hand', 'by hand', 'fail', 'tell', 'tell', 'tell'] as const),
    ...(['send', 'send', 'retry', 'pay otherwise', 'clear', 'refuse', 'lose answers'] as const),
  ),
  which: fc.nat({ max: 9 }),
  share: fc.constantFrom(0.1, 0.3, 0.5, 1),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** One sale, and what became of it. */
interface Sale {
  partnerId: string
  publicId: string
}

async function paymentOf({ publicId }: Sale) {
  return await service.app.db
    .selectFrom('payments')
    .selectAll()
    .where('public_id', '=', publicId)
    .executeTakeFirstOrThrow()
}

async function play(sale: Sale, { what, which, share }: Step): Promise<void> {
  const { id } = await paymentOf(sale)
  const one = made[which % made.length]
  switch (what) {
    case 'take back':
      await service.admin('POST', `/orders/${sale.publicId}/refund`, {})
      return
    case 'by hand':
      if (left() > 0) make(Math.ceil(left() * share), null)
      return
    case 'fail':
      if (one) one.hasFailed = true
      return
    case 'tell':
      if (one) await tell(id, one)
      return
    case 'send':
      return await send()
    case 'retry':
      await service.admin('POST', `/payments/${id}/refund/retry`, {})
      return
    case 'pay otherwise':
      // Only what is known to have failed: an operator looks at the provider first.
      for (const refund of made) await tell(id, refund)
      await service.admin('POST', `/payments/${id}/refund/paid`, {})
      return
    default:
      weather = ({ clear: 'fine', refuse: 'refuses', 'lose answers': 'loses the answer' } as const)[
        what
      ]
  }
}

async function tell(paymentId: string, { hasFailed, ...refund }: Made): Promise<void> {
  const { app } = service
  const failure = hasFailed ? 'expired_or_canceled_card' : null
  const update = { ...refund, failure, totalCents: arrivedCents() }
  const now = app.clock.now()
  await inTransaction(app, (tx) => recordRefundUpdate({ tx, now, app }, paymentId, update)).catch(
    (error: unknown) => {
      // The provider tells it again.
      if (!(error instanceof ApiError && error.code === 'conflict')) throw error
    },
  )
}

async function send(): Promise<void> {
  service.clock.advance(HOUR)
  await advancePaymentsJob.run(service.app, new AbortController().signal)
}

async function balances({ partnerId }: Sale): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const { account, amount_cents } of await ledgerOf(service, {
    partnerId,
    environment: 'sandbox',
  })) {
    sums[account] = (sums[account] ?? 0) + amount_cents
  }
  return sums
}

test(
  'whatever goes back at the provider, and however it is heard, the books have it',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        made = []
        weather = 'fine'
        const partner = await service.partner({ affiliate: true })
        const domain = await freshName(service, 'sandbox', { priceCents: PRICE })
        const { checkout_url } = must(await partner.post('/checkout-session', { domain }), 201).body
        const buyer = new Buyer(service)
        await buyer.pay(checkout_url)
        const sale = { partnerId: partner.partner_id, publicId: buyer.publicId ?? '' }

        for (const one of steps) await play(sale, one)
        weather = 'fine'
        for (let tries = 0; tries < 4; tries += 1) {
          for (const refund of made) await tell((await paymentOf(sale)).id, refund)
          await send()
        }

        const payment = await paymentOf(sale)
        const { card_funds, buyer_refunds, bank_refunds, goodwill_refunds } = {
          card_funds: 0,
          buyer_refunds: 0,
          bank_refunds: 0,
          goodwill_refunds: 0,
          ...(await balances(sale)),
        }
        expect(card_funds).toBe(PRICE - arrivedCents())
        if (payment.status === 'succeeded') {
          expect(buyer_refunds).toBe(0)
          expect(goodwill_refunds).toBe(arrivedCents())
          return
        }
        expect(['refunded', 'refund_failed']).toContain(payment.status)
        const owed = payment.status === 'refunded' ? 0 : refundCents(payment)
        expect(buyer_refunds).toBe(0 - owed)
        // What the buyer has in all, and is to have, is what was paid, or more only as external refunds.
        expect(arrivedCents() - bank_refunds + owed).toBe(PRICE + goodwill_refunds)
        expect(goodwill_refunds).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: RUNS, endOnFailure: true, ...(SEED !== undefined && { seed: Number(SEED) }) },
    )
  },
  300_000 + RUNS * 2_000,
)

import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Charge } from '../../src/domain/payments/charge.ts'
import type { Payment } from '../../src/domain/payments/payment.ts'
import type { PaymentMethod } from '../../src/domain/payments/payment-method.ts'
import type { Card, Outcome, PaymentProvider } from '../../src/domain/payments/provider.ts'
import {
  createPayments,
  PROVIDER_IDS,
  type ProviderId,
} from '../../src/domain/payments/registry.ts'
import type { SaveOutcome } from '../../src/domain/payments/saved-cards.ts'
import { newId } from '../../src/lib/ids.ts'
import { testClock } from '../support/service.ts'
import { startStripe } from '../support/stripe.ts'

const clock = testClock()
const OUR_PAGES = 'https://market.example'

/** What a buyer does, and what becomes of it. */
type Way = 'succeeds' | 'is declined' | 'asks' | 'takes its time'

/** A driver with the buyers, the bank and the network around it. */
interface Bench {
  provider: PaymentProvider
  /** Starts a payment and has the buyer go this way with it; the outcome so far, with its reference kept. */
  pay(payment: Payment, way: Way): Promise<Outcome>
  /** What was waited for comes about, and the payment succeeds. */
  succeed(payment: Payment): void
  save(method: PaymentMethod, way: 'succeeds' | 'is declined' | 'asks'): Promise<SaveOutcome>
  /** The cardholder confirms on the provider's page. */
  confirm(ref: string): void
  /** The next call takes effect, and its response gets lost; null where no network is between. */
  loseResponse: (() => void) | null
  /** Idempotency keys are forgotten, as after a day. */
  forgetKeys(): void
  /** Somebody gives a part back at the provider itself; null where nobody can. */
  refundByHand: ((payment: Payment, cents: number) => void) | null
  stop(): void
}

const BENCHES: Record<ProviderId, () => Promise<Bench>> = { test: testBench, stripe: stripeBench }

async function testBench(): Promise<Bench> {
  const settings = { paymentProvider: 'test', stripe: undefined, payoutRail: 'file' } as const
  const payments = await createPayments(settings, clock)
  const provider = payments.byId('test')
  const numbers: Record<Way, string> = {
    succeeds: '4242424242424242',
    'is declined': '4000000000000002',
    asks: '4000002500003155',
    'takes its time': '4000000000000077',
  }
  const typed = (number: string): Card => ({ number, expiry: '12/34', cvc: '123' })
  return {
    provider,
    pay: (payment, way) => begin(provider, payment, typed(numbers[way])),
    succeed() {},
    save: (method, way) =>
      provider.cards.save({
        ...pagesOf(method.id),
        method,
        email: 'ann@example.com',
        card: typed(way === 'is declined' ? '4000000000000341' : numbers[way]),
      }),
    confirm() {},
    loseResponse: null,
    forgetKeys() {},
    refundByHand: null,
    stop() {},
  }
}

async function stripeBench(): Promise<Bench> {
  const stripe = await startStripe()
  const settings = {
    paymentProvider: 'stripe',
    stripe: stripe.settings,
    payoutRail: 'file',
  } as const
  const provider = (await createPayments(settings, clock)).byId('stripe')
  function change(payment: Payment, state: object): void {
    const known = stripe.sessionAt(`/pay/${payment.provider_ref}`)
    stripe.sessions.set(known.id, { ...known, ...state })
  }
  const succeed = (payment: Payment) =>
    change(payment, { payment_status: 'paid', status: 'complete' })
  return {
    provider,
    async pay(payment, way) {
      const outcome = await begin(provider, payment, null)
      if (way === 'asks') return outcome
      if (way === 'succeeds') succeed(payment)
      else change(payment, { status: way === 'is declined' ? 'expired' : 'complete' })
      return await provider.lookUp(payment)
    },
    succeed,
    async save(method, way) {
      const request = { method, email: 'ann@example.com', card: null, ...pagesOf(method.id) }
      const outcome = await provider.cards.save(request)
      if (outcome.kind !== 'action_required') throw new Error(`it is ${outcome.kind}`)
      stripe.cards.complete(outcome.ref)
      stripe.cards.bank.declines = way === 'is declined'
      stripe.cards.bank.asks = way === 'asks'
      return await provider.cards.lookUp({ ...method, setup_ref: outcome.ref })
    },
    confirm: (ref) => void stripe.cards.confirm(ref),
    // As often as Stripe's client tries.
    loseResponse: () => stripe.loseNext(3),
    forgetKeys: stripe.forget,
    refundByHand(payment, amount) {
      const { payment_intent } = stripe.sessionAt(`/pay/${payment.provider_ref}`)
      stripe.refunds.push({
        id: `re_${randomUUID()}`,
        status: 'succeeded',
        payment_intent,
        amount,
      })
    },
    stop: stripe.stop,
  }
}

function pagesOf(id: string) {
  return { returnUrl: `${OUR_PAGES}/back/${id}`, cancelUrl: `${OUR_PAGES}/cancel` }
}

async function begin(
  provider: PaymentProvider,
  payment: Payment,
  card: Card | null,
): Promise<Outcome> {
  const request = { payment, domain: 'petpantry.com', buyerEmail: 'ann@example.com', card }
  const outcome = await provider.pay({ ...request, ...pagesOf(payment.id) })
  payment.provider_ref = outcome.ref
  return outcome
}

function paymentOf(provider: PaymentProvider, price: Partial<Payment> = {}): Payment {
  const now = clock.now()
  return {
    id: newId('pay', now),
    session_id: newId('cs', now),
    partner_id: 'marketplace',
    environment: 'live',
    provider: provider.id,
    provider_ref: null,
    tax_cents: 0,
    tax: null,
    amount_cents: 10_000,
    currency: 'USD',
    status: 'started',
    reason: null,
    registrant: null,
    refund_ref: null,
    refund_cents: null,
    public_id: null,
    due_at: null,
    attempts: 0,
    refund_round: 1,
    payment_method_id: null,
    card: null,
    refund_note: null,
    created_at: now,
    updated_at: now,
    ...price,
  }
}

function methodOf(provider: PaymentProvider, saved?: SaveOutcome): PaymentMethod {
  const now = clock.now()
  const refs = saved?.kind === 'saved' ? saved : { customerRef: null, methodRef: null, label: null }
  return {
    id: newId('pm', now),
    user_id: newId('usr', now),
    provider: provider.id,
    status: 'active',
    setup_ref: null,
    customer_ref: refs.customerRef,
    method_ref: refs.methodRef,
    label: refs.label,
    created_at: now,
    updated_at: now,
    forget_due_at: null,
  }
}

function chargeOf(method: PaymentMethod, price: Partial<Charge> = {}): Charge {
  const now = clock.now()
  return {
    id: newId('chg', now),
    user_id: method.user_id,
    payment_method_id: method.id,
    provider: method.provider,
    provider_ref: null,
    amount_cents: 1_200,
    currency: 'USD',
    status: 'started',
    reason: null,
    refund_cents: 0,
    refund_ref: null,
    request_key: null,
    request_fingerprint: null,
    due_at: null,
    attempts: 0,
    manual_capture: false,
    capture_cents: null,
    confirmation_ref: null,
    created_at: now,
    updated_at: now,
    ...price,
  }
}

const total = (parts: { amountCents: number }[]) =>
  parts.reduce((sum, { amountCents }) => sum + amountCents, 0)

describe.each(PROVIDER_IDS)('the driver %s', (id) => {
  let bench: Bench
  let provider: PaymentProvider
  beforeEach(async () => {
    bench = await BENCHES[id]()
    provider = bench.provider
  })
  afterEach(() => bench.stop())

  async function paid(): Promise<Payment> {
    const payment = paymentOf(provider)
    expect((await bench.pay(payment, 'succeeds')).kind).toBe('succeeded')
    return payment
  }

  test('says which it is', () => {
    expect(provider.id).toBe(id)
    expect(provider.label).not.toBe('')
    for (const origin of provider.pageOrigins) expect(new URL(origin).origin).toBe(origin)
    expect(provider.asksForCard || provider.pageOrigins.length > 0).toBe(true)
  })

  test.each([
    ['USD', 10_000],
    ['JPY', 10_000],
    // Stripe counts them otherwise than ISO 4217 does.
    ['ISK', 10_000],
    ['MGA', 10_000],
  ])(
    'takes a payment in %s, and says so as often as it is asked',
    async (currency, amount_cents) => {
      const payment = paymentOf(provider, { currency, amount_cents })
      const outcome = await bench.pay(payment, 'succeeds')
      expect(outcome).toMatchObject({ kind: 'succeeded', amountCents: amount_cents, currency })
      // Which card it was may be said once.
      expect({ ...outcome, ...(await provider.lookUp(payment)) }).toEqual(outcome)
    },
  )

  test('says why a payment was declined', async () => {
    const outcome = await bench.pay(paymentOf(provider), 'is declined')
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/^[A-Z].*\.$/) })
  })

  test('leads to where a payment is confirmed', async () => {
    const payment = paymentOf(provider)
    const outcome = await bench.pay(payment, 'asks')
    if (outcome.kind !== 'action_required') throw new Error(`it is ${outcome.kind}`)
    if (provider.confirmsHere) expect(outcome.url).toBe(pagesOf(payment.id).returnUrl)
    else expect(provider.pageOrigins).toContain(new URL(outcome.url).origin)
    // Whoever pays elsewhere may not come back.
    expect(outcome.dueAt === null).toBe(provider.confirmsHere)
    bench.succeed(payment)
    expect((await provider.lookUp(payment)).kind).toBe('succeeded')
  })

  test('says when to ask again about a payment that takes its time, and how long it may take', async () => {
    const payment = paymentOf(provider)
    const before = clock.now().getTime()
    const outcome = await bench.pay(payment, 'takes its time')
    if (outcome.kind !== 'processing') throw new Error(`it is ${outcome.kind}`)
    expect(outcome.dueAt.getTime()).toBeGreaterThan(before)
    expect(outcome.until.getTime()).toBeGreaterThan(outcome.dueAt.getTime())
    bench.succeed(payment)
    expect((await provider.lookUp(payment)).kind).toBe('succeeded')
  })

  test('gives a payment back, once however often it is asked', async () => {
    const payment = await paid()
    const refund = await provider.refund(payment, [])
    if (refund.kind !== 'taken') throw new Error(refund.reason)
    expect(total(refund.ours)).toBe(payment.amount_cents)
    expect(refund.others).toEqual([])
    expect(await provider.refund(payment, [])).toEqual(refund)
  })

  test('gives a part back where only a part is owed', async () => {
    const refund = await provider.refund({ ...(await paid()), refund_cents: 4_000 }, [])
    expect(refund).toMatchObject({ kind: 'taken', ours: [{ amountCents: 4_000 }] })
  })

  test('sends what a refund by hand has left, and says of both', async (context) => {
    context.skip(bench.refundByHand === null)
    const payment = await paid()
    bench.refundByHand?.(payment, 3_000)
    const refund = await provider.refund(payment, [])
    expect(refund).toMatchObject({
      kind: 'taken',
      ours: [{ amountCents: 7_000 }],
      others: [{ amountCents: 3_000 }],
    })
  })

  test('gives a part back while the sale stands, once by its id, and refunds the rest later', async () => {
    const payment = await paid()
    const part = { id: `gw_${payment.id}`, amountCents: 3_000 }
    const given = await provider.giveBack(payment, part)
    if (given.kind !== 'taken') throw new Error(given.reason)
    expect(await provider.giveBack(payment, part)).toEqual(given)
    const refund = await provider.refund(payment, [{ ref: given.ref, amountCents: 3_000 }])
    expect(refund).toMatchObject({
      kind: 'taken',
      ours: [{ amountCents: 7_000 }],
      others: [{ ref: given.ref, amountCents: 3_000 }],
    })
  })

  test('does nothing twice when a response was lost', async (context) => {
    context.skip(bench.loseResponse === null)
    const payment = paymentOf(provider)
    bench.loseResponse?.()
    await expect(bench.pay(payment, 'succeeds')).rejects.toThrow()
    expect((await bench.pay(payment, 'succeeds')).kind).toBe('succeeded')
    bench.loseResponse?.()
    await expect(provider.refund(payment, [])).rejects.toThrow()
    const refund = await provider.refund(payment, [])
    expect(refund).toMatchObject({ kind: 'taken', ours: [{ amountCents: payment.amount_cents }] })
  })

  test('finds a refund of a part whose response and key are lost', async (context) => {
    context.skip(bench.loseResponse === null)
    const payment = { ...(await paid()), refund_cents: 4_000 }
    bench.loseResponse?.()
    await expect(provider.refund(payment, [])).rejects.toThrow()
    bench.forgetKeys()
    const refund = await provider.refund(payment, [])
    expect(refund).toMatchObject({ kind: 'taken', ours: [{ amountCents: 4_000 }], others: [] })
    const rest = { ...payment, refund_cents: null, refund_round: 2 }
    expect(await provider.refund(rest, [])).toMatchObject({
      ours: expect.arrayContaining([expect.objectContaining({ amountCents: 6_000 })]),
    })
  })

  describe('with a saved card', () => {
    test('charges it, and gives a part back', async () => {
      const method = methodOf(provider, await bench.save(methodOf(provider), 'succeeds'))
      expect(method.label).toContain('4242')
      const charge = chargeOf(method)
      const outcome = await provider.cards.charge({ charge, method, description: 'Renewal' })
      expect(outcome).toMatchObject({ kind: 'succeeded', amountCents: 1_200, currency: 'USD' })
      const made = { ...charge, provider_ref: outcome.ref, refund_cents: 500 }
      expect(await provider.cards.refund(made)).toMatch(/\S/)
    })

    test.each([false, true])(
      'lets its owner confirm what the bank asks about, captured later: %s',
      async (manual_capture) => {
        const method = methodOf(provider, await bench.save(methodOf(provider), 'asks'))
        const charge = chargeOf(method, { manual_capture })
        const asked = await provider.cards.charge({ charge, method, description: 'Renewal' })
        expect(asked).toMatchObject({
          kind: 'confirmation_due',
          reason: expect.stringMatching(/^[A-Z].*\.$/),
        })
        expect(await provider.cards.lookUpConfirmation(charge)).toBeNull()
        const ourPage = `${OUR_PAGES}/renewal`
        let step = await provider.cards.confirm({ charge, method, ourPage })
        if (step.kind === 'elsewhere') {
          expect(provider.pageOrigins).toContain(new URL(step.url).origin)
          const begun = { ...charge, confirmation_ref: step.ref }
          expect(await provider.cards.lookUpConfirmation(begun)).toBeNull()
          bench.confirm(step.ref)
          await provider.cards.endConfirmation(begun)
          expect(await provider.cards.confirm({ charge: begun, method, ourPage })).toEqual(
            await provider.cards.lookUpConfirmation(begun),
          )
          step = (await provider.cards.lookUpConfirmation(begun)) ?? step
        }
        expect(step.kind).toBe(manual_capture ? 'authorized' : 'succeeded')
      },
    )

    test('counts in the minor units of the currency', async () => {
      const method = methodOf(provider, await bench.save(methodOf(provider), 'succeeds'))
      const charge = chargeOf(method, { currency: 'ISK' })
      const outcome = await provider.cards.charge({ charge, method, description: 'Renewal' })
      expect(outcome).toMatchObject({ kind: 'succeeded', amountCents: 1_200, currency: 'ISK' })
    })

    test('says why the bank declined it', async () => {
      const method = methodOf(provider, await bench.save(methodOf(provider), 'is declined'))
      const charge = chargeOf(method)
      const outcome = await provider.cards.charge({ charge, method, description: 'Renewal' })
      expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/\.$/) })
    })

    test('knows nothing of a charge that never arrived', async () => {
      const method = methodOf(provider, await bench.save(methodOf(provider), 'succeeds'))
      expect(await provider.cards.lookUpCharge(chargeOf(method), method)).toBeNull()
    })

    test('finds a charge whose response was lost', async (context) => {
      context.skip(bench.loseResponse === null)
      const method = methodOf(provider, await bench.save(methodOf(provider), 'succeeds'))
      const charge = chargeOf(method)
      bench.loseResponse?.()
      const lost = provider.cards.charge({ charge, method, description: 'Renewal' })
      await expect(lost).rejects.toThrow()
      const found = await provider.cards.lookUpCharge(charge, method)
      expect(found).toMatchObject({ kind: 'succeeded', amountCents: 1_200 })
    })

    test('forgets it, also twice', async () => {
      const method = methodOf(provider, await bench.save(methodOf(provider), 'succeeds'))
      await provider.cards.forget(method)
      await provider.cards.forget(method)
    })
  })
})

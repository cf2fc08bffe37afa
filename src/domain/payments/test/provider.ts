import { after, type Clock, DAY, SECOND } from '../../../lib/clock.ts'
import { type Payment, refundCents } from '../payment.ts'
import type { Card, Outcome, PaymentProvider } from '../provider.ts'
import { createTestCards, testCardLabel } from './cards.ts'

/** How long the card that succeeds later takes. */
const LATER_MS = 3 * SECOND
/** How long it may take, should nobody ask about it in between. */
const LATEST_MS = DAY

/** What each test card does, on any date and with any code (contract, section 8). */
const CARDS = {
  '4242424242424242': 'succeeds',
  '4000000000000002': 'declined',
  '4000002500003155': 'asks',
  '4000000000000077': 'later',
} as const

/** Takes no money: for the sandbox, and for trying the service out. */
export function createTestProvider(clock: Clock): PaymentProvider {
  const succeeded = (payment: Payment): Outcome => ({
    kind: 'succeeded',
    ref: `test_${payment.id}`,
    amountCents: payment.amount_cents,
    currency: payment.currency,
  })
  return {
    id: 'test',
    label: 'Test provider',
    asksForCard: true,
    takesCards: true,
    confirmsHere: true,
    pageOrigins: [],
    webhook: null,
    problems: async () => [],
    cards: createTestCards(clock),
    async pay({ payment, card, returnUrl }) {
      const ref = `test_${payment.id}`
      const known = { card: testCardLabel(card) }
      switch (outcomeOf(card)) {
        case 'succeeds':
          return { ...succeeded(payment), ...known }
        case 'asks':
          return { kind: 'action_required', ref, url: returnUrl, dueAt: null, ...known }
        case 'later':
          return {
            kind: 'processing',
            ref,
            dueAt: after(clock.now(), LATER_MS),
            until: after(clock.now(), LATEST_MS),
            ...known,
          }
        default:
          return { kind: 'failed', ref, reason: 'The card was declined.' }
      }
    },
    // Asked only once the buyer has confirmed, or the time has come.
    lookUp: async (payment) => succeeded(payment),
    // A card takes back no more than was paid by it.
    refund: async (payment, goodwill) => {
      const given = goodwill.reduce((sum, { amountCents }) => sum + amountCents, 0)
      const left = Math.min(refundCents(payment), payment.amount_cents - given)
      const ref = `test_refund_${payment.id}_${payment.refund_round}`
      return {
        kind: 'taken',
        ours: left > 0 ? [{ ref, amountCents: left }] : [],
        others: goodwill,
      }
    },
    giveBack: async (_payment, { id }) => ({ kind: 'taken', ref: `test_${id}` }),
  }
}

function outcomeOf(card: Card | null) {
  const number = card?.number ?? ''
  return Object.hasOwn(CARDS, number) ? CARDS[number as keyof typeof CARDS] : 'declined'
}

import { after, type Clock, SECOND } from '../../../lib/clock.ts'
import type { Card } from '../provider.ts'
import {
  type Chargeable,
  type ChargeOutcome,
  NOT_SAVED,
  type SavedCards,
  type SaveOutcome,
} from '../saved-cards.ts'

const LATER_MS = 3 * SECOND

/** What each test card does when it is charged; one that is not here cannot be saved. */
const CARDS: Record<string, string> = {
  '4242424242424242': 'succeeds',
  // Can be saved, and is declined when charged.
  '4000000000000341': 'declined',
  '4000002500003155': 'asks',
  '4000000000000077': 'later',
}

/** All that is kept of a card. */
export function testCardLabel(card: Card | null): string {
  return `Test card ending in ${(card?.number ?? '').slice(-4)}`
}

/** Saves what a card does, and nothing of the card but its last digits. */
export function saveTestCard(card: Card | null): SaveOutcome {
  const number = card?.number ?? ''
  const behaviour = Object.hasOwn(CARDS, number) ? CARDS[number] : undefined
  if (behaviour === undefined) return { kind: 'failed', reason: 'The card was declined.' }
  return {
    kind: 'saved',
    customerRef: 'test',
    methodRef: `test_${behaviour}`,
    label: testCardLabel(card),
  }
}

export function createTestCards(clock: Clock): SavedCards {
  const succeeded = (charge: Chargeable): ChargeOutcome => {
    const { amount_cents: amountCents, currency, manual_capture } = charge
    const ref = `test_${charge.id}`
    return manual_capture
      ? { kind: 'authorized', ref }
      : { kind: 'succeeded', ref, amountCents, currency }
  }
  return {
    save: async ({ card }) => saveTestCard(card),
    lookUp: async () => NOT_SAVED,
    forget: async () => {},
    async charge({ charge, method }) {
      const ref = `test_${charge.id}`
      switch (method.method_ref) {
        case 'test_succeeds':
          return succeeded(charge)
        case 'test_later':
          return { kind: 'processing', ref, dueAt: after(clock.now(), LATER_MS) }
        case 'test_asks':
          return { kind: 'confirmation_due', ref, reason: 'The bank asks for a confirmation.' }
        default:
          return { kind: 'failed', ref, reason: 'The card was declined.' }
      }
    },
    confirm: async ({ charge }) => succeeded(charge),
    lookUpConfirmation: async () => null,
    endConfirmation: async () => {},
    // One whose response was lost never arrived; one that takes its time succeeds.
    lookUpCharge: async (charge) => (charge.status === 'started' ? null : succeeded(charge)),
    capture: async () => ({ kind: 'captured' }),
    cancel: async () => {},
    refund: async (charge) => `test_refund_${charge.id}`,
  }
}

import type { PlayedProvider } from '../played-provider.ts'
import { saveTestCard } from './cards.ts'

const DISPUTE_STATUS = {
  dispute: 'needs_response',
  'win-dispute': 'won',
  'lose-dispute': 'lost',
} as const

export const playedTestProvider: PlayedProvider = {
  trialCard: saveTestCard({ number: '4242424242424242', expiry: '12/99', cvc: '123' }),
  failedRefund: 'expired_or_canceled_card',
  dispute: ({ id, amount_cents }, play) => ({
    ref: `test_dispute_${id}`,
    amountCents: amount_cents,
    reason: 'fraudulent',
    status: DISPUTE_STATUS[play],
    withdrawn: true,
    reinstated: play === 'win-dispute',
    dueAt: null,
  }),
}

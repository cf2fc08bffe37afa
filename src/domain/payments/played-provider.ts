import type { DisputeUpdate } from './dispute.ts'
import type { Payment } from './payment.ts'
import type { SaveOutcome } from './saved-cards.ts'

/** What an operator can have a bank do over a payment. */
export const DISPUTE_PLAYS = ['dispute', 'win-dispute', 'lose-dispute'] as const
type DisputePlay = (typeof DISPUTE_PLAYS)[number]

/** What stands for cards and banks behind a provider without real money. It reaches no network, so writes may use it. */
export interface PlayedProvider {
  /** What an account is given that an operator opens, so that everything can be tried at once. */
  trialCard: SaveOutcome
  /** What the bank tells of a payment. */
  dispute(payment: Payment, play: DisputePlay): DisputeUpdate
  /** Why a refund that had been taken did not reach the card. */
  failedRefund: string
}

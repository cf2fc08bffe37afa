import type { IncomingHttpHeaders } from 'node:http'
import type { RailUpdate } from '../payees/payout-rail.ts'
import type { DisputeUpdate } from './dispute.ts'
import type { Payment } from './payment.ts'
import type { ProviderId } from './registry.ts'
import type { SavedCards } from './saved-cards.ts'

/** What a provider throws where it will never take a payment like this; the message is the provider's, for operators. */
export class PaymentRejected extends Error {}

/** A card as the buyer typed it on our page. It is never stored and never logged. */
export interface Card {
  number: string
  expiry: string
  cvc: string
}

interface PaymentRequest {
  payment: Payment
  domain: string
  buyerEmail: string
  /** Where the buyer comes back to from a page of the provider's; where our page asks for a confirmation, that page. */
  returnUrl: string
  cancelUrl: string
  /** Null when the provider asks for it on its own page. */
  card: Card | null
}

/** The brand and last digits of the card, for its owner to know it by; absent where they are not known. */
interface Paying {
  card?: string | undefined
}

/** What became of a payment, in the words of no provider. */
export type Outcome =
  | ({ kind: 'succeeded'; ref: string; amountCents: number; currency: string } & Paying)
  | { kind: 'failed'; ref: string | null; reason: string }
  /** The buyer has to go there first. It is asked about at `dueAt`, whether they come back or not; null: only then. */
  | ({ kind: 'action_required'; ref: string; url: string; dueAt: Date | null } & Paying)
  /** It will succeed or fail later, by `until` at the latest; it is asked about again at `dueAt`. */
  | ({ kind: 'processing'; ref: string; dueAt: Date; until: Date } & Paying)

/** What an outcome says of the card; what was known of it before stays, where it does not say. */
export function cardOf({ card }: Paying): { card?: string } {
  return card === undefined ? {} : { card }
}

/** What a provider says to a refund. A rejection is final; what may pass is thrown. */
export type RefundOutcome =
  /**
   * By what refunds it went back. Where this one did not have to send all of it, those are our earlier ones, too, and
   * what others made at the provider itself.
   */
  | { kind: 'taken'; ours: RefundPart[]; others: RefundPart[] }
  | { kind: 'rejected'; ref: string | null; reason: string }

/** What is heard of a payment long after it came in. */
export type LateUpdate =
  | { kind: 'refund'; paymentId: string; refund: PaymentRefundUpdate }
  | { kind: 'dispute'; paymentId: string; dispute: DisputeUpdate }
  /** The provider or the bank takes it for fraud, or looks into it: the domain should not leave yet. */
  | { kind: 'suspect'; paymentId: string; reason: 'fraud_warning' | 'payment_review' }

/** What is heard of a charge long after it was made. */
export type ChargeUpdate =
  | { kind: 'refund'; chargeId: string; refund: RefundUpdate }
  | { kind: 'dispute'; chargeId: string; dispute: DisputeUpdate }
  /** Its cardholder has confirmed it. */
  | { kind: 'confirmed'; chargeId: string }

export interface RefundPart {
  ref: string
  amountCents: number
}

/** A part of a payment or charge, or all of it, went back: because we asked, or an operator did at the provider. */
export interface RefundUpdate extends RefundPart {
  /** Why it did not reach the card; null as long as nothing is wrong. */
  failure: string | null
}

/** The same of a payment, whose refund is all of what is owed or the whole of it. */
export interface PaymentRefundUpdate extends RefundUpdate {
  /** Which of our refunds it is; null when somebody made it at the provider itself. */
  round: number | null
  /** What of the payment has gone back in all. */
  totalCents: number
}

/** What a provider's webhook says. */
export type WebhookUpdate =
  | { paymentId: string; outcome: Outcome }
  | { late: LateUpdate }
  | { charge: ChargeUpdate }
  | { rail: RailUpdate }

/** What a provider sends to `POST /webhooks/{id}` of its own accord. */
export interface PaymentWebhook {
  /** The setting with the secret of its signatures. */
  secretSetting: string
  /**
   * A webhook to be read, which may call the provider; null when its signature is false. What says nothing of
   * a payment of ours reads as null.
   */
  open(
    body: Uint8Array,
    headers: IncomingHttpHeaders,
  ): { read(): Promise<WebhookUpdate | null> } | null
  /** Whether the provider did not respond, or not as it should: it is to send the webhook again. */
  mayPass(error: unknown): boolean
}

/**
 * A payment provider, which takes money from cards. What its callers need to know of it, it says here: nothing
 * outside its driver asks which one it is. Amounts are in minor units of ISO 4217, whatever the provider counts
 * in. Every call may be repeated with the same effect.
 */
export interface PaymentProvider {
  id: ProviderId
  /** Its name, for people. */
  label: string
  /** Whether our page asks for the card; else the provider's own does. */
  asksForCard: boolean
  /** Whether buyers can pay by card, among other ways or alone. */
  takesCards: boolean
  /** Whether buyers confirm a payment on our page when the bank asks; else at the URL of the outcome. */
  confirmsHere: boolean
  /** The origins of its own pages, to which our forms may lead. */
  pageOrigins: readonly string[]
  /** Null when it only ever says what it is asked. */
  webhook: PaymentWebhook | null
  /** Cards that users save, and that are charged when they are not there. */
  cards: SavedCards
  /** What is wrong with how it is set up at its own side, in words for the operator; asked at start. */
  problems(baseUrl: string): Promise<string[]>
  /** Throws `PaymentRejected` for what it will never take; what else is thrown may pass. */
  pay(request: PaymentRequest): Promise<Outcome>
  /** How a payment stands that was begun earlier. */
  lookUp(payment: Payment): Promise<Outcome>
  /**
   * Gives back what is owed, or what is left of it. It may still fail to arrive.
   *
   * @param goodwill what was given back of it before, beside what is owed
   */
  refund(payment: Payment, goodwill: RefundPart[]): Promise<RefundOutcome>
  /** Gives back a part of a payment that stands; by the same id it is given once. A rejection is final. */
  giveBack(
    payment: Payment,
    part: { id: string; amountCents: number },
  ): Promise<{ kind: 'taken'; ref: string } | { kind: 'rejected'; reason: string }>
}

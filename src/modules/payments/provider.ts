import type { DisputeNews } from './dispute.ts'
import type { Payment, ProviderName } from './payment.ts'
import type { SavedCards } from './saved-cards.ts'

/** A card as the buyer typed it. Only the test provider sees one; it is never stored and never logged. */
export interface Card {
  number: string
  expiry: string
  cvc: string
}

interface PaymentRequest {
  payment: Payment
  domain: string
  buyerEmail: string
  /** Where the buyer comes back to from a page of the provider's. */
  returnUrl: string
  cancelUrl: string
  /** Null when the provider asks for it on its own page. */
  card: Card | null
}

/** What became of a payment, in the words of no provider. */
export type Outcome =
  | { kind: 'succeeded'; ref: string; amountCents: number; currency: string }
  | { kind: 'failed'; ref: string | null; reason: string }
  /** The buyer has to go there first. */
  | { kind: 'action_required'; ref: string; url: string }
  /** It will succeed or fail later; it is asked about again then. */
  | { kind: 'processing'; ref: string; dueAt: Date }

/** What a provider says to a refund. A refusal is its last word; what may pass is thrown. */
export type RefundOutcome =
  /**
   * By what refunds it went back. Where this one did not have to send all of it, those are our earlier ones, too, and
   * what others made at the provider itself.
   */
  | { kind: 'taken'; ours: RefundPart[]; others: RefundPart[] }
  | { kind: 'refused'; ref: string | null; reason: string }

/** What is heard of a payment long after it came in. */
export type LateNews =
  | { kind: 'refund'; paymentId: string; refund: PaymentRefundNews }
  | { kind: 'dispute'; paymentId: string; dispute: DisputeNews }

/** What is heard of a charge long after it was made. */
export type ChargeNews =
  | { kind: 'refund'; chargeId: string; refund: RefundNews }
  | { kind: 'dispute'; chargeId: string; dispute: DisputeNews }

export interface RefundPart {
  ref: string
  amountCents: number
}

/** A part of a payment or charge, or all of it, went back: because we asked, or an operator did at the provider. */
export interface RefundNews extends RefundPart {
  /** Why it did not reach the card; null as long as nothing is wrong. */
  failure: string | null
}

/** The same of a payment, whose refund is all of what is owed or the whole of it. */
export interface PaymentRefundNews extends RefundNews {
  /** Which of our refunds it is; null when somebody made it at the provider itself. */
  round: number | null
  /** What of the payment has gone back in all. */
  totalCents: number
}

/** Whoever takes money from cards. Everything may be repeated with the same effect. */
export interface PaymentProvider {
  name: ProviderName
  /** Whether our page asks for the card; else the provider's own does. */
  asksForCard: boolean
  /** Cards that users save, and that are charged when they are not there. */
  cards: SavedCards
  pay(request: PaymentRequest): Promise<Outcome>
  /** How a payment stands that was begun earlier. */
  lookUp(payment: Payment): Promise<Outcome>
  /** Gives back what is owed, or what is left of it. It may still fail to arrive. */
  refund(payment: Payment): Promise<RefundOutcome>
}

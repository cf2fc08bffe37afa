import type { Payment, ProviderName } from './payment.ts'

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

/** Whoever takes money from cards. Everything may be repeated with the same effect. */
export interface PaymentProvider {
  name: ProviderName
  /** Whether our page asks for the card; else the provider's own does. */
  asksForCard: boolean
  pay(request: PaymentRequest): Promise<Outcome>
  /** How a payment stands that was begun earlier. */
  lookUp(payment: Payment): Promise<Outcome>
  /** Gives the whole amount back, and answers what the provider calls the refund. */
  refund(payment: Payment): Promise<string>
}

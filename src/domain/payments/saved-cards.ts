import type { Charge } from './charge.ts'
import type { PaymentMethod } from './payment-method.ts'
import type { Card, Outcome } from './provider.ts'

/** What became of saving a card. */
export type SaveOutcome =
  | { kind: 'saved'; customerRef: string; methodRef: string; label: string }
  | { kind: 'failed'; reason: string }
  /** Its owner has to go there first. */
  | { kind: 'action_required'; ref: string; url: string }

export const NOT_SAVED: SaveOutcome = { kind: 'failed', reason: 'The card was not saved.' }

/** A charge is made without its owner, so nobody can be asked for anything; and it holds no name. */
export type ChargeOutcome =
  | Exclude<Outcome, { kind: 'action_required' | 'processing' }>
  | { kind: 'processing'; ref: string; dueAt: Date }
  /** Of a charge that is captured later: the bank holds the money for seven days. */
  | { kind: 'authorized'; ref: string }
  /** The bank wants to hear it from the cardholder. */
  | { kind: 'confirmation_due'; ref: string | null; reason: string }

/** What became of taking what was authorized. */
export type CaptureOutcome = { kind: 'captured' } | { kind: 'failed'; reason: string }

/** What a saved card is charged for: renewals, or a purchase, whose payments are charges of their own. */
export type Chargeable = Pick<
  Charge,
  'id' | 'amount_cents' | 'currency' | 'manual_capture' | 'provider_ref' | 'created_at'
> & { status: string }

/** Keeps cards for later. Every call may be repeated with the same effect. */
export interface SavedCards {
  /** Saves what was typed, or says where it is to be typed. */
  save(request: {
    method: PaymentMethod
    email: string
    card: Card | null
    returnUrl: string
    cancelUrl: string
  }): Promise<SaveOutcome>
  /** How saving stands that was begun earlier. */
  lookUp(method: PaymentMethod): Promise<SaveOutcome>
  /** From then on the card cannot be charged. */
  forget(method: PaymentMethod): Promise<void>
  /** Charges the card, or authorizes it where the charge is captured later. */
  charge(request: {
    charge: Chargeable
    method: PaymentMethod
    description: string
  }): Promise<ChargeOutcome>
  /**
   * The cardholder confirms a charge: on the provider's page, or by asking for it here. Only one such page can be paid on at
   * any time.
   *
   * @param request.ourPage where the page leads back to
   */
  confirm(request: {
    charge: Charge
    method: PaymentMethod
    ourPage: string
  }): Promise<ChargeOutcome | { kind: 'elsewhere'; ref: string; url: string }>
  /** How a confirmation stands; null while nobody has confirmed. */
  lookUpConfirmation(charge: Charge): Promise<ChargeOutcome | null>
  /** From then on the charge cannot be confirmed. */
  endConfirmation(charge: Charge): Promise<void>
  /** How a charge stands whose response got lost or that takes its time; null when it never arrived. */
  lookUpCharge(charge: Chargeable, method: PaymentMethod): Promise<ChargeOutcome | null>
  /** Takes `capture_cents` of what was authorized; the bank releases the rest. */
  capture(charge: Charge): Promise<CaptureOutcome>
  /** Releases all of what was authorized. */
  cancel(charge: Charge): Promise<void>
  /** Gives `refund_cents` of it back, and returns what the provider calls the refund. */
  refund(charge: Charge): Promise<string>
}

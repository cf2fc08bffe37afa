/**
 * Why a `conflict` is one, which `details.reason` says: what happened, and what to do about it. The list is
 * closed; the OpenAPI documents publish it (contract, section 2).
 */
export const CONFLICT_REASONS = {
  key_reused:
    'The Idempotency-Key was used with another body, or its stored response cannot be read any more. Use a new key for a new request.',
  key_in_progress:
    'The first request with this Idempotency-Key is still running. Repeat it after `Retry-After`.',
  domain_sold: 'The domain has been sold. Choose another.',
  domain_reserved:
    'Somebody else has the domain reserved. Try again once the reservation has lapsed.',
  domain_not_for_sale: 'The domain is not on the market. List it first, or choose another.',
  offers_closed: 'The seller takes no offers for the domain. Buy it at its price instead.',
  quote_used: 'An order has used the quote. Read the order, or take a new quote.',
  quote_released: 'The quote was released. Take a new one.',
  quote_limit: 'Too many of your quotes run at once. Release one, or let one lapse.',
  payment_ref_used:
    'An order with this `external_payment_ref` exists. `details.public_id` names it.',
  not_allowed_now:
    'The state does not allow this; `details.status` is the state. Read the object again and choose what its state allows.',
  not_applicable: 'This never applies to an object of this kind. The message says what does.',
  changed_meanwhile: 'Something changed after you looked. Look again, then decide.',
  already_exists: 'It exists already. Use the one that there is.',
  owned_by_other: 'It belongs to somebody else. Ask them or an operator.',
  limit_reached: 'As many as are allowed are there. Remove one, or wait until one ends.',
  above_budget: 'The price is above the buyer’s budget. Raise the budget or confirm the consent.',
  active_site: 'The domain runs a website, so it cannot be brokered.',
  already_in_case: 'A brokerage case for the domain is running. Wait for its end.',
  listed_for_sale: 'The domain is for sale on the marketplace, so it is bought and not brokered.',
  blocked: 'An operator has blocked the domain: nobody may list it. Ask the operator why.',
  frozen: 'An operator has frozen the listing. It is for sale again once the operator lifts it.',
  ownership_not_verified:
    'Nothing proves yet that the domain is its seller’s. Prove it with a claim, then try again.',
  not_transferable:
    'By its registry the domain cannot be handed over now; the message says why. Choose another, or wait.',
  approval_required:
    'It needs the approval of a second operator. Ask somebody else than who made it.',
  registrar_not_connected:
    'No registrar connection can do this for the domain. Do it where the domain is registered.',
} as const
export type ConflictReason = keyof typeof CONFLICT_REASONS

/** What `details.reason` says of errors that are no conflicts; published with the others. */
export const OTHER_REASONS = {
  affiliate_not_linked: 'The partner has no affiliate account. Ask an operator to link one.',
  mandate_exceeded:
    'The purchase is beyond what the user lets the app spend; `details` has what is left. Choose a cheaper domain, or ask the user to allow more.',
  price_changed:
    'The price is not the one that was confirmed; `details.current_price_cents` is the price now. Start again without `confirm`.',
  no_saved_card:
    'The user has no saved card. Have them save one at `details.card_url`, or pay by `create_checkout`.',
  declined: 'The card was declined. Have the user pay with another by `create_checkout`.',
  authentication_required:
    'The bank asks for the cardholder. Have the user pay at the link of `create_checkout`.',
} as const
export type OtherReason = keyof typeof OTHER_REASONS

export const ORDER_EVENTS = [
  'order.recorded',
  'order.paid',
  'order.manual_review_cleared',
  'order.transfer_started',
  'order.transfer_completed',
  'order.settled',
  'order.refunded',
] as const
/** A transfer's troubles, which carry their reason. */
export const TRANSFER_EVENTS = ['transfer.failed', 'transfer.action_required'] as const
/** How far a transfer is, which carry it. */
export const TRANSFER_STEPS = [
  'transfer.code_available',
  'transfer.submitted',
  'transfer.stalled',
] as const
export const CASE_EVENT = 'brokerage.case_completed'

/** What became of an offer for a domain that is for sale. */
export const OFFER_EVENTS = [
  'offer.created',
  'offer.countered',
  'offer.accepted',
  'offer.declined',
  'offer.expired',
  'offer.withdrawn',
] as const
export type OfferEvent = (typeof OFFER_EVENTS)[number]

/** What became of a listing that the partner has asked about. */
export const LISTING_EVENTS = ['listing.changed', 'listing.withdrawn', 'listing.sold'] as const

/** Everything that the history shows. */
export const HISTORY_EVENTS = [
  ...ORDER_EVENTS,
  ...TRANSFER_EVENTS,
  ...TRANSFER_STEPS,
  CASE_EVENT,
  ...LISTING_EVENTS,
  ...OFFER_EVENTS,
] as const
export type HistoryEvent = (typeof HISTORY_EVENTS)[number]

/** Sent on request to try an endpoint out. It reports no change, so the history does not show it. */
export const TEST_EVENT = 'webhook.test'

export type EventType = HistoryEvent | typeof TEST_EVENT

export const REPLAY_STATUSES = ['running', 'done', 'cancelled'] as const
export type ReplayStatus = (typeof REPLAY_STATUSES)[number]

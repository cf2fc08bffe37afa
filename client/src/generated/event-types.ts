// Made by `npm run client-types` from the OpenAPI documents of the service.

/** Everything that the history tells of. */
export const EVENT_TYPES: readonly string[] = [
  'order.recorded',
  'order.paid',
  'order.manual_review_cleared',
  'order.transfer_started',
  'order.transfer_completed',
  'order.settled',
  'order.refunded',
  'transfer.failed',
  'transfer.action_required',
  'transfer.code_available',
  'transfer.submitted',
  'transfer.stalled',
  'brokerage.case_completed',
  'listing.changed',
  'listing.withdrawn',
  'listing.sold',
  'offer.created',
  'offer.countered',
  'offer.accepted',
  'offer.declined',
  'offer.expired',
  'offer.withdrawn',
]

/** What the operations of the partner API are about; each belongs to one. */
export const PARTNER_TAGS = {
  Search: 'Find domains that are for sale, and their prices.',
  Quotes: 'Reserve a domain at a firm price for ten minutes.',
  Orders: 'Record sales whose payment you collected, follow their transfers, and refund them.',
  Offers: 'Offer less than the price for a domain, and negotiate with its seller.',
  Checkout: 'Send buyers to a hosted checkout, and earn a commission.',
  Brokerage: 'Have a broker negotiate for a domain that is not for sale.',
  Settlements: 'Statements of what you owe, your transactions, and payouts of what you earned.',
  Referral: 'Tracked links for affiliates, and the clicks, sales and commissions they bring.',
  Events: 'Webhooks, their deliveries, and the history of events.',
  Sandbox: 'Play the operator, and let time pass, in your sandbox.',
} as const
export type PartnerTag = keyof typeof PARTNER_TAGS

export type PartnerStatus = 'active' | 'suspended'
export type CredentialStatus = 'active' | 'revoked'

export const LIVE_REQUEST_STATUSES = ['pending', 'approved', 'declined'] as const
export type LiveRequestStatus = (typeof LIVE_REQUEST_STATUSES)[number]

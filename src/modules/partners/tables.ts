import type { Environment, Scope } from '../../kernel/operation.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    partners: {
      id: string
      /** Of a payee: the user who is paid for domains that they sold. */
      user_id: string | null
      name: string
      email: string
      status: PartnerStatus
      live_approved_at: Date | null
      partner_collected_bps: number
      brokerage_bps: number
      hosted_checkout_bps: number
      referral_bps: number
      created_at: Date
    }
    affiliates: { id: string; partner_id: string; created_at: Date }
    credentials: {
      key_id: string
      partner_id: string
      environment: Environment
      scopes: Scope[]
      secret_sealed: Uint8Array
      previous_secret_sealed: Uint8Array | null
      previous_secret_expires_at: Date | null
      status: CredentialStatus
      revision: number
      created_at: Date
      revoked_at: Date | null
      last_used_at: Date | null
    }
    live_requests: {
      id: string
      partner_id: string
      status: LiveRequestStatus
      use_case: string
      website: string | null
      requested_by: string
      reason: string | null
      created_at: Date
      decided_at: Date | null
    }
  }
}

export type PartnerStatus = 'active' | 'suspended'
export type CredentialStatus = 'active' | 'revoked'

export const LIVE_REQUEST_STATUSES = ['pending', 'approved', 'declined'] as const
type LiveRequestStatus = (typeof LIVE_REQUEST_STATUSES)[number]

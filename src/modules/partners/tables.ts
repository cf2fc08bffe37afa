import type { Environment, Scope } from '../../kernel/operation.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    partners: {
      id: string
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
  }
}

export type PartnerStatus = 'active' | 'suspended'
export type CredentialStatus = 'active' | 'revoked'

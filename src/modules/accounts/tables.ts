declare module '../../kernel/schema.ts' {
  interface Schema {
    users: {
      id: string
      /** In lower case. */
      email: string
      email_confirmed_at: Date | null
      password_hash: string
      is_operator: boolean
      partner_id: string | null
      affiliate_id: string | null
      created_at: Date
      disabled_at: Date | null
    }
    sessions: {
      id: string
      token_hash: Uint8Array
      user_id: string
      user_agent: string
      address: string
      created_at: Date
      last_seen_at: Date
      expires_at: Date
    }
    personal_tokens: {
      id: string
      token_hash: Uint8Array
      user_id: string
      label: string
      created_at: Date
      last_used_at: Date | null
    }
    mailed_links: {
      token_hash: Uint8Array
      user_id: string
      purpose: LinkPurpose
      expires_at: Date
    }
    partner_invitations: {
      id: string
      partner_id: string
      /** In lower case. */
      email: string
      token_hash: Uint8Array
      invited_by: string
      created_at: Date
      expires_at: Date
      /** When it was accepted or withdrawn. */
      ended_at: Date | null
    }
  }
}

export type LinkPurpose = 'reset_password' | 'confirm_email'

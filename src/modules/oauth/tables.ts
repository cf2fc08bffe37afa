declare module '../../kernel/schema.ts' {
  interface Schema {
    oauth_clients: {
      client_id: string
      kind: 'registered' | 'document'
      name: string
      redirect_uris: string[]
      created_at: Date
      last_used_at: Date
      fresh_until: Date | null
    }
    oauth_grants: {
      id: string
      client_id: string
      user_id: string
      scope: string
      resource: string
      created_at: Date
      last_used_at: Date
      revoked_at: Date | null
    }
    oauth_codes: {
      code_hash: Uint8Array
      grant_id: string
      redirect_uri: string
      code_challenge: string
      expires_at: Date
      used_at: Date | null
    }
    oauth_tokens: {
      token_hash: Uint8Array
      kind: 'access' | 'refresh'
      grant_id: string
      expires_at: Date
      used_at: Date | null
    }
  }
}

export const OAUTH_SCOPE = 'pricing:read'

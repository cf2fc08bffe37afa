import type { JWK } from 'jose'
import type { ColumnType } from 'kysely'

/**
 * Every table, as Kysely sees it. Each module adds its own tables where it defines them, by
 * `declare module '../../kernel/schema.ts' { interface Schema { … } }`. A JSON column is a `ColumnType`: it is
 * read as a value, and written as JSON text.
 */
export interface Schema {
  installation: { name: string; value: string }
  rate_windows: { subject: string; used: number; ends_at: Date }
  idempotency_keys: {
    subject: string
    method: string
    path: string
    key: string
    fingerprint: Uint8Array
    status: number | null
    body: string | null
    /** Null is JSON. */
    media_type: string | null
    created_at: Date
    expires_at: Date
  }
  scheduled_jobs: {
    name: string
    due_at: Date
    lease: string | null
    leased_until: Date | null
    /** Of the last run that ended. */
    started_at: Date | null
    duration_ms: number | null
    finished_at: Date | null
    error: string | null
  }
  mails: {
    id: string
    recipient: string
    subject: string
    body: string | null
    created_at: Date
    due_at: Date
    attempts: number
    sent_at: Date | null
    error: string | null
  }
  signing_keys: {
    kid: string
    public_jwk: ColumnType<JWK, string, never>
    private_jwk_sealed: Uint8Array
    created_at: Date
  }
}

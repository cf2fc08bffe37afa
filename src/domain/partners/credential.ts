import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import {
  ENVIRONMENTS,
  type Environment,
  type Partner,
  SCOPES,
  type Scope,
} from '../../core/caller.ts'
import { notFound } from '../../core/errors.ts'
import { iso, timestamp } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import { newSecret } from '../../lib/ids.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { CredentialStatus, PartnerStatus } from './partner-status.ts'

/** A credential ready to check signatures with. */
export interface Credential extends Partner {
  keyId: string
  scopes: readonly Scope[]
  status: CredentialStatus
  partnerStatus: PartnerStatus
  revision: number
  expiresAt: Date | null
  /** Addresses and networks that it may be used from; null: any. */
  allowedAddresses: readonly string[] | null
  /** The current secret, and while a rotation overlaps the one before. */
  secrets: { secret: string; expiresAt: Date | null }[]
}

/** What a partner signs with. */
export interface KeyPair {
  keyId: string
  secret: string
}

export function newKeyPair(environment: Environment): KeyPair {
  const keyId = `pk_${environment}_${randomBytes(12).toString('hex')}`
  return { keyId, secret: newCredentialSecret(environment) }
}

export function newCredentialSecret(environment: Environment): string {
  return `sk_${environment}_${newSecret()}`
}

export function sealSecret(secrets: SecretBox, keyId: string, secret: string): Buffer {
  return secrets.seal(secret, credentialPurpose(keyId))
}

export function openSecret(
  secrets: SecretBox,
  { key_id, secret_sealed }: Schema['credentials'],
): string {
  return secrets.open(secret_sealed, credentialPurpose(key_id))
}

/** What it is sealed for. */
export function credentialPurpose(keyId: string): string {
  return `credential ${keyId}`
}

/** A credential of this partner, held for this transaction, or `not_found`. */
export async function ownCredential(
  tx: Tx,
  partnerId: string,
  keyId: string,
): Promise<Schema['credentials']> {
  const row = await tx
    .selectFrom('credentials')
    .selectAll()
    .where('key_id', '=', keyId)
    .where('partner_id', '=', partnerId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('credential')
  return row
}

export async function hasCredential(tx: Tx, partnerId: string, keyId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('credentials')
    .select('key_id')
    .where('key_id', '=', keyId)
    .where('partner_id', '=', partnerId)
    .executeTakeFirst()
  return row !== undefined
}

/** Reads credentials by key id, in the order asked; undefined where there is none. */
export async function loadCredentials(
  db: Database,
  secrets: SecretBox,
  keyIds: string[],
): Promise<(Credential | undefined)[]> {
  const rows = await db
    .selectFrom('credentials as c')
    .innerJoin('partners as p', 'p.id', 'c.partner_id')
    .selectAll('c')
    .select('p.status as partner_status')
    .where('c.key_id', '=', (any) => any.fn('any', [any.val(keyIds)]))
    .execute()
  const found = new Map(
    rows.map((row) => {
      const open = (sealed: Uint8Array) => secrets.open(sealed, credentialPurpose(row.key_id))
      const current = { secret: open(row.secret_sealed), expiresAt: null }
      const previous = row.previous_secret_sealed && {
        secret: open(row.previous_secret_sealed),
        expiresAt: row.previous_secret_expires_at,
      }
      const credential: Credential = {
        keyId: row.key_id,
        partnerId: row.partner_id,
        environment: row.environment,
        scopes: row.scopes,
        status: row.status,
        partnerStatus: row.partner_status,
        revision: row.revision,
        expiresAt: row.expires_at,
        allowedAddresses: row.allowed_addresses,
        secrets: previous ? [current, previous] : [current],
      }
      return [row.key_id, credential]
    }),
  )
  return keyIds.map((keyId) => found.get(keyId))
}

export async function hasLiveCredentials(db: Database): Promise<boolean> {
  const live = await db
    .selectFrom('credentials')
    .select('key_id')
    .where('environment', '=', 'live')
    .where('status', '=', 'active')
    .limit(1)
    .executeTakeFirst()
  return live !== undefined
}

/** A credential as operators see it; never with its secret. */
export const CredentialView = z.object({
  key_id: z.string(),
  partner_id: z.string(),
  environment: z.enum(ENVIRONMENTS),
  scopes: z.array(z.enum(SCOPES)),
  status: z.enum(['active', 'revoked']),
  created_at: timestamp,
  revoked_at: timestamp.nullable(),
  last_used_at: timestamp.nullable(),
  expires_at: timestamp.nullable().describe('When it stops working; null: never.'),
  allowed_addresses: z
    .array(z.string())
    .nullable()
    .describe('Addresses and networks that it may be used from; null: any.'),
})

/** With the secret: the one response that shows it. */
export const NewCredentialView = CredentialView.extend({ secret: z.string() })

export function viewCredential(row: Schema['credentials']): z.output<typeof CredentialView> {
  return {
    key_id: row.key_id,
    partner_id: row.partner_id,
    environment: row.environment,
    scopes: row.scopes,
    status: row.status,
    created_at: iso(row.created_at),
    revoked_at: iso(row.revoked_at),
    last_used_at: iso(row.last_used_at),
    expires_at: iso(row.expires_at),
    allowed_addresses: row.allowed_addresses,
  }
}

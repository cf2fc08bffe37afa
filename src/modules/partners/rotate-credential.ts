import { z } from 'zod'
import { conflict, notFound } from '../../kernel/errors.ts'
import { adminWrite } from '../../kernel/operation.ts'
import { after, DAY, SECOND } from '../../lib/clock.ts'
import { NewCredentialView, newCredentialSecret, sealSecret, viewCredential } from './credential.ts'

const DEFAULT_OVERLAP_SECONDS = DAY / SECOND
const MAX_OVERLAP_SECONDS = (30 * DAY) / SECOND

/** Gives a credential a new secret, shown once; the old one works on until the overlap ends. */
export const rotateCredential = adminWrite({
  name: 'rotate_credential',
  summary: "Replace a credential's secret, both working for a while",
  method: 'POST',
  path: '/credentials/{key_id}/rotate',
  input: z.object({
    key_id: z.string(),
    overlap_seconds: z.int().min(0).max(MAX_OVERLAP_SECONDS).default(DEFAULT_OVERLAP_SECONDS),
  }),
  output: NewCredentialView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now, house }, { key_id, overlap_seconds }) {
    const secret = newCredentialSecret(key_id.startsWith('pk_live_') ? 'live' : 'sandbox')
    const row = await tx
      .updateTable('credentials')
      .set((column) => ({
        previous_secret_sealed: column.ref('secret_sealed'),
        previous_secret_expires_at: after(now, overlap_seconds * SECOND),
        secret_sealed: sealSecret(house.secrets, key_id, secret),
        revision: column('revision', '+', 1),
      }))
      .where('key_id', '=', key_id)
      .returningAll()
      .executeTakeFirst()
    if (!row) throw notFound('credential')
    if (row.status !== 'active')
      throw conflict('A revoked credential gets no new secret: make another one.')
    return { ...viewCredential(row), secret }
  },
})

import { z } from 'zod'
import { conflict, notFound } from '../../core/errors.ts'
import { adminWrite, type WriteContext } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { after, DAY, SECOND } from '../../lib/clock.ts'
import {
  NewCredentialView,
  newCredentialSecret,
  openSecret,
  sealSecret,
  viewCredential,
} from './credential.ts'

const DEFAULT_OVERLAP_SECONDS = DAY / SECOND
const MAX_OVERLAP_SECONDS = (30 * DAY) / SECOND

/** Gives a credential a new secret, shown once; the old one works on until the overlap ends. */
export const rotateCredential = adminWrite({
  name: 'rotate_credential',
  roles: ADMINS,
  recent: true,
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
  async handler(context, { key_id, overlap_seconds }) {
    const secret = newCredentialSecret(key_id.startsWith('pk_live_') ? 'live' : 'sandbox')
    return await rotateSecret(context, key_id, secret, overlap_seconds)
  },
})

/** Gives a credential this secret; a repeat, which finds it there, changes nothing. */
export async function rotateSecret(
  { tx, now, app }: Pick<WriteContext, 'tx' | 'now' | 'app'>,
  keyId: string,
  secret: string,
  overlapSeconds = DEFAULT_OVERLAP_SECONDS,
) {
  const known = await tx
    .selectFrom('credentials')
    .selectAll()
    .where('key_id', '=', keyId)
    .forUpdate()
    .executeTakeFirst()
  if (!known) throw notFound('credential')
  if (known.status !== 'active') {
    throw conflict(
      'not_allowed_now',
      'A revoked credential gets no new secret: make another one.',
      {
        status: 'revoked',
      },
    )
  }
  if (openSecret(app.secrets, known) === secret) return { ...viewCredential(known), secret }
  const row = await tx
    .updateTable('credentials')
    .set({
      previous_secret_sealed: known.secret_sealed,
      previous_secret_expires_at: after(now, overlapSeconds * SECOND),
      secret_sealed: sealSecret(app.secrets, keyId, secret),
      revision: known.revision + 1,
    })
    .where('key_id', '=', keyId)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...viewCredential(row), secret }
}

import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { adminWrite, type Tx } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { CredentialView, viewCredential } from './credential.ts'

/** Switches a credential off for good; revoking it again changes nothing. */
export const revokeCredential = adminWrite({
  name: 'revoke_credential',
  roles: ADMINS,
  summary: 'Revoke a credential',
  method: 'POST',
  path: '/credentials/{key_id}/revoke',
  input: z.object({ key_id: z.string() }),
  output: CredentialView,
  status: 200,
  errors: ['not_found'],
  async handler({ tx, now }, { key_id }) {
    return await switchOff(tx, now, key_id)
  },
})

export async function switchOff(
  tx: Tx,
  now: Date,
  keyId: string,
): Promise<z.output<typeof CredentialView>> {
  const row = await tx
    .updateTable('credentials')
    .set((column) => ({
      status: 'revoked',
      revoked_at: column.fn.coalesce('revoked_at', column.val(now)),
      revision: column('revision', '+', 1),
    }))
    .where('key_id', '=', keyId)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw notFound('credential')
  return viewCredential(row)
}

/** Switches off all credentials of a partner that are active. */
export async function revokeAllOf(tx: Tx, now: Date, partnerId: string): Promise<void> {
  const active = await tx
    .selectFrom('credentials')
    .select('key_id')
    .where('partner_id', '=', partnerId)
    .where('status', '=', 'active')
    .orderBy('key_id')
    .execute()
  for (const { key_id } of active) await switchOff(tx, now, key_id)
}

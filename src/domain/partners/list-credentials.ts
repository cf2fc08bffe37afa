import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { adminRead, type Tx } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import { CredentialView, viewCredential } from './credential.ts'

export const listCredentials = adminRead({
  name: 'list_credentials',
  roles: READERS,
  summary: "List a partner's credentials, without their secrets",
  method: 'GET',
  path: '/partners/{partner_id}/credentials',
  input: z.object({ partner_id: z.string() }),
  output: z.object({ credentials: z.array(CredentialView) }),
  status: 200,
  errors: ['not_found'],
  async handler({ db }, { partner_id }) {
    const credentials = await credentialsOf(db, partner_id)
    // None, and no such partner, are told apart.
    if (credentials.length === 0) {
      const partner = await db
        .selectFrom('partners')
        .select('id')
        .where('id', '=', partner_id)
        .executeTakeFirst()
      if (!partner) throw notFound('partner')
    }
    return { credentials }
  },
})

/** A partner's credentials in both environments, newest first. */
export async function credentialsOf(
  db: Pick<Tx, 'selectFrom'>,
  partnerId: string,
): Promise<z.output<typeof CredentialView>[]> {
  const rows = await db
    .selectFrom('credentials')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .orderBy('created_at', 'desc')
    .orderBy('key_id')
    .execute()
  return rows.map(viewCredential)
}

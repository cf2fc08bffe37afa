import { z } from 'zod'
import { notFound } from '../../kernel/errors.ts'
import { adminRead } from '../../kernel/operation.ts'
import { CredentialView, viewCredential } from './credential.ts'

export const listCredentials = adminRead({
  name: 'list_credentials',
  summary: "List a partner's credentials, without their secrets",
  method: 'GET',
  path: '/partners/{partner_id}/credentials',
  input: z.object({ partner_id: z.string() }),
  output: z.object({ credentials: z.array(CredentialView) }),
  status: 200,
  errors: ['not_found'],
  async handler({ db }, { partner_id }) {
    const rows = await db
      .selectFrom('credentials')
      .selectAll()
      .where('partner_id', '=', partner_id)
      .orderBy('created_at', 'desc')
      .orderBy('key_id')
      .execute()
    // None, and no such partner, are told apart.
    if (rows.length === 0) {
      const partner = await db
        .selectFrom('partners')
        .select('id')
        .where('id', '=', partner_id)
        .executeTakeFirst()
      if (!partner) throw notFound('partner')
    }
    return { credentials: rows.map(viewCredential) }
  },
})

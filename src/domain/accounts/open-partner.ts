import { z } from 'zod'
import { SCOPES } from '../../core/caller.ts'
import { lineField } from '../../core/fields.ts'
import { pageWrite } from '../../core/operation.ts'
import { insertCredential } from '../partners/create-credential.ts'
import { insertPartner } from '../partners/create-partner.ts'
import { hasCredential, NewCredentialView } from '../partners/credential.ts'
import { lockUser } from './user.ts'

export const partnerNameField = lineField(200).trim().min(1, 'must say who you are')

/**
 * Opens a partner account for a user who has none, with a sandbox credential of all scopes; it begins in the
 * sandbox, and with an affiliate account, so that everything there can be tried. Asked twice at once it makes
 * one; a user who had a partner before gets no credential by it.
 */
export const openPartner = pageWrite({
  name: 'open_partner',
  // The pair comes with the form, sealed: sent again it is the same credential.
  input: z.object({ name: partnerNameField, key_id: z.string(), secret: z.string() }),
  output: NewCredentialView.nullable(),
  async handler(context, { name, key_id: keyId, secret }) {
    const { tx, caller } = context
    const user = await lockUser(tx, caller.user?.id ?? '')
    let partnerId = user.partner_id
    if (partnerId === null) {
      const made = await insertPartner(context, { name, email: user.email, affiliate: true })
      partnerId = made.partner_id
      await tx
        .updateTable('users')
        .set({ partner_id: partnerId })
        .where('id', '=', user.id)
        .execute()
    } else if (!(await hasCredential(tx, partnerId, keyId))) return null
    return await insertCredential(context, partnerId, 'sandbox', [...SCOPES], { keyId, secret })
  },
})

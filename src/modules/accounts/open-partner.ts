import type { z } from 'zod'
import { lineField } from '../../kernel/fields.ts'
import type { WriteContext } from '../../kernel/operation.ts'
import { insertPartner } from '../partners/create-partner.ts'
import { lockUser } from './user.ts'

export const partnerNameField = lineField(200).trim().min(1, 'must say who you are')

/**
 * Opens a partner account for a user who has none, and links both; it begins in the sandbox, and with an
 * affiliate account, so that everything there can be tried. Whoever asks twice at once gets one.
 */
export async function openPartner(
  context: Pick<WriteContext, 'tx' | 'now' | 'house'>,
  userId: string,
  name: z.output<typeof partnerNameField>,
): Promise<{ partnerId: string; isNew: boolean }> {
  const { tx } = context
  const user = await lockUser(tx, userId)
  if (user.partner_id !== null) return { partnerId: user.partner_id, isNew: false }
  const { partner_id } = await insertPartner(context, { name, email: user.email, affiliate: true })
  await tx.updateTable('users').set({ partner_id }).where('id', '=', userId).execute()
  return { partnerId: partner_id, isNew: true }
}

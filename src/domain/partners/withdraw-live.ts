import { z } from 'zod'
import { conflict } from '../../core/errors.ts'
import { textField } from '../../core/fields.ts'
import { queueMail } from '../../core/mail.ts'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { liveWithdrawnMail } from './mails/live-withdrawn.ts'
import { findPartner, lockPartner, PartnerView } from './partner.ts'
import { switchOff } from './revoke-credential.ts'

/** Ends what an approval began: live credentials stop working, and the partner has to ask again. */
export const withdrawLive = adminWrite({
  name: 'withdraw_live',
  roles: ADMINS,
  summary: 'Withdraw live access: live credentials are revoked',
  description:
    'Orders, statements and payouts that there are go on. The partner can ask for live access again.',
  method: 'POST',
  path: '/partners/{partner_id}/withdraw-live',
  input: z.object({
    partner_id: z.string(),
    reason: textField(1000).min(1, 'must not be empty').describe('Sent to the partner.'),
  }),
  output: PartnerView.extend({ revoked: z.int().describe('How many credentials were revoked.') }),
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now, defer }, { partner_id, reason }) {
    const partner = await lockPartner(tx, partner_id)
    if (partner.live_approved_at === null) {
      throw conflict('not_allowed_now', 'This partner has no live access.', {
        status: 'not_approved',
      })
    }
    await tx
      .updateTable('partners')
      .set({ live_approved_at: null })
      .where('id', '=', partner_id)
      .execute()
    const active = await tx
      .selectFrom('credentials')
      .select('key_id')
      .where('partner_id', '=', partner_id)
      .where('environment', '=', 'live')
      .where('status', '=', 'active')
      .execute()
    for (const { key_id } of active) await switchOff(tx, now, key_id)
    defer(queueMail(tx, now, { to: partner.email, ...liveWithdrawnMail(partner.name, reason) }))
    return { ...(await findPartner(tx, partner_id)), revoked: active.length }
  },
})

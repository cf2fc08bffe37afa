import { z } from 'zod'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { findPartner, lockPartner, PartnerView } from './partner.ts'

/**
 * Suspends a partner, or makes it active again. Of one that is suspended every call is rejected at once, its
 * links sell nothing new and earn nothing, and its balance is not paid out.
 */
export const setPartnerStatus = adminWrite({
  name: 'set_partner_status',
  roles: ADMINS,
  summary: 'Suspend or reactivate a partner',
  method: 'POST',
  path: '/partners/{partner_id}/status',
  input: z.object({ partner_id: z.string(), status: z.enum(['active', 'suspended']) }),
  output: PartnerView,
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler({ tx }, { partner_id, status }) {
    await lockPartner(tx, partner_id)
    await tx.updateTable('partners').set({ status }).where('id', '=', partner_id).execute()
    // Instances hold copies of credentials; a new revision makes each of them look again.
    await tx
      .updateTable('credentials')
      .set((column) => ({ revision: column('revision', '+', 1) }))
      .where('partner_id', '=', partner_id)
      .execute()
    return await findPartner(tx, partner_id)
  },
})

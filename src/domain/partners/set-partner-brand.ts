import { z } from 'zod'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { findPartner, lockPartner, PartnerView } from './partner.ts'
import { partnerBrandFields } from './partner-brand.ts'

/** Replaces the whole brand: what is left out is as the marketplace has it. */
export const setPartnerBrand = adminWrite({
  name: 'set_partner_brand',
  roles: ADMINS,
  summary: 'Set what the checkout looks like behind the links of a partner',
  description: 'The brand is replaced: what is left out looks like the marketplace.',
  method: 'PUT',
  path: '/partners/{partner_id}/brand',
  input: z.object({ partner_id: z.string(), ...partnerBrandFields }),
  output: PartnerView,
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler({ tx }, { partner_id, ...given }) {
    await lockPartner(tx, partner_id)
    const brand = {
      name: given.name ?? null,
      logo_url: given.logo_url ?? null,
      color: given.color ?? null,
      support_email: given.support_email ?? null,
    }
    const isSet = Object.values(brand).some((value) => value !== null)
    await tx
      .updateTable('partners')
      .set({ brand: isSet ? JSON.stringify(brand) : null })
      .where('id', '=', partner_id)
      .execute()
    return await findPartner(tx, partner_id)
  },
})

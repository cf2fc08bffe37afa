import { z } from 'zod'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { terms } from './create-partner.ts'
import { findPartner, lockPartner, PartnerView } from './partner.ts'

/** Changes a partner's commissions and limits, for sales and cases that begin from then on. Absent ones stay. */
export const setPartnerTerms = adminWrite({
  name: 'set_partner_terms',
  roles: ADMINS,
  summary: 'Set the commissions and limits of a partner, for what it sells from now on',
  method: 'PUT',
  path: '/partners/{partner_id}/terms',
  input: z.object({
    partner_id: z.string(),
    ...terms,
    credit_limit_cents: z
      .int()
      .min(0)
      .nullish()
      .describe('Orders are held for review once it would owe more. Null: no limit.'),
    orders_per_hour: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullish()
      .describe('Orders beyond so many an hour are held for review. Null: no limit.'),
  }),
  output: PartnerView,
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler({ tx }, { partner_id, ...given }) {
    const before = await lockPartner(tx, partner_id)
    await tx
      .updateTable('partners')
      .set({
        partner_collected_bps: given.partner_collected_bps ?? before.partner_collected_bps,
        hosted_checkout_bps: given.hosted_checkout_bps ?? before.hosted_checkout_bps,
        referral_bps: given.referral_bps ?? before.referral_bps,
        brokerage_bps: given.brokerage_bps ?? before.brokerage_bps,
        credit_limit_cents:
          given.credit_limit_cents === undefined
            ? before.credit_limit_cents
            : given.credit_limit_cents,
        orders_per_hour:
          given.orders_per_hour === undefined ? before.orders_per_hour : given.orders_per_hour,
      })
      .where('id', '=', partner_id)
      .execute()
    return await findPartner(tx, partner_id)
  },
})

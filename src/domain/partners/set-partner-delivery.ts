import { z } from 'zod'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { accountField, DELIVERY_METHODS, DeliveryView, storeStandardDelivery } from './delivery.ts'

export const setPartnerDelivery = adminWrite({
  name: 'set_partner_delivery',
  roles: ADMINS,
  summary: 'Set where the domains go that a partner sells, unless an order says otherwise',
  method: 'PUT',
  path: '/partners/{partner_id}/delivery',
  input: z.object({
    partner_id: z.string(),
    method: z.enum(DELIVERY_METHODS).describe('How domains reach their buyers.'),
    account: accountField.nullish().meta({
      description: 'The account to push into. Required with `push`.',
      example: 'buyer-4711',
    }),
  }),
  output: z.object({ partner_id: z.string(), delivery: DeliveryView }),
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler({ tx }, { partner_id, method, account = null }) {
    return { partner_id, delivery: await storeStandardDelivery(tx, partner_id, method, account) }
  },
})

import { z } from 'zod'
import { pageWrite } from '../../core/operation.ts'
import {
  accountField,
  DELIVERY_METHODS,
  DeliveryView,
  storeStandardDelivery,
} from '../partners/delivery.ts'
import { lockAsMember } from './member.ts'

/** A member sets where the domains go that the partner sells, unless an order says otherwise. */
export const setOwnDelivery = pageWrite({
  name: 'set_own_delivery',
  input: z.object({
    method: z.enum(DELIVERY_METHODS),
    account: accountField.nullish(),
  }),
  output: z.object({ delivery: DeliveryView }),
  audit: (input, _output, { partner }) => ({ subject: partner?.partnerId ?? null, input }),
  async handler({ tx, caller }, { method, account }) {
    const { id } = await lockAsMember(tx, caller)
    return { delivery: await storeStandardDelivery(tx, id, method, account || null) }
  },
})

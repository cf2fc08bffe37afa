import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { pageWrite } from '../../core/operation.ts'
import { findAppPurchases } from '../checkout/buy-for-app.ts'
import { lockOrder } from '../orders/order.ts'
import { reverseOrder } from '../orders/request-refund.ts'

/** A user takes back what an app bought for them, before its transfer starts; the money goes back to the card. */
export const cancelPurchase = pageWrite({
  name: 'cancel_app_purchase',
  input: z.object({ public_id: z.string().min(1).max(100) }),
  output: z.object({ public_id: z.string(), domain: z.string() }),
  audit: (_input, { public_id, domain }) => ({ subject: public_id, input: { domain } }),
  async handler(context, { public_id }) {
    const { tx, caller } = context
    const of = { app_user_id: caller.user?.id ?? '', public_id }
    const [purchase] = await findAppPurchases(tx, of)
    if (!purchase) throw notFound('purchase')
    const order = await lockOrder(tx, public_id)
    const note = 'The buyer cancelled what an app had bought.'
    await reverseOrder(context, order, 'cancel', 'buyer', 'requested_by_customer', note)
    return { public_id, domain: order.domain }
  },
})

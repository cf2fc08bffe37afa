import { z } from 'zod'
import { ApiError, notFound } from '../../core/errors.ts'
import { publicRead } from '../../core/operation.ts'
import { findAppPurchases } from '../checkout/buy-for-app.ts'
import { AgentOrderView, orderOf, termsOf, viewPurchase } from './agent-order.ts'
import { buyerOf } from './assess.ts'

export const orderStatus = publicRead({
  name: 'order_status',
  summary: 'How a purchase of this app stands',
  description:
    'Returns a purchase that this app made for its user with `buy_domain`, by its `id` or its `public_id`: whether the ' +
    'card was charged, and how far the transfer of the domain is. `TRANSFER_COMPLETED` means that the user has the ' +
    'domain. It changes nothing.',
  method: 'GET',
  path: '/api/agent/orders/{id}',
  rate: 'public',
  scope: 'orders:create',
  cacheSeconds: 0,
  input: z.object({
    id: z
      .string()
      .min(1)
      .max(100)
      .describe('The `id` (cs_…) or `public_id` (ord_…) of the purchase.'),
  }),
  output: AgentOrderView,
  status: 200,
  errors: ['validation_error', 'unauthorized', 'insufficient_scope', 'not_found'],
  aliases: { id: ['public_id', 'order_id'] },
  example: {
    input: { id: 'cs_01k8zd6y3vj5r2m4n6p8q0s1t2' },
    output: {
      id: 'cs_01k8zd6y3vj5r2m4n6p8q0s1t2',
      public_id: 'ord_01k8zd6y3vj5r2m4n6p8q0s1t3',
      status: 'PAID',
      domain: 'petpantry.test',
      price_cents: 129_500,
      tax_cents: 0,
      total_cents: 129_500,
      currency: 'USD',
      total: '1,295.00 USD',
      terms: termsOf({ termsUrl: null }),
      confirmation: null,
      confirmation_expires_at: null,
      card: null,
      mandate: null,
      reason: null,
      transfer: {
        status: 'pending',
        started_at: null,
        completed_at: null,
        reason: null,
        registrar: null,
        code_available: false,
        expected_by: null,
        stalled: false,
        proof: null,
      },
      created_at: '2026-01-05T09:31:00.000Z',
    },
  },
  async handler({ db, app, caller }, { id }) {
    if (caller.kind === 'anonymous') throw new ApiError('unauthorized', 'Sign in first.')
    const holder = buyerOf(caller)
    const [purchase] = await findAppPurchases(db, {
      app_user_id: holder.userId,
      app_client_id: holder.app.clientId,
      ...(id.startsWith('ord_') ? { public_id: id } : { id }),
    })
    if (!purchase) throw notFound('purchase of this app')
    return viewPurchase(purchase, await orderOf(db, purchase), termsOf(app.brand))
  },
})

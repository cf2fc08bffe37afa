import { z } from 'zod'
import { centsView, currencyView, domainView, idField, iso, timestamp } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import { moneyText } from '../../lib/money.ts'
import type { FoundPurchase } from '../checkout/buy-for-app.ts'
import { ORDER_STATUSES } from '../events/event-view.ts'
import { TransferView } from '../events/transfer-view.ts'
import { MandateView } from '../oauth/mandate.ts'
import { type Order, viewTransfer } from '../orders/order.ts'

export const amountFields = {
  price_cents: centsView(129_500).describe(
    'The price in minor units of `currency`: 129500 USD is 1,295.00 US dollars.',
  ),
  tax_cents: centsView(0).describe('The tax on it, in minor units.'),
  total_cents: centsView(129_500).describe('What the card is charged, in minor units.'),
  currency: currencyView,
  total: z.string().meta({
    description: 'The same total as people write it.',
    example: '1,295.00 USD',
  }),
}

/** What of a mandate is used. */
export const MandateLeftView = MandateView.extend({
  spent_cents: centsView(0).describe('What was spent of it, in minor units.'),
  left_cents: centsView(100_000).describe('What is left of it, in minor units.'),
}).meta({ id: 'MandateLeft', description: 'What the user lets the app spend, and what is left.' })

const PENDING_STATUSES = ['confirmation_required', 'processing', 'failed'] as const

export const AgentOrderView = z
  .object({
    id: idField('cs').nullable().describe('The id of the purchase; null until it is confirmed.'),
    public_id: idField('ord').nullable().describe('The id of the order, once it is paid.'),
    status: z
      .enum([...PENDING_STATUSES, ...ORDER_STATUSES])
      .describe(
        '`confirmation_required`: nothing was bought yet. `processing`: the card is being charged. `failed`: ' +
          'nothing was bought. The others are the states of the order: `PAID`, then `TRANSFER_IN_PROGRESS`, ' +
          '`TRANSFER_COMPLETED` once the domain is delivered, and `SETTLED`; or `CANCELLED` or `REFUNDED`.',
      ),
    domain: domainView,
    ...amountFields,
    terms: z.string().describe('What is agreed to, and what is final.'),
    confirmation: z
      .string()
      .nullable()
      .describe('Send it as `confirm` to buy; null once that is done. It works for ten minutes.'),
    confirmation_expires_at: timestamp.nullable().describe('When `confirmation` stops working.'),
    card: z
      .string()
      .nullable()
      .meta({ description: 'The saved card that pays.', example: 'Visa ending in 4242' }),
    mandate: MandateLeftView.nullable().describe(
      'What may be spent; null of a purchase that stands.',
    ),
    reason: z.string().nullable().describe('Why it failed.'),
    transfer: TransferView.nullable().describe('The transfer of the domain, once it is paid.'),
    created_at: timestamp.nullable().describe('When it was confirmed.'),
  })
  .meta({ id: 'AgentOrder', description: 'A purchase that an app makes for its user.' })

export type AgentOrder = z.output<typeof AgentOrderView>

const TERMS =
  'The saved card is charged at once, and the domain is transferred to the user. The user can cancel the purchase in ' +
  'their account until its transfer starts; after that it is final.'

/** The terms of a purchase, with the operator's own where there are some. */
export function termsOf({ termsUrl }: { termsUrl: string | null }): string {
  return termsUrl === null ? TERMS : `${TERMS} The marketplace's terms apply: ${termsUrl}`
}

/** A purchase that was confirmed, as it stands. */
export function viewPurchase(
  purchase: FoundPurchase,
  order: Order | undefined,
  terms: string,
): AgentOrder {
  const { amount_cents, tax_cents, currency, price_cents } = purchase
  return {
    id: purchase.id,
    public_id: purchase.public_id,
    status: order?.status ?? (isUnderWay(purchase) ? 'processing' : 'failed'),
    domain: purchase.domain,
    price_cents,
    tax_cents,
    total_cents: amount_cents,
    currency,
    total: moneyText(amount_cents, currency),
    terms,
    confirmation: null,
    confirmation_expires_at: null,
    card: null,
    mandate: null,
    reason: order ? null : purchase.reason,
    transfer: order ? viewTransfer(order) : null,
    created_at: iso(purchase.created_at),
  }
}

export function isUnderWay({ payment_status }: FoundPurchase): boolean {
  return ['started', 'action_required', 'processing'].includes(payment_status)
}

export async function orderOf(
  db: Pick<Tx, 'selectFrom'>,
  { public_id }: Pick<FoundPurchase, 'public_id'>,
): Promise<Order | undefined> {
  if (public_id === null) return undefined
  return await db
    .selectFrom('orders')
    .selectAll()
    .where('public_id', '=', public_id)
    .executeTakeFirst()
}

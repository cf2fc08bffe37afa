import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Order } from '../../orders/order.ts'
import type { Payment } from '../../payments/payment.ts'

/**
 * A buyer's receipt.
 *
 * @param url the buyer's page of the order, which shows the transfer and has the invoice
 */
export function receiptMail(
  order: Order,
  {
    amount_cents,
    tax_cents,
    tax,
    card,
  }: Pick<Payment, 'amount_cents' | 'tax_cents' | 'tax' | 'card'>,
  url: string,
): Letter {
  const name = nameText(order.domain)
  return letter(`Your receipt for ${name}`, [
    `Thank you for buying ${name}. Your payment has arrived.`,
    {
      facts: [
        ['Domain', name],
        ['Order', order.public_id],
        ...(tax_cents > 0
          ? ([
              ['Price', moneyText(order.sale_price_cents, order.currency)],
              [tax?.name ?? 'Tax', moneyText(tax_cents, order.currency)],
            ] as const)
          : []),
        ['Paid', moneyText(amount_cents, order.currency)],
        ...(card === null ? [] : ([['Paid with', card]] as const)),
      ],
    },
    'We will now transfer the domain to you. You can follow the transfer at any time; your invoice is there, too.',
    { button: 'Follow the transfer', url },
  ])
}

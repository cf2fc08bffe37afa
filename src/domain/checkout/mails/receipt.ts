import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Order } from '../../orders/order.ts'

/**
 * A buyer's receipt.
 *
 * @param url the page where the receipt stays, and which shows the transfer
 */
export function receiptMail(order: Order, url: string): Letter {
  const name = nameText(order.domain)
  return letter(`Your receipt for ${name}`, [
    `Thank you for buying ${name}. Your payment has arrived.`,
    {
      facts: [
        ['Domain', name],
        ['Order', order.public_id],
        ['Paid', moneyText(order.sale_price_cents, order.currency)],
      ],
    },
    'We will now transfer the domain to you. You can follow the transfer at any time.',
    { button: 'Follow the transfer', url },
  ])
}

import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Order } from '../../orders/order.ts'
import type { Payment } from '../../payments/payment.ts'

/**
 * Tells a user what an app has bought for them; it is their receipt, too.
 *
 * @param url the buyer's page of the order, which shows the transfer and has the invoice
 * @param account the page where the purchase is cancelled and the app removed
 */
export function boughtByAppMail(
  app: string,
  order: Order,
  { amount_cents, tax_cents, tax }: Pick<Payment, 'amount_cents' | 'tax_cents' | 'tax'>,
  { url, account }: { url: string; account: string },
): Letter {
  const name = nameText(order.domain)
  return letter(`${app} bought ${name} for you`, [
    `${app} bought ${name} with your saved card, as you allowed it to. This is your receipt.`,
    {
      facts: [
        ['Domain', name],
        ['Order', order.public_id],
        ['App', app],
        ...(tax_cents > 0
          ? ([
              ['Price', moneyText(order.sale_price_cents, order.currency)],
              [tax?.name ?? 'Tax', moneyText(tax_cents, order.currency)],
            ] as const)
          : []),
        ['Paid', moneyText(amount_cents, order.currency)],
      ],
    },
    'We will now transfer the domain to you. Your invoice is on this page, too:',
    { button: 'Follow the transfer', url },
    'Not what you wanted? Until the transfer starts you can cancel the purchase, and you can stop the app at any time:',
    { button: 'See what your apps bought', url: account },
  ])
}

import type { CompiledQuery } from 'kysely'
import { queueMail } from '../../kernel/mail.ts'
import type { WriteContext } from '../../kernel/operation.ts'
import { moneyText } from '../../lib/money.ts'
import type { OrderRow } from '../orders/order.ts'
import type { Payment } from '../payments/payment.ts'
import { checkoutUrl, type Session, tokenOf } from './session.ts'

type Context = Pick<WriteContext, 'tx' | 'now' | 'house'>

/** The receipt, with the address where it stays and shows how the transfer goes. */
export async function receiptMail(
  { tx, now, house }: Context,
  session: Session,
  order: OrderRow,
): Promise<CompiledQuery> {
  const url = checkoutUrl(house.settings.baseUrl, await tokenOf(house, session))
  return queueMail(tx, now, {
    to: session.registrant?.email ?? session.buyer.email ?? '',
    subject: `Your receipt for ${order.domain}`,
    text: [
      `Thank you for buying ${order.domain}.`,
      `Order: ${order.public_id}\nPaid: ${moneyText(order.sale_price_cents, order.currency)}`,
      `How the transfer goes is shown here:\n${url}`,
      '',
    ].join('\n\n'),
  })
}

/** Why a payment bought nothing, and that the money returns. */
export function paidBackMail(
  { tx, now }: Context,
  session: Session,
  payment: Payment,
  reason: string,
): CompiledQuery {
  const back = moneyText(payment.amount_cents, payment.currency)
  return queueMail(tx, now, {
    to: session.registrant?.email ?? session.buyer.email ?? '',
    subject: `Your payment for ${session.domain} is refunded`,
    text: `${reason}\n\nYour payment of ${back} returns to your card in full.\n`,
  })
}

import type { CompiledQuery } from 'kysely'
import { queueMail } from '../../kernel/mail.ts'
import type { WriteContext } from '../../kernel/operation.ts'
import { nameText } from '../../lib/domain-name.ts'
import { moneyText } from '../../lib/money.ts'
import type { Order } from '../orders/order.ts'
import type { Payment } from '../payments/payment.ts'
import { checkoutUrl, payerOf, type Session, tokenOf } from './session.ts'

type Context = Pick<WriteContext, 'tx' | 'now' | 'house'>

/** The receipt, with the address where it stays and shows how the transfer goes. */
export async function receiptMail(
  { tx, now, house }: Context,
  session: Session,
  order: Order,
): Promise<CompiledQuery> {
  const name = nameText(order.domain)
  const url = checkoutUrl(house.settings.baseUrl, await tokenOf(house, session))
  const message = {
    to: order.buyer.email,
    subject: `Your receipt for ${name}`,
    text: [
      `Thank you for buying ${name}.`,
      `Order: ${order.public_id}\nPaid: ${moneyText(order.sale_price_cents, order.currency)}`,
      `How the transfer goes is shown here:\n${url}`,
      '',
    ].join('\n\n'),
  }
  return queueMail(tx, now, message, order)
}

/** Why a payment bought nothing, and that the money returns. */
export function paidBackMail(
  { tx, now }: Context,
  session: Session,
  payment: Payment,
  reason: string,
): CompiledQuery {
  const back = moneyText(payment.amount_cents, payment.currency)
  const message = {
    to: payerOf(session, payment).email ?? '',
    subject: `Your payment for ${nameText(session.domain)} is refunded`,
    text: `${reason}\n\nYour payment of ${back} returns to your card in full.\n`,
  }
  return queueMail(tx, now, message, session)
}

import { nameText } from 'domain-marketplace-domain-names'
import type { CompiledQuery } from 'kysely'
import type { Letter } from '../../core/letter.tsx'
import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import { domainDeliveredMail } from './mails/domain-delivered.ts'
import { type Back, orderCancelledMail } from './mails/order-cancelled.ts'
import { transferStartedMail } from './mails/transfer-started.ts'
import { transferWaitsMail } from './mails/transfer-waits.ts'
import type { Order } from './order.ts'
import type { MoveName } from './status.ts'

/** The mail of a move, if the order is of our own checkout and the move has one. Others hear from the partner. */
export async function buyerMail(
  tx: Tx,
  now: Date,
  order: Order,
  move: MoveName,
): Promise<CompiledQuery | null> {
  if (order.payment_model !== 'hosted_checkout') return null
  const mail = await letterOf(tx, order, move)
  return mail && queueMail(tx, now, { to: order.buyer.email, ...mail }, order)
}

async function letterOf(tx: Tx, order: Order, move: MoveName): Promise<Letter | null> {
  const { public_id, transfer_reason } = order
  const name = nameText(order.domain)
  switch (move) {
    case 'start':
      return transferStartedMail(name, public_id)
    case 'action-required':
      return transferWaitsMail(name, public_id, transfer_reason)
    case 'complete':
      return domainDeliveredMail(name, public_id)
    case 'refund':
    case 'cancel':
      return orderCancelledMail(name, public_id, await whatIsLeft(tx, order))
    default:
      return null
  }
}

async function whatIsLeft(tx: Tx, { public_id }: Order): Promise<Back> {
  const payment = await tx
    .selectFrom('payments')
    .select(['status', 'refund_cents'])
    .where('public_id', '=', public_id)
    .executeTakeFirstOrThrow()
  if (payment.status === 'charged_back') return 'nothing'
  return payment.refund_cents === null ? 'all' : 'rest'
}

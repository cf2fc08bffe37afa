import { nameText } from 'domain-marketplace-domain-names'
import type { CompiledQuery } from 'kysely'
import type { Letter } from '../../core/letter.tsx'
import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import { moneyText } from '../../lib/money.ts'
import { mustFindUser } from '../accounts/user.ts'
import { saleReversedMail } from './mails/sale-reversed.ts'
import { shareLostMail } from './mails/share-lost.ts'
import { transferDelayedMail } from './mails/transfer-delayed.ts'
import type { Order } from './order.ts'

type Write = (name: string, publicId: string, share: string, isCodeOut: boolean) => Letter

/** The mails to the seller of a user's domain when the sale does not go well, by the step's type. */
const MAILS: Partial<Record<string, Write>> = {
  'order.refunded': saleReversedMail,
  'transfer.failed': transferDelayedMail,
  'payment.dispute_lost': shareLostMail,
}

/** The mail of an order's last step, if it is one that its seller hears of, and has not heard of before. */
export async function setbackMail(tx: Tx, now: Date, order: Order): Promise<CompiledQuery | null> {
  const { public_id, seller_id, transfer_completed_at, transfer_connection } = order
  if (seller_id === null) return null
  const types = order.timeline.map(({ type }) => type)
  const last = types.at(-1) ?? ''
  if (types.indexOf(last) < types.length - 1) return null
  // Before its delivery the order is cancelled next, or goes on.
  if (last === 'payment.dispute_lost' && transfer_completed_at === null) return null
  const share = moneyText(order.seller_cents ?? 0, order.currency)
  // A registrar connection takes its code back.
  const isCodeOut = transfer_connection === null && types.includes('transfer.code_available')
  const mail = MAILS[last]?.(nameText(order.domain), public_id, share, isCodeOut)
  if (!mail) return null
  const { email } = await mustFindUser(tx, seller_id)
  return queueMail(tx, now, { to: email, ...mail })
}

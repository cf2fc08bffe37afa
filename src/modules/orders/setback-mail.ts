import type { CompiledQuery } from 'kysely'
import { queueMail } from '../../kernel/mail.ts'
import type { Tx } from '../../kernel/operation.ts'
import { nameText } from '../../lib/domain-name.ts'
import { moneyText } from '../../lib/money.ts'
import { mustFindUser } from '../accounts/user.ts'
import type { Order } from './order.ts'

interface Told {
  name: string
  share: string
  isDelivered: boolean
}

interface Words {
  subject: string
  text: string
}

/** What the seller of a user's domain is told when the sale does not go well, by the step's type. */
const WORDS: Partial<Record<string, (told: Told) => Words | null>> = {
  'order.refunded': ({ name, share }) => ({
    subject: `The sale of ${name} was taken back`,
    text: `The sale of ${name} was taken back before its delivery, so your share of ${share} is not earned. ${name} is in your account as before, and on the market again at your price.`,
  }),
  'transfer.failed': ({ name, share }) => ({
    subject: `The transfer of ${name} did not work at first`,
    text: `We could not hand ${name} over to its buyer yet, and are at it. The sale stands: ${name} stays in your account, unchanged, and you earn your share of ${share} once the buyer has it.`,
  }),
  // Before its delivery the order is taken back next, or goes on.
  'payment.dispute_lost': ({ name, share, isDelivered }) =>
    !isDelivered
      ? null
      : {
          subject: `The payment for ${name} has gone back to its buyer`,
          text: `The bank of the buyer of ${name} has decided for the buyer. Your share of ${share}, which was taken off your balance, stays off it; if it had been paid out to you, your next shares make up for it. ${name} does not come back to your account.`,
        },
}

/** The mail of an order's last step, if it is one that its seller hears of, and has not heard of before. */
export async function setbackMail(tx: Tx, now: Date, order: Order): Promise<CompiledQuery | null> {
  const { public_id, seller_id, transfer_completed_at } = order
  if (seller_id === null) return null
  const types = order.timeline.map(({ type }) => type)
  const last = types.at(-1) ?? ''
  if (types.indexOf(last) < types.length - 1) return null
  const words = WORDS[last]?.({
    name: nameText(order.domain),
    share: moneyText(order.seller_cents ?? 0, order.currency),
    isDelivered: transfer_completed_at !== null,
  })
  if (!words) return null
  const { email } = await mustFindUser(tx, seller_id)
  const { subject, text } = words
  return queueMail(tx, now, {
    to: email,
    subject,
    text: `${text}\n\nThe order is ${public_id}.\n`,
  })
}

import type { CompiledQuery } from 'kysely'
import { queueMail, testMark } from '../../kernel/mail.ts'
import type { Tx } from '../../kernel/operation.ts'
import { nameText } from '../../lib/domain-name.ts'
import type { Buyer, OrderRow } from './order.ts'
import type { MoveName } from './status.ts'

type Told = Pick<OrderRow, 'transfer_reason'> & { name: string }

interface Words {
  subject: string
  text: string
}

/** What the house tells its own buyers as their order moves. A partner's buyers hear from the partner. */
const WORDS: Partial<Record<MoveName, (told: Told) => Words>> = {
  start: ({ name }) => ({
    subject: `The transfer of ${name} has started`,
    text: `We have started to move ${name} to you. It usually takes a few days.`,
  }),
  'action-required': ({ name, transfer_reason }) => ({
    subject: `The transfer of ${name} waits for you`,
    text: `To move ${name} to you we need your help: ${transfer_reason ?? 'please write to us.'}`,
  }),
  complete: ({ name }) => ({
    subject: `${name} is yours`,
    text: `${name} has arrived. Enjoy it!`,
  }),
  refund: takenBack,
  cancel: takenBack,
}

function takenBack({ name }: Told): Words {
  return {
    subject: `Your money for ${name} is on its way back`,
    text: `We have taken back your order for ${name}. The whole amount returns to your card.`,
  }
}

/** The mail of a move, if the buyer is the house's own and the move is one to hear of. */
export function buyerMail(
  tx: Tx,
  now: Date,
  order: OrderRow,
  move: MoveName,
): CompiledQuery | null {
  const told = { name: nameText(order.domain), transfer_reason: order.transfer_reason }
  const words = WORDS[move]?.(told)
  if (!words || order.payment_model !== 'hosted_checkout') return null
  const { email } = order.buyer as Buyer
  return queueMail(tx, now, {
    to: email,
    subject: `${testMark(order.environment)}${words.subject}`,
    text: `${words.text}\n\nYour order is ${order.public_id}.\n`,
  })
}

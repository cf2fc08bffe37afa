import type { CompiledQuery } from 'kysely'
import { queueMail } from '../../kernel/mail.ts'
import type { Tx } from '../../kernel/operation.ts'
import type { Buyer, OrderRow } from './order.ts'
import type { MoveName } from './status.ts'

interface Words {
  subject: string
  text: string
}

/** What the house tells its own buyers as their order moves. A partner's buyers hear from the partner. */
const WORDS: Partial<Record<MoveName, (order: OrderRow) => Words>> = {
  start: ({ domain }) => ({
    subject: `The transfer of ${domain} has started`,
    text: `We have started to move ${domain} to you. It usually takes a few days.`,
  }),
  'action-required': ({ domain, transfer_reason }) => ({
    subject: `The transfer of ${domain} waits for you`,
    text: `To move ${domain} to you we need your help: ${transfer_reason ?? 'please write to us.'}`,
  }),
  complete: ({ domain }) => ({
    subject: `${domain} is yours`,
    text: `${domain} has arrived. Enjoy it!`,
  }),
  refund: takenBack,
  cancel: takenBack,
}

function takenBack({ domain }: OrderRow): Words {
  return {
    subject: `Your money for ${domain} is on its way back`,
    text: `We have taken back your order for ${domain}. The whole amount returns to your card.`,
  }
}

/** The mail of a move, if the buyer is the house's own and the move is one to hear of. */
export function buyerMail(
  tx: Tx,
  now: Date,
  order: OrderRow,
  name: MoveName,
): CompiledQuery | null {
  const words = WORDS[name]?.(order)
  if (!words || order.payment_model !== 'hosted_checkout') return null
  const { email } = order.buyer as Buyer
  return queueMail(tx, now, {
    to: email,
    subject: words.subject,
    text: `${words.text}\n\nYour order is ${order.public_id}.\n`,
  })
}

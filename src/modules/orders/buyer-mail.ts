import type { CompiledQuery } from 'kysely'
import { queueMail } from '../../kernel/mail.ts'
import type { Tx } from '../../kernel/operation.ts'
import { nameText } from '../../lib/domain-name.ts'
import type { Order } from './order.ts'
import type { MoveName } from './status.ts'

interface Told extends Pick<Order, 'transfer_reason'> {
  name: string
  /** What the bank left to give back: all, where it took nothing. */
  back: 'all' | 'rest' | 'nothing'
}

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

function takenBack({ name, back }: Told): Words {
  return {
    subject:
      back === 'nothing'
        ? `Your order for ${name} was cancelled`
        : `Your money for ${name} is on its way back`,
    text: `We have cancelled your order for ${name}. ${WAYS_BACK[back]}`,
  }
}

const WAYS_BACK = {
  all: 'The whole amount returns to your card.',
  rest: 'You have had a part of the amount from your bank; the rest returns to your card.',
  nothing: 'You have had the whole amount from your bank.',
}

/** The mail of a move, if the buyer is the house's own and the move is one to hear of. */
export async function buyerMail(
  tx: Tx,
  now: Date,
  order: Order,
  move: MoveName,
): Promise<CompiledQuery | null> {
  const write = WORDS[move]
  if (!write || order.payment_model !== 'hosted_checkout') return null
  const { transfer_reason } = order
  const back = write === takenBack ? await whatIsLeft(tx, order) : 'all'
  const words = write({ name: nameText(order.domain), transfer_reason, back })
  const { email } = order.buyer
  const text = `${words.text}\n\nYour order is ${order.public_id}.\n`
  return queueMail(tx, now, { to: email, subject: words.subject, text }, order)
}

async function whatIsLeft(tx: Tx, { public_id }: Order): Promise<Told['back']> {
  const payment = await tx
    .selectFrom('payments')
    .select(['status', 'refund_cents'])
    .where('public_id', '=', public_id)
    .executeTakeFirstOrThrow()
  if (payment.status === 'charged_back') return 'nothing'
  return payment.refund_cents === null ? 'all' : 'rest'
}

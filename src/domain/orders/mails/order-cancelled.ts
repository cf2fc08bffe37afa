import { type Letter, letter } from '../../../core/letter.tsx'

/** What is left to refund: all, where no bank took anything. */
export type Back = 'all' | 'rest' | 'nothing'

const REFUNDS: Record<Back, string> = {
  all: 'The whole amount returns to your card.',
  rest: 'Your bank has already returned a part of the amount; the rest returns to your card.',
  nothing: 'You have already received the whole amount.',
}

/** Tells the buyer of a hosted sale that the order was cancelled or refunded, and where the money is. */
export function orderCancelledMail(name: string, publicId: string, back: Back): Letter {
  const subject =
    back === 'nothing'
      ? `Your order for ${name} was cancelled`
      : `Your money for ${name} is on its way back`
  return letter(subject, [
    `We have cancelled your order for ${name}. ${REFUNDS[back]}`,
    { facts: [['Order', publicId]] },
  ])
}

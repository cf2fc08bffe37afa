import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a seller that a bank took back the payment of a delivered domain. */
export function shareDisputedMail(name: string, publicId: string, share: string): Letter {
  return letter(`The payment for ${name} is disputed`, [
    `The buyer’s bank has taken back the payment for ${name}, so your share of ${share} has been taken off your balance. If the bank decides against the buyer, your share returns.`,
    { facts: [['Order', publicId]] },
  ])
}

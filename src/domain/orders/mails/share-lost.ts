import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a seller that a dispute about a delivered domain was lost. */
export function shareLostMail(name: string, publicId: string, share: string): Letter {
  return letter(`The payment for ${name} has gone back to its buyer`, [
    `The bank has decided for the buyer of ${name}. Your share of ${share}, which was taken off your balance, does not return. If it had already been paid out to you, your next shares make up for it.`,
    `${name} stays with the buyer.`,
    { facts: [['Order', publicId]] },
  ])
}

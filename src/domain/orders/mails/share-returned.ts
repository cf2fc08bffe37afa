import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a seller that a dispute was won. */
export function shareReturnedMail(name: string, publicId: string, share: string): Letter {
  return letter(`The payment for ${name} is no longer disputed`, [
    `The bank has decided against the buyer of ${name}. Your share of ${share} is in your balance again.`,
    { facts: [['Order', publicId]] },
  ])
}

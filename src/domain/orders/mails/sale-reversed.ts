import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a seller that a sale was cancelled or refunded before its delivery. */
export function saleReversedMail(name: string, publicId: string, share: string): Letter {
  return letter(`The sale of ${name} was taken back`, [
    `The sale of ${name} was cancelled before its delivery, so you do not earn your share of ${share}.`,
    `${name} is still in your account, and for sale again at your price.`,
    { facts: [['Order', publicId]] },
  ])
}

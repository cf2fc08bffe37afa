import { type Letter, letter } from '../../../core/letter.tsx'

/**
 * Tells a seller that a sale was cancelled or refunded before its delivery.
 * @param isCodeOut the seller has given a code, which only their registrar can replace
 */
export function saleReversedMail(
  name: string,
  publicId: string,
  share: string,
  isCodeOut = false,
): Letter {
  return letter(`The sale of ${name} was taken back`, [
    `The sale of ${name} was cancelled before its delivery, so you do not earn your share of ${share}.`,
    `${name} is still in your account, and for sale again at your price.`,
    isCodeOut &&
      `The transfer code that you gave may still work. Lock ${name} at its registrar, and ask there for a new transfer code.`,
    { facts: [['Order', publicId]] },
  ])
}

import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a seller that the buyer has the domain, and where their share is. */
export function domainHandedOverMail(sale: {
  name: string
  publicId: string
  share: string
  isDisputed: boolean
}): Letter {
  const { name, publicId, share, isDisputed } = sale
  return letter(`${name} has been handed over`, [
    `The buyer now has ${name}, and it has left your account.`,
    isDisputed
      ? `Your share of ${share} is not in your balance while the buyer’s bank holds the payment.`
      : `Your share of ${share} is in your balance, and is paid with the next payout.`,
    { facts: [['Order', publicId]] },
  ])
}

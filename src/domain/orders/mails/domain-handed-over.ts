import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a seller that the buyer has the domain, and where their share is. */
export function domainHandedOverMail(sale: {
  name: string
  publicId: string
  share: string
  /** From when on it can be paid out, such as `2026-12-27`; null: at once. */
  payableFrom: string | null
  isDisputed: boolean
}): Letter {
  const { name, publicId, share, payableFrom, isDisputed } = sale
  const when =
    payableFrom === null ? 'with the next payout' : `with the first payout from ${payableFrom} on`
  return letter(`${name} has been handed over`, [
    `The buyer now has ${name}, and it has left your account.`,
    isDisputed
      ? `Your share of ${share} is not in your balance while the buyer’s bank holds the payment.`
      : `Your share of ${share} is in your balance, and is paid ${when}, to the account that you set under “Where you are paid”.`,
    { facts: [['Order', publicId]] },
  ])
}

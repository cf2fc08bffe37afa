import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells the buyer of a hosted sale that the domain is theirs. */
export function domainDeliveredMail(name: string, publicId: string): Letter {
  return letter(`${name} is yours`, [
    `The transfer is complete: ${name} is now yours. Enjoy it!`,
    'The link in the mail with your receipt leads to your invoice and to the signed proof of delivery.',
    { facts: [['Order', publicId]] },
  ])
}

import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells the buyer of a hosted sale that the transfer has begun. */
export function transferStartedMail(name: string, publicId: string): Letter {
  return letter(`The transfer of ${name} has started`, [
    `We have started to transfer ${name} to you. It usually takes a few days. The link in the mail with your receipt shows each step.`,
    { facts: [['Order', publicId]] },
  ])
}

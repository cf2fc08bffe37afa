import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a seller that the first try of a transfer failed. */
export function transferDelayedMail(name: string, publicId: string, share: string): Letter {
  return letter(`The transfer of ${name} did not work at first`, [
    `We could not transfer ${name} to its buyer yet, and are working on it. The sale stands: ${name} stays in your account, unchanged, and you earn your share of ${share} once the buyer has it.`,
    { facts: [['Order', publicId]] },
  ])
}

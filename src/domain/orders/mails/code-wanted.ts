import { type Letter, letter } from '../../../core/letter.tsx'

/**
 * Asks a seller for the transfer code of a domain that is at a registrar of theirs.
 *
 * @param link the page of their account on which they give it
 */
export function codeWantedMail(name: string, publicId: string, link: string): Letter {
  return letter(`Please give us the transfer code of ${name}`, [
    `The transfer of ${name} to its buyer has started. ${name} is in your account at its registrar, so the buyer needs its transfer code from you. The page below says how to get it, and takes it.`,
    { button: 'Give the transfer code', url: link },
    'Enter the code on that page only, and do not send it by mail: anyone who has it can transfer the domain.',
    { facts: [['Order', publicId]] },
  ])
}

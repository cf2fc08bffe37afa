import { type Letter, letter } from '../../../core/letter.tsx'

/**
 * Asks the buyer of a hosted sale for what the transfer needs.
 *
 * @param needed what that is, in the operator's words
 */
export function transferWaitsMail(name: string, publicId: string, needed: string | null): Letter {
  return letter(`The transfer of ${name} waits for you`, [
    `We need your help to transfer ${name} to you${needed === null ? '. Please write to us.' : ':'}`,
    needed !== null && { quote: needed },
    { facts: [['Order', publicId]] },
  ])
}

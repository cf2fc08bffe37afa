import { type Letter, letter } from '../../../core/letter.tsx'

/**
 * Reminds a seller of a transfer code that they were asked for and have not given.
 *
 * @param link the page of their account on which they give it
 */
export function codeReminderMail(name: string, publicId: string, link: string): Letter {
  return letter(`Reminder: please give us the transfer code of ${name}`, [
    `The buyer has paid for ${name} and is waiting for its transfer code. The page below says how to get it from your registrar, and takes it.`,
    { button: 'Give the transfer code', url: link },
    `You are paid once the domain has arrived at its buyer. If something keeps you from giving the code, please reply to us: without it the sale cannot go on.`,
    { facts: [['Order', publicId]] },
  ])
}

import { type Letter, letter } from '../../../core/letter.tsx'

/** The buyer can have the domain transferred now. */
export function codeAvailableMail(name: string, publicId: string, link: string): Letter {
  return letter(`The transfer code of ${name} is ready`, [
    `You can transfer ${name} to your registrar now. Your order has the code that your registrar asks for.`,
    { button: 'Show the transfer code', url: link },
    'Anyone who has this link can read the code, so keep it to yourself. Most registrars complete a transfer within five days.',
    { facts: [['Order', publicId]] },
  ])
}

import { type Letter, letter } from '../../../core/letter.tsx'

/** Asks a user to confirm the new address of their account. */
export function changeAddressMail({ url, baseUrl }: { url: string; baseUrl: string }): Letter {
  return letter('Confirm your new address', [
    'Confirm that this is the new e-mail address of your account. Until then, your account keeps the address that it has.',
    { button: 'Confirm the new address', url },
    `If you have no account at ${baseUrl}, you can ignore this mail.`,
  ])
}

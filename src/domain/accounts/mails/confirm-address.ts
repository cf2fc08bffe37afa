import { type Letter, letter } from '../../../core/letter.tsx'

export const CONFIRM_ADDRESS = 'Confirm your address'

/** Asks the owner of a new account to show that its address is theirs. */
export function confirmAddressMail(to: { baseUrl: string; token: string }): Letter {
  return letter(CONFIRM_ADDRESS, [
    'Welcome! Please confirm that this e-mail address is yours.',
    { button: 'Confirm your address', url: `${to.baseUrl}/confirm-email?token=${to.token}` },
    `If you did not create an account at ${to.baseUrl}, you can ignore this mail.`,
  ])
}

import { type Letter, letter } from '../../../core/letter.tsx'

export const ADDRESS_TAKEN = 'You have an account already'

/** Tells whoever has an account that somebody tried to open another one with its address. */
export function addressTakenMail(baseUrl: string): Letter {
  return letter(ADDRESS_TAKEN, [
    `Somebody tried to create an account at ${baseUrl} with this address, which has one already.`,
    'If it was you, sign in, or choose a new password if you have forgotten it:',
    { button: 'Sign in', url: `${baseUrl}/sign-in` },
    'If it was not you, you can ignore this mail. Nothing has changed.',
  ])
}

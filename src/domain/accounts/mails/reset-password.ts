import { type Letter, letter } from '../../../core/letter.tsx'

export const RESET_PASSWORD = 'Choose a new password'

/** Leads to a new password, for whom has forgotten theirs. */
export function resetPasswordMail({ baseUrl, link }: { baseUrl: string; link: string }): Letter {
  return letter(RESET_PASSWORD, [
    `Someone asked for a new password for your account at ${baseUrl}. If it was you, choose it within one hour.`,
    { button: 'Choose a new password', url: link },
    'If it was not you, you can ignore this mail. Your password has not changed.',
  ])
}

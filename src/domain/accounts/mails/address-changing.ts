import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells an account's address that another is to take its place, while that can still be stopped. */
export function addressChangingMail({ to, baseUrl }: { to: string; baseUrl: string }): Letter {
  return letter('Your address is about to change', [
    `Someone with your password asked to change the e-mail address of your account at ${baseUrl} to ${to}. It changes once that address is confirmed.`,
    'If this was not you, reset your password now: that ends all sessions, and the change with them.',
    { button: 'Reset your password', url: `${baseUrl}/forgot-password` },
  ])
}

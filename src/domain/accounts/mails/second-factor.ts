import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells somebody that how they sign in was changed. */
export function secondFactorMail(what: string): Letter {
  return letter('How you sign in was changed', [
    `${what} of your account.`,
    'If this was not you, reset your password now: that ends all sessions, tokens and apps.',
  ])
}

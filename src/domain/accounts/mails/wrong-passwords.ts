import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells somebody that others try to get into their account. */
export function wrongPasswordsMail(count: number): Letter {
  return letter('Many wrong passwords for your account', [
    `Somebody has tried ${count} wrong passwords for your account within an hour. None of them fitted.`,
    'If that was not you: use a password that you have nowhere else, and add a second factor in your account.',
  ])
}

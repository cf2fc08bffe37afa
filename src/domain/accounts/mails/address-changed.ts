import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells the address that an account had that it is no longer its. */
export function addressChangedMail({ to, support }: { to: string; support: string }): Letter {
  return letter('Your address was changed', [
    `The e-mail address of your account is now ${to}. Mails go there from now on.`,
    'If this was not you, contact us at once.',
    { button: 'Contact us', url: support },
  ])
}

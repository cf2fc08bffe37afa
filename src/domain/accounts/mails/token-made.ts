import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells somebody that a program can act as them from now on. */
export function tokenMadeMail({
  label,
  manage,
  expiresAt,
}: {
  label: string
  manage: boolean
  expiresAt: Date
}): Letter {
  return letter('A personal access token was made for your account', [
    manage
      ? 'Anyone who has it can change your domains, list them for sale, and see marketplace prices.'
      : 'Anyone who has it can see marketplace prices.',
    {
      facts: [
        ['Name', label],
        ['Works until', expiresAt.toISOString().slice(0, 10)],
      ],
    },
    'If this was not you, revoke it in your account, and reset your password.',
  ])
}

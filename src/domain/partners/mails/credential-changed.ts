import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a partner that what signs its requests was changed in the portal. */
export function credentialChangedMail({
  what,
  keyId,
  partnerName,
  by,
}: {
  what: 'created' | 'given a new secret' | 'revoked'
  keyId: string
  partnerName: string
  by: string
}): Letter {
  return letter(`A credential was ${what}`, [
    `${by} has changed a credential of ${partnerName}.`,
    {
      facts: [
        ['Credential', keyId],
        ['What', what],
      ],
    },
    'If nobody of you did this, revoke the credential and end the sessions of that account.',
  ])
}

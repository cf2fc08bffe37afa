import { type Letter, letter } from '../../../core/letter.tsx'

/** Invites somebody to a partner account. */
export function invitationMail(invitation: {
  /** The e-mail address of the member who invites. */
  inviter: string
  partnerName: string
  baseUrl: string
  token: string
}): Letter {
  const { inviter, partnerName, baseUrl, token } = invitation
  return letter('You are invited to a partner account', [
    `${inviter} invites you to join the partner account of ${partnerName} at ${baseUrl}. The invitation is valid for seven days.`,
    { button: 'Accept the invitation', url: `${baseUrl}/partner/join?token=${token}` },
    'Sign in with this e-mail address, or create an account with it. If you do not know who invites you, you can ignore this mail.',
  ])
}

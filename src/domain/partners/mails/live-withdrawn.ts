import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a partner that it no longer sells for real. */
export function liveWithdrawnMail(partnerName: string, reason: string): Letter {
  return letter('Your live access was withdrawn', [
    `${partnerName} has no live access any more, and its live credentials are revoked. The sandbox is as it was.`,
    { quote: reason },
    'Orders that you recorded before are delivered, and settled as agreed.',
  ])
}

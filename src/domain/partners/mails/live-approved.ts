import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a partner that it may sell for real. */
export function liveApprovedMail({
  baseUrl,
  reason,
}: {
  baseUrl: string
  /** What the operator wrote; null: nothing. */
  reason: string | null
}): Letter {
  return letter('You have live access', [
    'Your partner account has been approved: you can now sell for real.',
    reason && { quote: reason },
    { button: 'Create your live credential', url: `${baseUrl}/partner/live/credentials` },
  ])
}

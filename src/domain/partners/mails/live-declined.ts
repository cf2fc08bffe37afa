import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a partner that it does not get live access, and that it may ask again. */
export function liveDeclinedMail({
  baseUrl,
  reason,
}: {
  baseUrl: string
  /** What the operator wrote; null: nothing. */
  reason: string | null
}): Letter {
  return letter('Your request for live access was declined', [
    'We cannot give your partner account live access yet.',
    reason && { quote: reason },
    'You are welcome to ask again once this has changed.',
    { button: 'Ask again', url: `${baseUrl}/partner/live-access` },
  ])
}

import { type Letter, letter } from '../../../core/letter.tsx'

/**
 * Tells a seller that money which they were told of has come back.
 *
 * @param link the page of their account that has where they are paid
 */
export function payoutReturnedMail(id: string, amount: string, link: string): Letter {
  return letter(`Your payout of ${amount} came back`, [
    'The money that we had sent you has come back to us. It is part of your balance again, and your next payout includes it.',
    'Please check where you are paid: an account that was closed, or a mistake in its number, is the most common reason.',
    { button: 'Check where you are paid', url: link },
    { facts: [['Payout', id]] },
  ])
}

import type { Session } from '../../domain/checkout/session.ts'
import { money } from '../components/money.ts'
import { ReadName } from '../components/name.tsx'
import { checkoutPath } from './forms.tsx'

/** Our stand-in for the page of a bank that asks for a confirmation. */
export function Confirm({
  session,
  token,
  paymentId,
}: {
  session: Session
  token: string
  paymentId: string
}) {
  return (
    <>
      <h1>Confirm the payment</h1>
      <p>
        Your bank asks whether you want to pay{' '}
        <strong>{money(session.price_cents, session.currency)}</strong> for{' '}
        <ReadName domain={session.domain} />.
      </p>
      <form method="post" action={checkoutPath(token, '/confirm')}>
        <input type="hidden" name="payment" value={paymentId} />
        <div class="actions">
          <button type="submit" name="answer" value="confirm">
            Confirm
          </button>
          <button type="submit" name="answer" value="refuse" class="quiet">
            Reject
          </button>
        </div>
      </form>
    </>
  )
}

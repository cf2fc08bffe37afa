import type { Session } from '../../domain/checkout/session.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import { money } from '../components/money.ts'
import { ReadName } from '../components/name.tsx'
import { checkoutPath } from './forms.tsx'

/** Our stand-in for the page of a bank that asks for a confirmation. */
export function Confirm({
  session,
  token,
  payment,
}: {
  session: Session
  token: string
  payment: Payment
}) {
  return (
    <>
      <h1>Confirm the payment</h1>
      <p>
        Your bank asks whether you want to pay{' '}
        <strong>{money(payment.amount_cents, payment.currency)}</strong> for{' '}
        <ReadName domain={session.domain} />.
      </p>
      <form method="post" action={checkoutPath(token, '/confirm')}>
        <input type="hidden" name="payment" value={payment.id} />
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

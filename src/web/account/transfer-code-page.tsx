import { nameText } from 'domain-marketplace-domain-names'
import type { Order } from '../../domain/orders/order.ts'
import { sellerCodePath } from '../../domain/orders/seller-code.ts'
import { Field } from '../components/form.tsx'
import { money } from '../components/money.ts'
import { Facts, Id, Notice, Timestamp } from '../components/parts.tsx'

/** How a seller hands over a domain at a registrar of theirs, and the form for its code. */
export function TransferCodePage({
  order,
  problem,
}: {
  order: Order
  problem: string | undefined
}) {
  const { public_id, domain, transfer_registrar, code_available_at } = order
  const name = nameText(domain)
  return (
    <>
      <Facts
        facts={[
          ['Domain', name],
          ['Registrar', transfer_registrar?.name ?? '–'],
          ['Your share', money(order.seller_cents ?? 0, order.currency)],
          ['Order', <Id id={public_id} />],
        ]}
      />
      <h2>What to do</h2>
      <ol>
        <li>Sign in at the registrar where you manage {name}.</li>
        <li>
          Unlock {name}. Registrars call this the transfer lock, registrar lock or domain lock.
        </li>
        <li>
          Ask for the transfer code, also called authorization code, auth code or EPP code. Some
          registrars show it, others send it to you by mail.
        </li>
        <li>Enter the code here. The buyer’s registrar then asks for the transfer.</li>
        <li>
          If your registrar asks whether you agree to the transfer, agree. Keep {name} unlocked and
          its DNS records as they are until the buyer has it.
        </li>
      </ol>
      {code_available_at !== null && (
        <Notice kind="info">
          The code was given on <Timestamp at={code_available_at} />, and there is nothing left to
          do here. If your registrar has issued another one since, enter it: it replaces the first.
        </Notice>
      )}
      <form method="post" action={sellerCodePath(public_id)} class="narrow">
        <Field
          label="Transfer code"
          name="code"
          problem={problem}
          hint="Only the buyer can read it once you have sent it."
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxlength={200}
          required
        />
        <button type="submit">Give the code to the buyer</button>
      </form>
      <p class="soft">
        Does your registrar not let you unlock {name}, or is {name} not in an account of yours?{' '}
        <a href="/contact">Write to us.</a>
      </p>
    </>
  )
}

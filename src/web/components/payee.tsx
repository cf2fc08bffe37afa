import type { z } from 'zod'
import type { ApiError } from '../../core/errors.ts'
import type { PayeeView } from '../../domain/payees/payee.ts'
import { setOwnPayee } from '../../domain/payees/set-own-payee.ts'
import { Once } from './form.tsx'
import { OperationFields, typedIn } from './operation-fields.tsx'
import { At, Empty, Facts, Status } from './parts.tsx'

/** Where money goes now, and the form that changes it. */
export function PayeePage({
  path,
  payee,
  typed,
  problem,
}: {
  path: string
  payee: z.output<typeof PayeeView>
  typed: URLSearchParams | undefined
  problem: ApiError | undefined
}) {
  return (
    <>
      <section class="panel roomy">
        {payee.status === 'missing' ? (
          <Empty title="No account yet">Payouts wait until you say where they go.</Empty>
        ) : (
          <Facts
            facts={[
              ['Status', <Status text={payee.status} />],
              ['Holder', payee.name],
              ['Country', payee.country],
              ['Account', payee.account_masked],
              ['Currency', payee.currency],
              ['Used from', <At at={payee.usable_from} />],
            ]}
          />
        )}
      </section>
      <h2>{payee.status === 'missing' ? 'Set the account' : 'Change the account'}</h2>
      <p class="soft">
        It is kept encrypted, and only its last four characters are shown again. Live payouts use a
        change after a waiting period, and everybody in the account is told of it by mail.
      </p>
      <form method="post" action={path} class="narrow">
        <Once />
        <OperationFields
          operation={setOwnPayee}
          typed={typedIn(typed, problem)}
          fields={{
            name: 'Holder of the account',
            country: { label: 'Country of the holder', placeholder: 'DE' },
            currency: { label: 'Currency of the account', placeholder: 'EUR' },
            iban: { label: 'IBAN', hint: 'Or an account number below.' },
            bic: {
              label: 'BIC',
              hint: 'Required with an account number outside the United States.',
            },
            account_number: 'Account number',
            routing_number: {
              label: 'Routing number (ABA)',
              hint: 'Of a bank in the United States.',
            },
          }}
        />
        <button type="submit">Save</button>
      </form>
    </>
  )
}

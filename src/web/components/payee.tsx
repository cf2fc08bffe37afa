import type { z } from 'zod'
import type { ApiError } from '../../core/errors.ts'
import type { PayeeView } from '../../domain/payees/payee.ts'
import { setOwnPayee } from '../../domain/payees/set-own-payee.ts'
import { Once } from './form.tsx'
import { OperationFields, typedIn } from './operation-fields.tsx'
import { At, Empty, Facts, Status } from './parts.tsx'

/** Where money goes now, and the forms that change it. */
export function PayeePage({
  path,
  payee,
  provider,
  typed,
  problem,
}: {
  path: string
  payee: z.output<typeof PayeeView>
  /** The name of the provider that pays out beside the bank; null where there is none. */
  provider: string | null
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
      {provider !== null && <Connect path={path} provider={provider} country={payee.country} />}
      <h2>{payee.status === 'missing' ? 'Set a bank account' : 'Change the bank account'}</h2>
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

/** Leads to the provider's own pages; beginning again goes on where it was left. */
function Connect({
  path,
  provider,
  country,
}: {
  path: string
  provider: string
  country: string | null
}) {
  return (
    <>
      <h2>Be paid through {provider}</h2>
      <p class="soft">
        {provider} asks who you are and where your bank is, on its own pages. Payouts go there once
        it is ready and the waiting period is over; until then they keep the account before it.
      </p>
      <form method="post" action={`${path}/connect`} class="narrow">
        <Once />
        <label class="field">
          <span>Country of the holder</span>
          <input
            name="country"
            required
            maxLength={2}
            minLength={2}
            placeholder="DE"
            value={country ?? ''}
            autocomplete="country"
          />
        </label>
        <button type="submit" class="quiet">
          Continue at {provider}
        </button>
      </form>
    </>
  )
}

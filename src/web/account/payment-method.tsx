import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { SignedIn } from '../../domain/accounts/session.ts'
import { assertConfirmed } from '../../domain/accounts/user.ts'
import {
  findMethod,
  type PaymentMethod,
  removeMethod,
  startMethod,
} from '../../domain/payments/payment-method.ts'
import type { Card } from '../../domain/payments/provider.ts'
import { settleSaving } from '../../domain/payments/save-card.ts'
import type { Payout } from '../../domain/payouts/payout.ts'
import { type Problems, readCard } from '../checkout/details.ts'
import { CardFields } from '../checkout/forms.tsx'
import { ActionButton } from '../components/form.tsx'
import { toneOf } from '../components/humanize.ts'
import { type Column, Table } from '../components/list.tsx'
import { money } from '../components/money.ts'
import { Badge, Day, Empty, Facts } from '../components/parts.tsx'
import { PAYEE, SALES } from './paths.ts'

/** What is shown again of a card that was typed, and what is wrong with each of its fields. */
interface TypedCard {
  expiry: string
  problems: Problems
}

/** Why an attempt to save a card saved none. */
export type NotSaved = { kind: 'error'; text: string } | ({ kind: 'problems' } & TypedCard)

/** What an attempt to save a card led to: a page of the provider's, perhaps. */
type Saved = NotSaved | { kind: 'good'; text: string } | { kind: 'elsewhere'; url: string }

export const PAYMENT_METHOD = '/account/payment-method'

const PAYOUTS: Column<Payout>[] = [
  { label: 'Made', cell: ({ created_at }) => <Day at={created_at} /> },
  { label: 'Paid', cell: ({ paid_at }) => <Day at={paid_at} /> },
  { label: 'State', cell: ({ status }) => <Badge tone={toneOf(status)} text={status} /> },
  {
    label: 'Amount',
    align: 'end',
    cell: ({ amount_cents, currency }) => money(amount_cents, currency),
  },
]

/** The card that renewals and the purchases of apps are charged to, the form that saves another, and what the marketplace owes and paid. */
export function PaymentMethods({
  method,
  asksForCard,
  balances,
  payouts,
  card,
}: {
  method: PaymentMethod | undefined
  asksForCard: boolean | null
  balances: { balance_cents: number; currency: string }[]
  payouts: Payout[]
  card: TypedCard | undefined
}) {
  return (
    <>
      <h2>Your card</h2>
      {method ? (
        <div class="panel roomy with-action">
          <span>{method.label} pays for renewals, and for what your apps buy.</span>
          <ActionButton
            path={`${PAYMENT_METHOD}/remove`}
            label="Remove"
            confirm="Remove it? Names that renew themselves expire without one."
          />
        </div>
      ) : (
        <div class="panel">
          <Empty title="No card is saved">
            <p>Save one to renew your domains, and for apps that you let buy for you.</p>
          </Empty>
        </div>
      )}
      {asksForCard === null ? (
        <p class="soft">This service takes no payments yet.</p>
      ) : (
        <form method="post" action={PAYMENT_METHOD} class="narrow">
          {asksForCard && <CardFields expiry={card?.expiry} problems={card?.problems} />}
          <button type="submit" class="quiet">
            {method ? 'Use another card' : 'Save a card'}
          </button>
        </form>
      )}
      <h2>Sales of your domains</h2>
      {balances.length === 0 ? (
        <p class="soft">
          Nothing is to be paid out. Your share of each of <a href={SALES}>your sales</a> is
          credited once the domain is delivered.
        </p>
      ) : (
        <Facts
          facts={balances.map(({ balance_cents, currency }) => [
            balance_cents < 0
              ? 'Taken back after it was paid out to you'
              : 'Your share, to be paid out',
            <strong>{money(balance_cents, currency)}</strong>,
          ])}
        />
      )}
      {balances.some(({ balance_cents }) => balance_cents < 0) && (
        <p class="soft">Your next sales make up for what was taken back.</p>
      )}
      {balances.length > 0 && (
        <p>
          It is paid to the account under <a href={PAYEE}>Where you are paid</a>. Until you have set
          one, it waits.
        </p>
      )}
      {payouts.length > 0 && (
        <>
          <h3>Payouts</h3>
          <Table caption="Your latest payouts" columns={PAYOUTS} rows={payouts} empty={null} />
        </>
      )}
    </>
  )
}

/** Saves what was typed, or returns the provider's page, from which its owner comes back. */
export async function savePaymentMethod(
  app: AppContext,
  { user }: SignedIn,
  form: URLSearchParams,
): Promise<Saved> {
  assertConfirmed(user)
  const { baseUrl } = app.settings
  const provider = app.payments.of('live')
  if (!provider) throw new ApiError('unavailable', 'This service takes no payments yet.')
  let card: Card | null = null
  if (provider.asksForCard) {
    const read = readCard(form, app.clock.now())
    const { problems } = read
    if (Object.keys(problems).length > 0) {
      return { kind: 'problems', problems, expiry: read.card.expiry }
    }
    card = read.card
  }
  const method = await inTransaction(app, (tx) =>
    startMethod(tx, app.clock.now(), user.id, provider.id),
  )
  const outcome = await provider.cards.save({
    method,
    email: user.email,
    card,
    returnUrl: `${baseUrl}${PAYMENT_METHOD}/saved?id=${method.id}`,
    cancelUrl: `${baseUrl}${PAYMENT_METHOD}`,
  })
  await settleSaving(app, method.id, outcome)
  if (outcome.kind === 'action_required') return { kind: 'elsewhere', url: outcome.url }
  return outcome.kind === 'saved'
    ? {
        kind: 'good',
        text: `${outcome.label} pays for your renewals from now on, and for what your apps buy.`,
      }
    : { kind: 'error', text: `${outcome.reason} It was not saved.` }
}

/** Back from the provider's page: it is asked what became of it. */
export async function backFromProvider(
  app: AppContext,
  id: string | undefined,
  { user }: SignedIn,
): Promise<void> {
  const method = id === undefined ? undefined : await findMethod(app.db, id)
  if (method?.user_id !== user.id || method.status !== 'pending') return
  const outcome = await app.payments.byId(method.provider).cards.lookUp(method)
  await settleSaving(app, method.id, outcome)
}

/** The card pays no more, and the provider forgets it. */
export async function removePaymentMethod(app: AppContext, { user }: SignedIn): Promise<void> {
  const now = app.clock.now()
  const removed = await inTransaction(app, (tx) => removeMethod(tx, now, { user_id: user.id }))
  if (removed) await app.payments.byId(removed.provider).cards.forget(removed)
}

import { nameText } from 'domain-marketplace-domain-names'
import type { ChangeOutput } from '../../domain/domains/change-outcome.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { Field, Select, TextArea } from '../components/form.tsx'
import { type Column, Table } from '../components/list.tsx'
import { money } from '../components/money.ts'
import { RowName } from '../components/name.tsx'
import { Badge, Empty, Facts, Notice } from '../components/parts.tsx'
import { ACCOUNT } from './account-page.tsx'
import type { ActionFields, actionOf } from './actions.ts'
import { PAYMENT_METHOD } from './payment-method.tsx'

type Action = NonNullable<ReturnType<typeof actionOf>>
type Result = ChangeOutput['results'][number]
/** What a change would cost, or has cost: by name, and in all. */
export type Costs = Map<string, { price_cents: number; currency: string }>

/** What would happen to each chosen domain, before it does. */
export function Review({
  action,
  domains,
  fields,
  problems,
  preview,
  costs,
  formKey,
}: {
  action: Action
  domains: string[]
  fields: ActionFields
  problems: Partial<Record<keyof ActionFields, string>>
  /** Null while the action has not been told all that it asks for. */
  preview: ChangeOutput | null
  costs: Costs
  formKey: string
}) {
  const count = preview ? preview.succeeded + preview.pending : 0
  return (
    <form method="post" action="/account/domains/change">
      <input type="hidden" name="action" value={action.name} />
      {/* Sent twice it is done once. */}
      <input type="hidden" name="key" value={formKey} />
      {domains.map((domain) => (
        <input type="hidden" name="domain" value={domain} />
      ))}
      {/* Enter in a field looks again: what was changed since has not been looked at. */}
      <button
        type="submit"
        formaction="/account/domains/review"
        formnovalidate={preview !== null}
        hidden
      />
      <Asked action={action} fields={fields} problems={problems} />
      {preview && costs.size > 0 && <Facts facts={[['To pay', <strong>{sumOf(costs)}</strong>]]} />}
      <div class="actions">
        {count > 0 && <button type="submit">{`${action.verb} ${countOf(count)}`}</button>}
        {action.asks && (
          <button
            type="submit"
            class={preview ? 'quiet' : 'main'}
            formaction="/account/domains/review"
            formnovalidate={preview !== null}
          >
            {preview ? 'Look again' : 'See what would happen'}
          </button>
        )}
        <a class="button quiet" href={ACCOUNT}>
          Back
        </a>
      </div>
      {preview && preview.failed > 0 && (
        <Notice kind="warn">
          {preview.failed === 1
            ? 'One domain cannot be changed like that; it stays as it is.'
            : `${preview.failed} domains cannot be changed like that; they stay as they are.`}
        </Notice>
      )}
      {preview?.results.some(({ error }) => error?.code === 'payment_failed') && (
        <Notice kind="info">
          <a href={PAYMENT_METHOD}>Save a card</a> that pays for renewals, and come back.
        </Notice>
      )}
      {preview ? (
        <Results
          caption="What would happen"
          results={preview.results}
          costs={costs}
          isDone={false}
        />
      ) : (
        <p class="soft">{domains.map(nameText).join(', ')}</p>
      )}
    </form>
  )
}

function Asked({
  action,
  fields,
  problems,
}: {
  action: Action
  fields: ActionFields
  problems: Partial<Record<keyof ActionFields, string>>
}) {
  switch (action.asks) {
    case 'years':
      return (
        <Field
          label="Years"
          name="years"
          type="number"
          min="1"
          max="10"
          value={fields.years}
          problem={problems.years}
          required
        />
      )
    case 'nameservers':
      return (
        <TextArea
          label="Name servers, one a line"
          name="nameservers"
          value={fields.nameservers}
          problem={problems.nameservers}
          hint="Empty takes them all away."
          placeholder={'ns1.example.com\nns2.example.com'}
          maxlength={2_000}
          rows={4}
          code
        />
      )
    case 'price':
      return (
        <>
          <Field
            label="Price, in USD, of each"
            name="price"
            inputmode="decimal"
            value={fields.price}
            problem={problems.price}
            maxlength={16}
            required
          />
          <Field
            label="The least that you would take (optional)"
            name="floor_price"
            inputmode="decimal"
            value={fields.floor_price}
            problem={problems.floor_price}
            hint="Buyers do not see it. An offer that reaches it is accepted at once."
            maxlength={16}
          />
          <Select
            label="Offers below the price"
            name="offers"
            value={fields.offers}
            options={[
              ['open', 'Buyers may make offers'],
              ['off', 'No offers'],
            ]}
          />
          <Field
            label="The least that an offer may be (optional)"
            name="min_offer"
            inputmode="decimal"
            value={fields.min_offer}
            problem={problems.min_offer}
            hint="Lower offers are rejected, and you do not hear of them."
            maxlength={16}
          />
        </>
      )
    default:
      return null
  }
}

/** What became of each domain. */
export function Outcome({ result }: { result: ChangeOutput }) {
  return (
    <>
      {result.succeeded > 0 && (
        <Notice kind="good">{`Done for ${countOf(result.succeeded)}.`}</Notice>
      )}
      {result.failed > 0 && (
        <Notice kind="error">{`Not done for ${countOf(result.failed)}: see why below.`}</Notice>
      )}
      <Results caption="What was done" results={result.results} costs={new Map()} isDone />
      <div class="actions">
        <a class="button" href={ACCOUNT}>
          Back to your domains
        </a>
      </div>
    </>
  )
}

function Results({
  caption,
  results,
  costs,
  isDone,
}: {
  caption: string
  results: Result[]
  costs: Costs
  isDone: boolean
}) {
  const columns: Column<Result>[] = [
    { label: 'Domain', cell: ({ domain }) => <RowName domain={domain} /> },
    {
      label: isDone ? 'What was done' : 'What would happen',
      cell: (result) => <Said result={result} isDone={isDone} />,
    },
    ...(costs.size > 0 ? [priced(costs)] : []),
  ]
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={results}
      empty={<Empty title="No domains" />}
    />
  )
}

function Said({ result: { status, error }, isDone }: { result: Result; isDone: boolean }) {
  if (error) {
    return (
      <span>
        <Badge tone="bad" text={isDone ? 'not done' : 'cannot be done'} /> {error.message}
      </span>
    )
  }
  if (status === 202) return <Badge tone="info" text="under way" />
  return <Badge tone="good" text={isDone ? 'done' : 'will be done'} />
}

function priced(costs: Costs): Column<Result> {
  return {
    label: 'Price',
    align: 'end',
    cell: ({ domain, error }) => {
      const cost = error ? undefined : costs.get(domain)
      return cost ? money(cost.price_cents, cost.currency) : '–'
    },
  }
}

function sumOf(costs: Costs): string {
  const [first] = costs.values()
  const cents = [...costs.values()].reduce((sum, { price_cents }) => sum + price_cents, 0)
  return money(cents, first?.currency ?? HOME_CURRENCY)
}

function countOf(count: number): string {
  return count === 1 ? '1 domain' : `${count.toLocaleString('en-US')} domains`
}

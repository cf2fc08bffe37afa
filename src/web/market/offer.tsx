import { randomUUID } from 'node:crypto'
import { withULabels } from 'domain-marketplace-domain-names'
import type { User } from '../../domain/accounts/user.ts'
import { Field, TextArea } from '../components/form.tsx'
import { Name } from '../components/name.tsx'
import { Notice } from '../components/parts.tsx'
import { nameLink } from './names.tsx'

export interface OfferFields {
  tier: 'managed' | 'self_serve'
  budget: string
  note: string
}
export type OfferProblems = Partial<Record<keyof OfferFields, string>>

const EMPTY: OfferFields = { tier: 'managed', budget: '', note: '' }

/** Asking for a name that somebody has. */
export function Offer({
  domain,
  user,
  fields = EMPTY,
  problems = {},
  rejected,
}: {
  domain: string
  user: Pick<User, 'email' | 'email_confirmed_at'>
  fields?: OfferFields
  problems?: OfferProblems
  /** Why no case could be opened. */
  rejected?: string
}) {
  return (
    <>
      <h1>
        Ask for <Name domain={domain} />
      </h1>
      <p class="lead">
        We find the owner and ask on your behalf. Nothing is charged unless you both agree on a
        price.
      </p>
      {rejected !== undefined && <Notice kind="error">{rejected}</Notice>}
      {user.email_confirmed_at === null ? (
        <Notice kind="warn">
          Confirm your e-mail address first: we have sent a link to {user.email}.
        </Notice>
      ) : (
        <form method="post" action={`${nameLink(domain)}/offer`}>
          {/* The same form sent twice is one offer. */}
          <input type="hidden" name="key" value={randomUUID()} />
          <Field
            label="The most that you would pay, in USD"
            name="budget"
            inputmode="decimal"
            value={fields.budget}
            problem={problems.budget}
            hint="The owner does not see it. You decide on each price that they ask."
            maxlength={16}
            required
          />
          <fieldset class="choice">
            <legend>Who negotiates</legend>
            <Choice
              value="managed"
              at={fields.tier}
              label="Our broker, for you"
              hint="They contact the owner and bring you offers."
            />
            <Choice
              value="self_serve"
              at={fields.tier}
              label="You, on your case’s page"
              hint="We make the contact; you make, accept and reject offers."
            />
          </fieldset>
          <TextArea
            label="For the broker (optional)"
            name="note"
            value={fields.note}
            problem={problems.note}
            hint="The owner does not see it."
            maxlength={2_000}
            rows={3}
          />
          <button type="submit">Ask for {withULabels(domain)}</button>
        </form>
      )}
      <p class="aside">
        News goes to {user.email}. <a href={nameLink(domain)}>Back to the name</a>
      </p>
    </>
  )
}

function Choice({
  value,
  at,
  label,
  hint,
}: {
  value: OfferFields['tier']
  at: string
  label: string
  hint: string
}) {
  return (
    <label class="check">
      <input type="radio" name="tier" value={value} checked={value === at} />
      <span>
        {label}
        <small class="hint">{hint}</small>
      </span>
    </label>
  )
}

import type { Session } from '../../domain/checkout/session.ts'
import type { DeliveryMethod } from '../../domain/partners/delivery.ts'
import type { Card, PaymentProvider } from '../../domain/payments/provider.ts'
import type { TaxLine, TaxRules } from '../../domain/tax/tax.ts'
import { Check, Field, Select } from '../components/form.tsx'
import { money } from '../components/money.ts'
import { Notice } from '../components/parts.tsx'
import { type Demands, LENGTHS, type Problems } from './details.ts'
import { Steps } from './steps.tsx'

/** Where a page of a checkout is, with the token that opens it. */
export function checkoutPath(token: string, step = ''): string {
  return `/checkout${step}?pt=${encodeURIComponent(token)}`
}

const DELIVERY_CHOICES = [
  ['auth_code', 'Transfer it to my registrar'],
  ['push', 'Move it within its registrar'],
  ['hold', 'Keep it here, in my account'],
] as const satisfies readonly (readonly [DeliveryMethod, string])[]

const NOBODY = { country: null, taxId: null }

/** The first page: what is for sale, and who is to have it. */
export function Lander({
  session,
  takesCards,
  token,
  demands,
  values,
  problems,
  rules,
}: {
  session: Session
  takesCards: boolean
  token: string
  demands: Demands
  values: Record<string, string>
  problems: Problems
  rules: TaxRules
}) {
  const field = (name: keyof typeof LENGTHS) => ({
    name,
    value: values[name] ?? '',
    problem: problems[name],
    maxlength: LENGTHS[name],
  })
  return (
    <Steps
      session={session}
      at="Details"
      tax={rules.id === 'none' ? rules.of(0, NOBODY) : null}
      takesCards={takesCards}
    >
      <h2>Who should it be registered to?</h2>
      {Object.keys(problems).length > 0 && (
        <Notice kind="error">Some details are missing or wrong. See the fields below.</Notice>
      )}
      <form method="post" action={checkoutPath(token, '/details')}>
        <Field label="E-mail" type="email" autocomplete="email" required {...field('email')} />
        <Field label="Full name" autocomplete="name" required {...field('name')} />
        <Field
          label="Organization (optional)"
          autocomplete="organization"
          {...field('organization')}
        />
        <Field label="Address" autocomplete="street-address" required {...field('address')} />
        <div class="pair">
          <Field label="City" autocomplete="address-level2" required {...field('city')} />
          <Field label="Postal code, if any" autocomplete="postal-code" {...field('postal_code')} />
        </div>
        <label class="field">
          <span>Country</span>
          <select
            name="country"
            autocomplete="country"
            required
            autofocus={problems.country !== undefined}
            aria-invalid={problems.country === undefined ? undefined : 'true'}
            aria-describedby={problems.country === undefined ? undefined : 'country-note'}
          >
            {demands.countries.map(({ code, name }) => (
              <option value={code} selected={code === values.country}>
                {name}
              </option>
            ))}
          </select>
          {problems.country !== undefined && (
            <small id="country-note" class="problem">
              {problems.country}
            </small>
          )}
        </label>
        {rules.asksForTaxId && (
          <Field
            label="Tax number, if you buy as a business"
            hint="Such as a VAT number. It stands on the invoice."
            {...field('tax_id')}
          />
        )}
        <Field label="Phone (optional)" type="tel" autocomplete="tel" {...field('phone')} />
        <Select
          label="How you receive it"
          name="delivery_method"
          value={values.delivery_method === 'auth_code' ? '' : values.delivery_method}
          options={DELIVERY_CHOICES}
          problem={problems.delivery_method}
        />
        <Field
          label="Your account at its registrar"
          hint="Only if it is moved into your account there: your username or customer number."
          {...field('delivery_account')}
        />
        {demands.eligibility !== null && (
          <Check
            name="eligible"
            label={
              <>
                I confirm that I may register a .{demands.tld} name
                <small class="hint">Who may register one: {demands.eligibility}.</small>
              </>
            }
            checked={values.eligible !== undefined}
            problem={problems.eligible}
            required
          />
        )}
        <button type="submit">Continue to payment</button>
      </form>
      {session.cancel_url !== null && (
        <form method="post" action={checkoutPath(token, '/cancel')}>
          <button type="submit" class="quiet">
            Cancel and go back
          </button>
        </form>
      )}
    </Steps>
  )
}

/** A card, for a provider that does not ask for it on a page of its own: a test card. */
export function CardFields({
  expiry,
  problems = {},
}: {
  expiry?: string | undefined
  problems?: Problems | undefined
}) {
  return (
    <>
      <Field
        label="Card number"
        name="card_number"
        inputmode="numeric"
        autocomplete="cc-number"
        required
        maxlength={25}
        placeholder="4242 4242 4242 4242"
        problem={problems.card_number}
        hint="A test card: no real card is charged here."
      />
      <div class="pair">
        <Field
          label="Valid until"
          name="card_expiry"
          autocomplete="cc-exp"
          required
          maxlength={7}
          placeholder="12/34"
          value={expiry}
          problem={problems.card_expiry}
        />
        <Field
          label="Security code"
          name="card_cvc"
          inputmode="numeric"
          autocomplete="cc-csc"
          required
          maxlength={4}
          placeholder="123"
          problem={problems.card_cvc}
        />
      </div>
    </>
  )
}

/** The second page: the card, or the way to the provider's own page. */
export function PaymentForm({
  session,
  token,
  details,
  isTheirs,
  provider: { asksForCard, takesCards },
  card,
  problems,
  rejected,
  tax,
}: {
  session: Session
  tax: TaxLine
  token: string
  /** Which details are paid for: the form is rejected when they are others by then. */
  details: string
  /** Whether whoever looks filled them in. */
  isTheirs: boolean
  provider: Pick<PaymentProvider, 'asksForCard' | 'takesCards'>
  card: Card | null
  problems: Problems
  rejected: string | null
}) {
  const price = money(session.price_cents + tax.cents, session.currency)
  return (
    <Steps session={session} at="Payment" tax={tax} takesCards={takesCards}>
      <h2>{asksForCard ? 'Your card' : 'Pay by card'}</h2>
      {rejected !== null && <Notice kind="error">{rejected}</Notice>}
      <form method="post" action={checkoutPath(token, '/payment')}>
        <input type="hidden" name="details" value={details} />
        {asksForCard && <CardFields expiry={card?.expiry} problems={problems} />}
        <button type="submit">{asksForCard ? `Pay ${price}` : `Continue to pay ${price}`}</button>
      </form>
      <p class="aside">
        {isTheirs
          ? `Registered to ${session.registrant?.name}, ${session.registrant?.email}.${destination(session)}`
          : 'Who it is registered to was filled in from another browser.'}{' '}
        <a href={checkoutPath(token)}>Change</a>
      </p>
    </Steps>
  )
}

/** What was chosen, where it was asked. */
function destination({ delivery }: Session): string {
  if (delivery?.method === 'push') return ` Moved into the account ${delivery.account}.`
  if (delivery?.method === 'hold') return ' Kept in your account here.'
  return delivery ? ' Transferred with a transfer code.' : ''
}

import { withULabels } from 'domain-marketplace-domain-names'
import type { Listing } from '../../domain/listings/listing.ts'
import { TestMark } from '../checkout/steps.tsx'
import { Field, Once, TextArea } from '../components/form.tsx'
import { money } from '../components/money.ts'
import { Name } from '../components/name.tsx'
import { Notice } from '../components/parts.tsx'
import { nameLink } from './names.tsx'

export interface NameOfferFields {
  email: string
  name: string
  amount: string
  message: string
}
export type NameOfferProblems = Partial<Record<keyof NameOfferFields, string>>

/** An offer for a name that is for sale here, by anyone. */
export function NameOffer({
  listing: { domain, environment, currency, min_offer_cents },
  priceCents,
  fields,
  problems = {},
  rejected,
}: {
  listing: Listing
  /** Null to those who may not see it. */
  priceCents: number | null
  fields: NameOfferFields
  problems?: NameOfferProblems | undefined
  /** Why the offer was not taken. */
  rejected?: string | undefined
}) {
  return (
    <>
      <TestMark environment={environment} />
      <h1>
        Make an offer for <Name domain={domain} />
      </h1>
      <p class="lead">
        {priceCents === null
          ? 'The seller considers offers below the price.'
          : `It is for sale at ${money(priceCents, currency)}, and the seller considers less.`}{' '}
        You pay nothing unless you both agree on a price.
      </p>
      {rejected !== undefined && <Notice kind="error">{rejected}</Notice>}
      <form method="post" action={`${nameLink(domain)}/offer`}>
        {/* The same form sent twice is one offer. */}
        <Once />
        <Field
          label={`Your offer, in ${currency}`}
          name="amount"
          inputmode="decimal"
          value={fields.amount}
          problem={problems.amount}
          hint={
            min_offer_cents === null
              ? undefined
              : `Offers start at ${money(min_offer_cents, currency)}.`
          }
          maxlength={16}
          required
        />
        <Field
          label="Your e-mail address"
          name="email"
          type="email"
          autocomplete="email"
          value={fields.email}
          problem={problems.email}
          hint="The seller’s response goes there, with a link. The seller does not see it."
          maxlength={254}
          required
        />
        <Field
          label="Your name (optional)"
          name="name"
          autocomplete="name"
          value={fields.name}
          problem={problems.name}
          maxlength={200}
        />
        <TextArea
          label="A message to the seller (optional)"
          name="message"
          value={fields.message}
          problem={problems.message}
          maxlength={2_000}
          rows={3}
        />
        <button type="submit">Send the offer</button>
      </form>
      <p class="aside">
        The seller has 48 hours to respond. If you agree on a price, the name is reserved for you at
        that price for 72 hours. <a href={nameLink(domain)}>Back to {withULabels(domain)}</a>
      </p>
    </>
  )
}

import type { ComponentChildren } from 'preact'
import { type Case, type CaseStep, isRunning, type Offer } from '../../domain/brokerage/case.ts'
import { describeStep, headline, noteOf, whatIsNext } from '../../domain/brokerage/case-texts.ts'
import type { ForSaleOffer } from '../../domain/registry/for-sale.ts'
import { money } from '../../lib/money.ts'
import { Check, Field } from '../components/form.tsx'
import { Name } from '../components/name.tsx'
import { OwnersOffer } from '../components/owners-offer.tsx'
import { Notice } from '../components/parts.tsx'
import type { Message, Sent } from '../layout/serve-link-pages.ts'

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

interface PageProps {
  row: Case
  offers: Offer[]
  /** What the owner says in DNS. */
  published: ForSaleOffer | null
  /** Where the page is; its forms go below it. */
  action: string
  message: Message | undefined
  sent: Sent | undefined
}

export function CasePage(props: PageProps) {
  const { row, offers, message, published } = props
  const open = offers.find(({ status }) => status === 'open')
  return (
    <>
      {row.environment === 'sandbox' && (
        <Notice kind="info">This is a test. Nobody is asked, and nothing is bought.</Notice>
      )}
      {message && <Notice kind={message.kind}>{message.text}</Notice>}
      <p class="soft">Buying a domain through a broker</p>
      <h1>
        <Name domain={row.domain} />
      </h1>
      <p class="lead">{headline(row)}</p>
      {published && (
        <section class="panel roomy">
          <h2>The owner’s own offer</h2>
          <p>
            <OwnersOffer offer={published} />
          </p>
        </section>
      )}
      <section class="next">
        <h2>What is next</h2>
        <p>{whatIsNext(row, open)}</p>
      </section>
      {row.tier === 'self_serve' && isRunning(row) && <Turn {...props} open={open} />}
      <dl class="facts">
        <dt>Budget</dt>
        <dd>{money(row.budget, row.currency)}</dd>
        {row.price_cents !== null && (
          <>
            <dt>Price</dt>
            <dd>{money(row.price_cents, row.currency)}</dd>
          </>
        )}
        {isRunning(row) && (
          <>
            <dt>Who acts</dt>
            <dd>{row.tier === 'self_serve' ? 'You, on this page' : 'Your broker, for you'}</dd>
          </>
        )}
      </dl>
      <h2>So far</h2>
      <ol class="history" reversed>
        {row.timeline.toReversed().map((step) => (
          <Step step={step} currency={row.currency} />
        ))}
      </ol>
      {row.tier === 'self_serve' && isRunning(row) && <End {...props} />}
      <p class="aside">
        Times are in UTC. Anyone who has the address of this page can see it
        {row.tier === 'self_serve' && isRunning(row) && ' and act on it'}: keep it to yourself.
      </p>
    </>
  )
}

function Step({ step, currency }: { step: CaseStep; currency: string }) {
  const note = noteOf(step)
  return (
    <li>
      <span>{describeStep(step, currency)}</span>
      {note && <q>{note}</q>}
      <time datetime={step.at}>{MOMENT.format(new Date(step.at))}</time>
    </li>
  )
}

/** What the buyer can do now. */
function Turn({ row, open, action, sent }: PageProps & { open: Offer | undefined }) {
  if (row.status === 'agreed') return null
  const theirs = open?.made_by === 'owner' ? open : undefined
  const offered = sent?.act === 'offer' ? sent.form : undefined
  const raised = sent?.act === 'budget' ? sent.form : undefined
  return (
    <>
      {theirs && <RespondForm row={row} action={action} offer={theirs} />}
      <details open={offered !== undefined || (theirs === undefined && raised === undefined)}>
        <summary>{offerWords(open)}</summary>
        <Form row={row} to={`${action}/offer`}>
          <Field
            label="Your offer, in US dollars"
            name="amount"
            inputmode="decimal"
            required
            maxlength={20}
            value={offered?.get('amount') ?? undefined}
            placeholder={(row.budget / 200).toFixed(0)}
          />
          <Field
            label="A word to the owner (optional)"
            name="message"
            maxlength={1_000}
            value={offered?.get('message') ?? undefined}
          />
          <Check
            name="consent"
            label={`My offer may be above my budget of ${money(row.budget, row.currency)}.`}
            checked={offered?.has('consent') ?? false}
          />
          <button type="submit">Send the offer</button>
        </Form>
      </details>
      <details open={raised !== undefined}>
        <summary>Raise your budget</summary>
        <Form row={row} to={`${action}/budget`}>
          <Field
            label="Your new budget, in US dollars"
            name="amount"
            inputmode="decimal"
            required
            maxlength={20}
            value={raised?.get('amount') ?? undefined}
            hint={`Now ${money(row.budget, row.currency)}. The owner does not see it.`}
          />
          <button type="submit" class="quiet">
            Raise the budget
          </button>
        </Form>
      </details>
    </>
  )
}

function offerWords(open: Offer | undefined): string {
  if (open?.made_by === 'owner') return 'Make a counter-offer'
  return open ? 'Change your offer' : 'Make an offer'
}

/** The owner's offer on the table: to accept what is above the budget, the buyer must say so. */
function RespondForm({ row, action, offer }: { row: Case; action: string; offer: Offer }) {
  const price = money(offer.price_cents, row.currency)
  return (
    <section class="asking">
      <p>
        The owner would sell for <strong>{price}</strong>
      </p>
      {offer.message && <q>{offer.message}</q>}
      <Form row={row} to={`${action}/accept`} offer={offer}>
        {offer.price_cents > row.budget && (
          <Check
            name="consent"
            label={`I will pay ${price}, which is above my budget of ${money(row.budget, row.currency)}.`}
            required
          />
        )}
        <button type="submit">Accept {price}</button>
      </Form>
      <Form row={row} to={`${action}/reject`} offer={offer}>
        <button type="submit" class="quiet">
          Turn it down
        </button>
      </Form>
    </section>
  )
}

function End({ row, action }: PageProps) {
  return (
    <details>
      <summary>End the search</summary>
      <Form row={row} to={`${action}/cancel`}>
        <p class="soft">The broker stops and the owner is notified. This cannot be undone.</p>
        <button type="submit" class="quiet">
          End it
        </button>
      </Form>
    </details>
  )
}

function Form({
  row,
  to,
  offer,
  children,
}: {
  row: Case
  to: string
  offer?: Offer
  children: ComponentChildren
}) {
  return (
    <form method="post" action={to}>
      <input type="hidden" name="seen" value={String(row.timeline.length)} />
      {offer && <input type="hidden" name="offer_id" value={offer.offer_id} />}
      {children}
    </form>
  )
}

import { nameText } from 'domain-marketplace-domain-names'
import type { ComponentChildren } from 'preact'
import type { Offer, OfferSide } from '../../domain/offers/offer.ts'
import type { Promised } from '../../domain/offers/offer-pages.ts'
import { endedText } from '../../domain/offers/offer-texts.ts'
import { TestMark } from '../checkout/steps.tsx'
import { Field, TextArea } from '../components/form.tsx'
import { moment, money } from '../components/money.ts'
import { Name } from '../components/name.tsx'
import { Facts, Id, Notice } from '../components/parts.tsx'
import type { Message, Sent } from '../layout/serve-link-pages.ts'

interface Props {
  offer: Offer
  /** Whose page it is. */
  side: OfferSide
  /** Where the page is; its forms go below it. */
  action: string
  promised: Promised | null
  /** Where the buyer pays what was agreed, and then follows the transfer. */
  checkoutUrl: string | null
  message: Message | undefined
  sent: Sent | undefined
  /** Whether the link may be used to respond. */
  isByLink: boolean
}

/** An offer as one of its sides sees it, and what they can do now. */
export function OfferPage(props: Props) {
  const { offer, side, message, isByLink, promised } = props
  const isRunning = offer.turn !== null
  return (
    <>
      <TestMark environment={offer.environment} />
      {message && <Notice kind={message.kind}>{message.text}</Notice>}
      <p class="soft">{side === 'buyer' ? 'Your offer for' : 'An offer for your name'}</p>
      <h1>
        <Name domain={offer.domain} />
      </h1>
      <p class="lead">{headline(offer, side, promised)}</p>
      {offer.turn === side && <Turn {...props} />}
      {promised !== null && side === 'buyer' && <Pay {...props} />}
      {offer.closing_message !== null && offer.closed_by !== side && (
        <p>
          <q>{offer.closing_message}</q>
        </p>
      )}
      <Facts
        facts={[
          ['Amount', money(offer.amount_cents, offer.currency)],
          ...(isRunning || promised === 'reserved'
            ? ([[isRunning ? 'Expires' : 'Reserved until', moment(offer.expires_at)]] as [
                string,
                string,
              ][])
            : []),
          ['Offer', <Id id={offer.offer_id} />],
        ]}
      />
      <h2>So far</h2>
      <ol class="history" reversed>
        {offer.history.toReversed().map(({ at, by, amount_cents, message: said }) => (
          <li>
            <span>
              {by === side ? 'You' : by === 'buyer' ? 'The buyer' : 'The seller'}{' '}
              {by === 'buyer' ? 'offered' : 'asked for'} {money(amount_cents, offer.currency)}
            </span>
            {said !== null && <q>{said}</q>}
            <time datetime={at}>{moment(new Date(at))}</time>
          </li>
        ))}
      </ol>
      {offer.turn === 'seller' && side === 'buyer' && <Withdraw {...props} />}
      {isByLink && (
        <p class="aside">
          Anyone who has the address of this page can see the offer
          {isRunning && ' and respond to it'}: keep it to yourself.
        </p>
      )}
    </>
  )
}

function headline(offer: Offer, side: OfferSide, promised: Promised | null): string {
  const amount = money(offer.amount_cents, offer.currency)
  if (offer.turn === side) {
    return side === 'buyer' ? `The seller asks for ${amount}.` : `A buyer offers ${amount}.`
  }
  if (offer.turn !== null) {
    return side === 'buyer'
      ? `You offered ${amount}. The seller has not responded yet.`
      : `You asked for ${amount}. The buyer has not responded yet.`
  }
  if (promised === null) return endedText(offer, side)
  const [toBuyer, toSeller] = {
    reserved: [
      `You can have it for ${amount}.`,
      `A price of ${amount} is agreed. The name is reserved for the buyer, who pays next.`,
    ],
    bought: [`You bought it for ${amount}.`, `The buyer has paid ${amount}: it is sold.`],
    lapsed: [
      `It was reserved for you at ${amount}. The time to pay is over.`,
      `A price of ${amount} was agreed, but the buyer did not pay in time.`,
    ],
  }[promised] as [string, string]
  return side === 'buyer' ? toBuyer : toSeller
}

/** The other side has responded: accept, say another amount, or end it. */
function Turn({ offer, side, action, sent }: Props) {
  const amount = money(offer.amount_cents, offer.currency)
  const countered = sent?.act === 'counter' ? sent.form : undefined
  const said = offer.history.at(-1)?.message
  return (
    <>
      <section class="asking" aria-label="Your response">
        <p>
          {side === 'buyer' ? 'The seller asks for' : 'The buyer offers'} <strong>{amount}</strong>
        </p>
        {said && <q>{said}</q>}
        <Form offer={offer} to={`${action}/accept`}>
          <button type="submit">Accept {amount}</button>
        </Form>
        <Form offer={offer} to={`${action}/decline`}>
          <button type="submit" class="quiet">
            Decline
          </button>
        </Form>
      </section>
      <details open={countered !== undefined}>
        <summary>{side === 'buyer' ? 'Offer another amount' : 'Ask for another amount'}</summary>
        <Form offer={offer} to={`${action}/counter`}>
          <Field
            label={`${side === 'buyer' ? 'Your offer' : 'Your price'}, in ${offer.currency}`}
            name="amount"
            inputmode="decimal"
            required
            maxlength={16}
            value={countered?.get('amount') ?? undefined}
            hint={
              side === 'buyer'
                ? 'If the seller accepts it, the name is reserved for you at this price.'
                : 'If the buyer accepts it, the name is reserved for them at this price.'
            }
          />
          <TextArea
            label={`A message to the ${side === 'buyer' ? 'seller' : 'buyer'} (optional)`}
            name="message"
            maxlength={2_000}
            rows={3}
            value={countered?.get('message') ?? undefined}
          />
          <button type="submit" class="quiet">
            Send
          </button>
        </Form>
      </details>
    </>
  )
}

function Pay({ offer, promised, checkoutUrl }: Props) {
  if (promised === 'reserved' && offer.quote_id !== null) {
    return <p>Complete the purchase with the partner who made the offer for you.</p>
  }
  if (checkoutUrl === null) return null
  return (
    <p>
      <a class="button" href={checkoutUrl}>
        {promised === 'bought' ? 'Receipt and transfer' : 'Go to the checkout'} of{' '}
        {nameText(offer.domain)}
      </a>
    </p>
  )
}

function Withdraw({ offer, action }: Props) {
  return (
    <details>
      <summary>Withdraw your offer</summary>
      <Form offer={offer} to={`${action}/withdraw`}>
        <p class="soft">The seller can no longer accept it. This cannot be undone.</p>
        <button type="submit" class="quiet">
          Withdraw it
        </button>
      </Form>
    </details>
  )
}

function Form({ offer, to, children }: { offer: Offer; to: string; children: ComponentChildren }) {
  return (
    <form method="post" action={to}>
      <input type="hidden" name="seen" value={String(offer.history.length)} />
      {children}
    </form>
  )
}

import { withULabels } from 'domain-marketplace-domain-names'
import type { ComponentChildren, VNode } from 'preact'
import type { DomainResult } from '../../domain/listings/search-domain.ts'
import { TestMark } from '../checkout/steps.tsx'
import { money } from '../components/money.ts'
import { Name } from '../components/name.tsx'
import { Notice } from '../components/parts.tsx'
import { Place, StreamedParts } from '../layout/stream-page.tsx'
import type { BrokerageOption } from './brokerage-option.ts'
import { BuyBox, Reserved } from './buy-box.tsx'
import { nameLink, type STATES, State, stateOf } from './names.tsx'
import { OfferLink } from './offer-link.tsx'

/** A name's page: what it costs and why that is safe to pay, or what became of it. */
export function NamePage({
  domain,
  forSale,
  siblings,
  isTest,
}: {
  domain: string
  /** Its shop, while it is for sale. */
  forSale: VNode | null
  /** The same label on other top-level domains. */
  siblings: string[]
  isTest: boolean
}) {
  const rows = (
    <>
      <slot name="similar" />
      <slot name="siblings" />
      <div part="rows" role="list">
        {siblings.map((sibling, index) => (
          <Place name={`row-${index}`} role="listitem">
            <Name domain={sibling} /> <span part="asking">asking …</span>
          </Place>
        ))}
      </div>
    </>
  )
  const facts = (
    <>
      <Place name="whois">Asking its registry …</Place>
      <slot name="tld" />
    </>
  )
  return (
    <>
      {isTest && <TestMark environment="sandbox" />}
      {forSale ?? (
        <h1 class="display">
          <Name domain={domain} />
        </h1>
      )}
      <StreamedParts
        waiting={
          forSale ? (
            <>
              {rows}
              <div part="folds">{facts}</div>
            </>
          ) : (
            <div part="columns">
              <div part="column">
                <Place name="offer">Asking about it …</Place>
                {rows}
              </div>
              <div part="column">{facts}</div>
            </div>
          )
        }
      />
    </>
  )
}

/** What is not what most visitors came for: folded away. */
export function Fold({
  slot,
  title,
  open,
  children,
}: {
  slot: string
  title: ComponentChildren
  open: boolean
  children: ComponentChildren
}) {
  return (
    <details slot={slot} class="fold" open={open}>
      <summary>
        <h2>{title}</h2>
      </summary>
      <div class="panel">{children}</div>
    </details>
  )
}

export interface OfferState {
  domain: string
  state: keyof typeof STATES | 'sold'
  /** What a registration costs, of a free name. */
  registration: { price_cents: number; currency: string } | null
  /** What it is on the market for; the price is null for those who may not see it. */
  listing: { price_cents: number | null; currency: string } | null
  asking: BrokerageOption
  /** Where a free name can be registered; null where we know of nowhere. */
  registerAt: string | null
}

/** The one thing to do with the name, whatever became of it. */
export function OfferPanel(offer: OfferState) {
  return (
    <section slot="offer" class="panel roomy offer-panel" aria-label="Availability">
      <Said {...offer} />
    </section>
  )
}

/** What a name that is for sale costs, and the way to buy it. */
export function NameForSale({
  domain,
  listing,
  takesOffers,
}: Pick<OfferState, 'domain' | 'listing'> & {
  /** Whether the seller considers less than the price. */
  takesOffers: boolean
}) {
  const signIn = `/sign-in?next=${encodeURIComponent(nameLink(domain))}`
  return (
    <BuyBox
      price={listing ?? { price_cents: null, currency: '' }}
      masked={
        <>
          <a href={signIn}>Sign in to see the price here</a>, or see it on the next page before you
          pay.
        </>
      }
      buy={
        <form method="post" action={nameLink(domain)}>
          <button type="submit">Buy {withULabels(domain)}</button>
        </form>
      }
    >
      {takesOffers && <OfferLink domain={domain} />}
    </BuyBox>
  )
}

function Said({ domain, state, registration, listing, asking, registerAt }: OfferState) {
  switch (state) {
    case 'for_sale':
      return <NameForSale domain={domain} listing={listing} takesOffers={false} />
    case 'reserved':
      return <Reserved />
    case 'available':
    case 'premium':
      return (
        <>
          <State state={state} />
          {registerAt !== null && registration && (
            <p class="price">{money(registration.price_cents, registration.currency)}</p>
          )}
          <p>
            Nobody has registered this name.
            {state === 'premium' && ' Its registry asks a price of its own for it.'}
          </p>
          {registerAt === null ? (
            <p class="soft">You can register it at a registrar of your choice.</p>
          ) : (
            <>
              <p class="buy-ways">
                <a class="button" rel="nofollow noopener" href={registerAt}>
                  Register {withULabels(domain)}
                </a>
              </p>
              <p class="soft">You register it at another site, which may ask another price.</p>
            </>
          )}
        </>
      )
    case 'withheld':
      return (
        <>
          <State state="withheld" />
          <p>Nobody can register this name: its registry keeps it.</p>
        </>
      )
    case 'unknown':
      return (
        <>
          <State state="unknown" />
          <p>
            Its registry did not respond. <a href={nameLink(domain)}>Ask again</a>
          </p>
        </>
      )
    default:
      return (
        <>
          <State state="registered" />
          {state === 'sold' && <Notice kind="info">This name was sold here.</Notice>}
          <Owner domain={domain} asking={asking} />
        </>
      )
  }
}

/** The way to whoever has it. */
function Owner({ domain, asking }: Pick<OfferState, 'domain' | 'asking'>) {
  if (asking === 'running') return <p>A broker is asking its owner for a buyer already.</p>
  if (asking === 'test') return <p>It is a name for tests: there is no owner to ask.</p>
  return (
    <>
      <p>
        Somebody has it, and may sell it. A broker asks the owner for you; you pay only if you agree
        on a price.
      </p>
      <p>
        <a class="button" href={`${nameLink(domain)}/offer`}>
          Make an offer
        </a>
      </p>
    </>
  )
}

/** What a search says of the page's own name, as something to do. */
export function offerOf(
  result: DomainResult,
  asking: BrokerageOption,
  registerAt: string | null,
): OfferState {
  const { domain, registration_price_cents, currency, listing } = result
  return {
    domain,
    state: stateOf(result),
    registration:
      registration_price_cents !== null && currency !== null
        ? { price_cents: registration_price_cents, currency }
        : null,
    listing,
    asking,
    registerAt,
  }
}

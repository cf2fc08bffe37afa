import { withULabels } from 'domain-marketplace-domain-names'
import type { DomainResult } from '../../domain/listings/search-domain.ts'
import { TestMark } from '../checkout/steps.tsx'
import { money } from '../components/money.ts'
import { Name } from '../components/name.tsx'
import { Notice } from '../components/parts.tsx'
import { Place, StreamedParts } from '../layout/stream-page.tsx'
import type { BrokerageOption } from './brokerage-option.ts'
import { nameLink, type STATES, State, stateOf } from './names.tsx'
import { OfferLink } from './offer-link.tsx'

/** A name's page; what must be asked for comes in as it is known. */
export function NamePage({
  domain,
  siblings,
  isTest,
}: {
  domain: string
  siblings: string[]
  isTest: boolean
}) {
  return (
    <>
      {isTest && <TestMark environment="sandbox" />}
      <h1 class="display">
        <Name domain={domain} />
      </h1>
      <StreamedParts
        waiting={
          <div part="columns">
            <div part="column">
              <Place name="offer">Asking about it …</Place>
              <slot name="similar" />
              <slot name="siblings" />
              <div part="rows" role="list">
                {siblings.map((sibling, index) => (
                  <Place name={`row-${index}`} role="listitem">
                    <Name domain={sibling} /> <span part="asking">asking …</span>
                  </Place>
                ))}
              </div>
            </div>
            <div part="column">
              <Place name="whois">Asking its registry …</Place>
              <slot name="tld" />
            </div>
          </div>
        }
      />
    </>
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
  /** Whether whoever sells it considers less than the price. */
  takesOffers?: boolean
}

/** The one thing to do with the name, whatever became of it. */
export function OfferPanel(offer: OfferState) {
  return (
    <section slot="offer" class="panel roomy offer-panel" aria-label="Availability">
      <Said {...offer} />
    </section>
  )
}

function Said({ domain, state, registration, listing, asking, takesOffers }: OfferState) {
  const signIn = `/sign-in?next=${encodeURIComponent(nameLink(domain))}`
  switch (state) {
    case 'for_sale':
      return (
        <>
          <State state="for_sale" />
          {listing?.price_cents == null ? (
            <p class="price masked">
              <a href={signIn}>Sign in to see the price here</a>
            </p>
          ) : (
            <p class="price">{money(listing.price_cents, listing.currency)}</p>
          )}
          <p class="soft">One price, no fees, and your money back if the transfer fails.</p>
          <form method="post" action={nameLink(domain)}>
            <button type="submit">Buy {withULabels(domain)}</button>
          </form>
          {takesOffers && <OfferLink domain={domain} />}
          {listing?.price_cents == null && (
            <p class="soft after">
              You can buy without an account: the next page shows the price before you pay.
            </p>
          )}
        </>
      )
    case 'reserved':
      return (
        <>
          <State state="reserved" />
          <p>Somebody is buying this name just now. Come back later: it may be free again.</p>
        </>
      )
    case 'available':
      return (
        <>
          <State state="available" />
          {registration && (
            <p class="price">{money(registration.price_cents, registration.currency)}</p>
          )}
          <p>
            Nobody has registered this name.
            {registration ? ' That is what a first registration costs.' : ''}
          </p>
        </>
      )
    case 'premium':
      return (
        <>
          <State state="premium" />
          {registration && (
            <p class="price">{money(registration.price_cents, registration.currency)}</p>
          )}
          <p>Nobody has registered this name. Its registry asks a price of its own for it.</p>
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
export function offerOf(result: DomainResult, asking: BrokerageOption): OfferState {
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
  }
}

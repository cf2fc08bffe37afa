import type { ComponentChildren } from 'preact'
import type { DomainResult } from '../../domain/listings/search-domain.ts'
import { money } from '../components/money.ts'
import { Name } from '../components/name.tsx'
import { Badge, type Tone } from '../components/parts.tsx'

export function nameLink(domain: string): string {
  return `/d/${domain}`
}

/** Opens a checkout from where no form of ours can be sent, such as a lander. */
export function checkoutLink(domain: string): string {
  return `${nameLink(domain)}/checkout`
}

interface Shown {
  price_cents: number | null
  currency: string
}

export const STATES: Record<
  'for_sale' | 'reserved' | 'available' | 'premium' | 'withheld' | 'registered' | 'unknown',
  [tone: Tone, text: string]
> = {
  for_sale: ['good', 'for sale'],
  reserved: ['warn', 'being bought'],
  available: ['info', 'available'],
  premium: ['info', 'available, premium'],
  withheld: ['plain', 'reserved by its registry'],
  registered: ['plain', 'taken'],
  unknown: ['plain', 'not known'],
}

export function stateOf({ state, available }: DomainResult): keyof typeof STATES {
  // Here `reserved` is what a buyer has reserved.
  if (state === 'reserved') return 'withheld'
  if (state !== 'listed') return state
  return available === true ? 'for_sale' : 'reserved'
}

export function State({ state }: { state: keyof typeof STATES }) {
  const [tone, text] = STATES[state]
  return <Badge tone={tone} text={text} />
}

/** One name of several, with what is known of it. */
function NameRow({
  domain,
  note,
  slot,
  children,
}: {
  domain: string
  note?: ComponentChildren
  /** Where a streamed row goes. */
  slot?: string
  children?: ComponentChildren
}) {
  return (
    <div class="name-row" role="listitem" slot={slot}>
      <a href={nameLink(domain)}>
        <Name domain={domain} />
      </a>
      {note !== undefined && <small class="note">{note}</small>}
      <span class="facts-of">{children}</span>
    </div>
  )
}

/** A name on the market, with its price and the way to it: one row, wherever names are listed. */
export function SaleRow({
  domain,
  price,
  isReserved = false,
  note,
  slot,
}: {
  domain: string
  price: Shown
  /** Somebody else is about to buy it. */
  isReserved?: boolean
  note?: ComponentChildren
  slot?: string
}) {
  const { price_cents, currency } = price
  return (
    <NameRow domain={domain} note={note} {...(slot !== undefined && { slot })}>
      {isReserved && <State state="reserved" />}
      {price_cents !== null && <span class="amount">{money(price_cents, currency)}</span>}
      {isReserved || price_cents === null ? (
        <ViewLink domain={domain} />
      ) : (
        <a
          class="button small"
          aria-label={`Buy ${domain}`}
          rel="nofollow"
          href={checkoutLink(domain)}
        >
          Buy
        </a>
      )}
    </NameRow>
  )
}

function ViewLink({ domain }: { domain: string }) {
  return (
    <a class="button small quiet" aria-label={`View ${domain}`} href={nameLink(domain)}>
      View
    </a>
  )
}

/** What a search said of a name. */
export function ResultRow({
  result,
  slot,
  registerAt,
}: {
  result: DomainResult
  slot: string
  /** Where it can be registered if nobody has it; null where we know of nowhere, and so of no price. */
  registerAt: string | null
}) {
  const { domain, listing, registration_price_cents, currency, for_sale } = result
  const state = stateOf(result)
  if (listing) {
    const isReserved = state === 'reserved'
    return <SaleRow domain={domain} price={listing} isReserved={isReserved} slot={slot} />
  }
  const isFree = (state === 'available' || state === 'premium') && registerAt !== null
  const note = for_sale
    ? `for sale by its owner${for_sale.price ? `: ${for_sale.price}` : ''}`
    : undefined
  return (
    <NameRow domain={domain} slot={slot} note={note}>
      <State state={state} />
      {isFree && registration_price_cents !== null && currency !== null && (
        <span class="amount">
          {money(registration_price_cents, currency)}
          <span class="hidden"> to register</span>
        </span>
      )}
      {isFree ? (
        <a
          class="button small quiet"
          aria-label={`Register ${domain}`}
          rel="nofollow noopener"
          href={registerAt}
        >
          Register
        </a>
      ) : (
        <ViewLink domain={domain} />
      )}
    </NameRow>
  )
}

/** Rows that are known already. */
export function NameList({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="name-list" role="list" aria-label={label}>
      {children}
    </div>
  )
}

/** Signing in shows prices; asked once for a whole list. */
export function PriceHint({ next }: { next: string }) {
  return (
    <p class="soft price-hint">
      <a href={`/sign-in?next=${encodeURIComponent(next)}`}>Sign in</a> to see the prices.
    </p>
  )
}

/** The one question that the market's pages ask. */
export function SearchBox({ q, autofocus = false }: { q?: string; autofocus?: boolean }) {
  return (
    <form class="search-box" action="/search" role="search">
      <label>
        <span class="hidden">A name, or what it is for</span>
        <input
          name="q"
          type="search"
          value={q}
          maxlength={100}
          required
          placeholder="A name, or what it is for"
          autocapitalize="none"
          spellcheck={false}
          autofocus={autofocus}
        />
      </label>
      <button type="submit">Search</button>
    </form>
  )
}

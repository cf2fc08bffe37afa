import type { Listing, ListingStatus } from '../../modules/inventory/listing.ts'
import { Notice } from '../pages/frame.tsx'
import { Offer, TestMark } from './forms.tsx'
import { money } from './money.ts'

/** What is for sale, the newest first. Prices in bulk are for callers with a token; a name's page has its own. */
export function Home({ names, isTest }: { names: string[]; isTest: boolean }) {
  return (
    <>
      {isTest && <TestMark environment="sandbox" />}
      <h1>Names for sale</h1>
      <p class="lead">Each has one price, no fees, and your money back if the transfer fails.</p>
      {names.length === 0 ? (
        <Notice kind="info">Nothing is for sale at the moment.</Notice>
      ) : (
        <ul class="names">
          {names.map((domain) => (
            <li>
              <a href={`/d/${domain}`}>{domain}</a>
            </li>
          ))}
        </ul>
      )}
      <p class="aside">
        Building on this market? Read <a href="/docs">the API</a>.
      </p>
    </>
  )
}

/** A name's own page, with a buy button while it can be had. */
export function NamePage({ listing, status }: { listing: Listing; status: ListingStatus }) {
  const { domain, environment, price_cents, currency } = listing
  return (
    <>
      <TestMark environment={environment} />
      <Offer domain={domain} price={money(price_cents, currency)} />
      {status === 'listed' && (
        <>
          <p class="lead">One price, no fees, and your money back if the transfer fails.</p>
          <form method="post" action={`/d/${domain}`}>
            <button type="submit">Buy {domain}</button>
          </form>
        </>
      )}
      {status === 'reserved' && (
        <Notice kind="info">
          Somebody is buying this name just now. Come back in ten minutes: it may be free again.
        </Notice>
      )}
      {status === 'sold' && <Notice kind="info">This name is sold.</Notice>}
      <p class="aside">
        <a href="/">See other names</a>
      </p>
    </>
  )
}

import { withULabels } from 'domain-marketplace-domain-names'
import type { ListingStatus } from '../../domain/listings/listing.ts'
import { Name } from '../components/name.tsx'
import { useSite } from '../layout/site.ts'
import { Assurances } from '../market/assurances.tsx'
import { BuyBox } from '../market/buy-box.tsx'
import { nameLink, State } from '../market/names.tsx'

export interface LanderState {
  domain: string
  status: ListingStatus
  /** Null where prices are for those who have signed in. */
  price_cents: number | null
  currency: string
  description: string | null
  isSellersOwn: boolean
}

/** What a visitor of a name that is for sale finds at the name itself. */
export function Lander({
  domain,
  status,
  price_cents,
  currency,
  description,
  isSellersOwn,
}: LanderState) {
  const { baseUrl } = useSite()
  const page = baseUrl + nameLink(domain)
  return (
    <div class="shop">
      <div class="shop-name">
        <p class="eyebrow">This domain name is for sale</p>
        <h1 class="display">
          <Name domain={domain} />
        </h1>
        {description !== null && <p class="words">{description}</p>}
      </div>
      <section class="panel roomy offer-panel" aria-label="Price">
        {status === 'listed' ? (
          <BuyBox
            price={{ price_cents, currency }}
            masked="The next page shows the price before you pay."
            buy={
              <a class="button" rel="nofollow" href={`${page}/checkout`}>
                Buy {withULabels(domain)}
              </a>
            }
          />
        ) : (
          <>
            <State state="reserved" />
            <p>
              Somebody is buying this name just now. Come back later: it may be free again.{' '}
              <a href={page}>See its page</a>
            </p>
          </>
        )}
      </section>
      <Assurances isSellersOwn={isSellersOwn} home={baseUrl} />
    </div>
  )
}

import { withULabels } from 'domain-marketplace-domain-names'
import type { ListingStatus } from '../../domain/listings/listing.ts'
import { useSite } from '../layout/site.ts'
import { BuyBox, Reserved } from '../market/buy-box.tsx'
import { checkoutLink, nameLink } from '../market/names.tsx'
import { OfferLink } from '../market/offer-link.tsx'
import { Shop } from '../market/shop.tsx'

/** What a visitor of a name that is for sale finds at the name itself. */
export function Lander({
  domain,
  status,
  price,
  description,
  isSellersOwn,
  takesOffers,
}: {
  domain: string
  status: ListingStatus
  /** Null where prices are for those who have signed in. */
  price: { price_cents: number | null; currency: string }
  description: string | null
  isSellersOwn: boolean
  takesOffers: boolean
}) {
  const { baseUrl } = useSite()
  return (
    <Shop
      domain={domain}
      eyebrow="This domain name is for sale"
      description={description}
      isSellersOwn={isSellersOwn}
      home={baseUrl}
    >
      {status === 'listed' ? (
        <BuyBox
          price={price}
          masked="The next page shows the price before you pay."
          buy={
            <a class="button" rel="nofollow" href={baseUrl + checkoutLink(domain)}>
              Buy {withULabels(domain)}
            </a>
          }
        >
          {takesOffers && <OfferLink domain={domain} home={baseUrl} />}
        </BuyBox>
      ) : (
        <Reserved>
          <a href={baseUrl + nameLink(domain)}>See its page</a>
        </Reserved>
      )}
    </Shop>
  )
}

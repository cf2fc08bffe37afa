import { nameText } from 'domain-marketplace-domain-names'
import type { AppContext } from '../../core/context.ts'
import type { ListingStatus } from '../../domain/listings/listing.ts'
import { unitsOf } from '../../lib/money.ts'
import type { PageOptions } from '../layout/frame.tsx'
import { nameLink } from './names.tsx'

const AVAILABILITY = { listed: 'InStock', reserved: 'OutOfStock', sold: 'SoldOut' }

/** What search engines and networks say of a name's page: the price only to those who see it on the page. */
export function headOf(
  domain: string,
  status: ListingStatus,
  { price_cents, currency }: { price_cents: number | null; currency: string },
  { brand }: Pick<AppContext, 'brand'>,
): Pick<PageOptions, 'canonical' | 'description' | 'picture' | 'jsonLd'> {
  const name = nameText(domain)
  const isSold = status === 'sold'
  const description = isSold
    ? `The domain name ${name} was sold on ${brand.name}.`
    : `The domain name ${name} is for sale on ${brand.name}: one price, no fees, and your money back if the transfer fails.`
  const path = nameLink(domain)
  const picture = { path: `${path}/card.png`, alt: isSold ? `${name}, sold` : `${name}, for sale` }
  return {
    canonical: path,
    description,
    picture,
    jsonLd: {
      '@context': 'https://schema.org',
      '@type': 'Product',
      name,
      description,
      category: 'Domain name',
      sku: domain,
      url: brand.baseUrl + path,
      image: brand.baseUrl + picture.path,
      offers: {
        '@type': 'Offer',
        url: brand.baseUrl + path,
        availability: `https://schema.org/${AVAILABILITY[status]}`,
        ...(status === 'listed' &&
          price_cents !== null && {
            price: unitsOf(price_cents, currency),
            priceCurrency: currency,
          }),
        seller: { '@type': 'Organization', name: brand.legal.name },
      },
    },
  }
}

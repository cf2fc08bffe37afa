import { withULabels } from 'domain-marketplace-domain-names'
import { nameLink } from './names.tsx'

/**
 * Beside the buy button of a name that takes offers.
 *
 * @param home the address of our own pages, where the link is on a page at another host
 */
export function OfferLink({ domain, home = '' }: { domain: string; home?: string }) {
  return (
    <a class="button quiet" rel="nofollow" href={`${home}${nameLink(domain)}/offer`}>
      Make an offer<span class="hidden"> for {withULabels(domain)}</span>
    </a>
  )
}

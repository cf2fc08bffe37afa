import { withULabels } from 'domain-marketplace-domain-names'
import { nameLink } from './names.tsx'

/** Beside the buy button of a name that takes offers. */
export function OfferLink({ domain }: { domain: string }) {
  return (
    <p class="after">
      <a href={`${nameLink(domain)}/offer`}>
        Make an offer<span class="hidden"> for {withULabels(domain)}</span>
      </a>
    </p>
  )
}

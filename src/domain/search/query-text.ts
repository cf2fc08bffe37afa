import { parseDomainName } from 'domain-marketplace-domain-names'
import { splitLabel } from 'domain-marketplace-name-search'

/** What of a query is embedded: a domain as the words of its label, anything else as typed. */
export function textOf(query: string): string {
  const label = query.includes('.') ? parseDomainName(query)?.label : undefined
  const text = label === undefined ? query : splitLabel(label).join(' ')
  return text.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ')
}

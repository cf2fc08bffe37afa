import { nameText } from 'domain-marketplace-domain-names'

/** How many names a mail lists at most; the account shows all. */
const MAX_LISTED = 100

/** Of a subject line: the one name, or how many there are. */
export function namesInShort(domains: readonly string[]): string {
  const [first] = domains
  return domains.length === 1 && first ? nameText(first) : `${domains.length} domains`
}

/** The first lines of a list, and how many more there are; null where there are none. */
export function listed(lines: readonly string[]): { list: string[] } | null {
  const more = lines.length - MAX_LISTED
  const list = [...lines.slice(0, MAX_LISTED), ...(more > 0 ? [`and ${more} more`] : [])]
  return list.length === 0 ? null : { list }
}

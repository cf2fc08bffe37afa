import { domainToASCII, domainToUnicode } from 'node:url'

/** A registrable name as we store and return it: lower-case A-labels. */
export interface DomainName {
  domain: string
  /** The first label: what a person calls the name. */
  label: string
  /** Everything after the first dot: `com`, `co.uk`. */
  tld: string
}

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
/** The root has no numeric top-level domain (RFC 3696, section 2), so this also rejects IPv4 addresses. */
const TOP_LEVEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/
const MAX_LENGTH = 253

/**
 * Reads a domain name in any case, as A-labels or U-labels (RFC 5890, UTS #46).
 * Returns null when the text is not a host name of at least two labels.
 */
export function parseDomainName(text: string): DomainName | null {
  const domain = toAscii(text)
  if (domain === null || domain.length > MAX_LENGTH) return null
  const labels = domain.split('.')
  if (labels.length < 2 || !labels.every(isLabel)) return null
  if (!TOP_LEVEL.test(labels.at(-1) ?? '')) return null
  const label = labels[0] ?? ''
  return { domain, label, tld: domain.slice(label.length + 1) }
}

/** A name, or the end of one, as people read it: with U-labels. */
export function withULabels(domain: string): string {
  return domainToUnicode(domain) || domain
}

/** The same in plain text; beside an internationalised name stands what it is sent as. */
export function nameText(domain: string): string {
  const shown = withULabels(domain)
  return shown === domain ? domain : `${shown} (${domain})`
}

/** A part of a name as we store names, so that it is found in them; what no name can hold stays as it is. */
export function partOfName(text: string): string {
  // By itself a number would be read as an IPv4 address.
  return toAscii(`${text}.com`)?.slice(0, -'.com'.length) ?? lowerCase(text)
}

/** Letter by letter, as UTS #46 has it: by itself JavaScript ends ΟΔΟΣ in ς, another letter than σ in names. */
function lowerCase(text: string): string {
  return text.replaceAll('Σ', 'σ').toLowerCase()
}

function toAscii(text: string): string | null {
  if (text.length === 0 || text.length > 1024) return null
  const lower = lowerCase(text)
  if (/^[a-z0-9.-]+$/.test(lower) && !lower.includes('xn--')) return lower
  // Everything ASCII that no host name holds is rejected here: the URL parser would cut at some of it.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is the whole of ASCII
  if (/[\u0000-\u002c\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]/.test(lower)) return null
  const ascii = domainToASCII(lower)
  return ascii === '' ? null : ascii
}

function isLabel(label: string): boolean {
  if (!LABEL.test(label)) return false
  // Nor has what an A-label stands for hyphens at its ends, or in the third and fourth place (RFC 5891, 4.2.3.1).
  return !/^-|-$|^..--/u.test(label.startsWith('xn--') ? domainToUnicode(label) : label)
}

/** What follows the first dot of a domain in lower-case A-labels. */
export function tldOf(domain: string): string {
  return domain.slice(domain.indexOf('.') + 1)
}

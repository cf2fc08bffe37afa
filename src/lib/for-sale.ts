import { digitsOf } from './money.ts'

/** What the TXT records of `_for-sale.<domain>` say (RFC 10023): written by strangers, so everything in it is text. */
export interface ForSale {
  /** Where the owner can be asked. */
  url: string | null
  /** A currency and an amount, such as `USD750`. */
  price: string | null
  /** What means something to whoever agreed on it. */
  codes: string[]
}

const VERSION = 'v=FORSALE1;'
/** The longest character-string of a TXT record, of which a record has one alone. */
const MAX_OCTETS = 255
const MAX_RECORDS = 50
/** Also of cryptocurrencies; a price that is longer is none that anyone would read. */
const PRICE = /^[A-Z]{1,10}\d{1,20}(?:\.\d{1,20})?$/
/** No spaces, quotes, brackets, or anything that is not seen: directions of writing, controls, private use. */
const URL_TEXT = /^[^\s"'<>\\^`{|}\p{C}\p{Z}]+$/u
const SCHEME = /^(?:https?:\/\/[^/?#]|mailto:[^/]|tel:[\d+(])/i

/**
 * Reads the records, each of which is bytes as Latin-1, as DNS libraries have them; null where none of them says that
 * the domain is for sale. Content that is malformed says nothing, and the version alone says that it is for sale.
 */
export function parseForSale(records: readonly string[]): ForSale | null {
  const said = records
    .filter((record) => record.startsWith(VERSION))
    .slice(0, MAX_RECORDS)
    .map(contentOf)
  if (said.length === 0) return null
  // Servers respond in any order, and the same should be shown each time.
  const contents = said.toSorted()
  const valuesOf = (tag: string) =>
    contents
      .filter((content) => content.startsWith(tag))
      .map((content) => content.slice(tag.length))
  return {
    url: valuesOf('furi=').find(isUrl) ?? null,
    price: valuesOf('fval=').find((price) => PRICE.test(price)) ?? null,
    codes: valuesOf('fcod=').filter((code) => code !== ''),
  }
}

/** The tag and its value; nothing where they are no text, or too long for one string. */
function contentOf(record: string): string {
  if (record.length > MAX_OCTETS) return ''
  const bytes = Buffer.from(record.slice(VERSION.length), 'latin1')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).trim()
  } catch {
    return ''
  }
}

function isUrl(text: string): boolean {
  if (!URL_TEXT.test(text) || !SCHEME.test(text) || !URL.canParse(text)) return false
  // Who reads `https://bank.example@elsewhere.example` is led astray.
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** The records that say so of a domain: one for each thing that is said. */
export function forSaleRecords(url: string, cents: number, currency: string): string[] {
  const digits = digitsOf(currency)
  const amount = (cents / 10 ** digits).toFixed(digits).replace(/\.0+$/, '')
  return [forSaleUrlRecord(url), `${VERSION}fval=${currency}${amount}`]
}

/** The record that names the place alone, which says what holds. */
export function forSaleUrlRecord(url: string): string {
  return `${VERSION}furi=${url}`
}

/** The label below a domain at which the records are. */
export const FOR_SALE_LABEL = '_for-sale'

export function forSaleName(domain: string): string {
  return `${FOR_SALE_LABEL}.${domain}`
}

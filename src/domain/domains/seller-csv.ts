import { setImmediate as immediate } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { quoted } from '../../core/csv-import.ts'
import { invalid } from '../../core/errors.ts'
import { HOME_CURRENCY, MAX_CENTS } from '../../lib/money.ts'
import { truncate } from '../../lib/truncate.ts'
import type { AskingPrice } from '../listings/seller-listing.ts'
import { readClaimable } from './claim-results.ts'

export const MAX_ROWS = 50_000
const MAX_ROW = 300
/** Rows that are read without a pause. */
const AT_ONCE = 500

/** The columns that a seller's file may have, in any order and with any others, which are not read. */
const COLUMNS = ['domain', 'price', 'floor', 'min_offer', 'offers', 'currency'] as const
type Column = (typeof COLUMNS)[number]

/** Other names of columns, in small letters and digits alone, as the files of other marketplaces have them. */
const NAMES: Record<Column, readonly string[]> = {
  domain: words('domain domainname name'),
  price: words(
    'price buynow buynowprice buyitnow buyitnowprice bin binprice askingprice fixedprice listingprice listprice saleprice',
  ),
  floor: words('floor floorprice reserve reserveprice'),
  min_offer: words('minoffer minimumoffer minofferprice minprice minimumprice leastoffer'),
  offers: words('offers makeoffer acceptoffers'),
  currency: words('currency'),
}

function words(text: string): string[] {
  return text.split(' ')
}

/** The same amounts in cents, as the operators' files have them. */
const IN_CENTS: Partial<Record<string, Column>> = {
  pricecents: 'price',
  floorpricecents: 'floor',
  minoffercents: 'min_offer',
}

interface RejectedRow {
  line: number
  field: string
  issue: string
  /** As it was sent, cut where it is long. */
  row: string
}

export interface SellerRow {
  line: number
  domain: string
  /** What is asked for it; null where the row names no price, and absent where the file has no such column. */
  price?: AskingPrice | null
  row: string
}

export interface SellerFile {
  rows: SellerRow[]
  rejected: RejectedRow[]
  /** Columns that are not read, as they are named. */
  ignored: string[]
  /** How many rows it has, its header and empty lines not counted. */
  count: number
}

interface Header {
  separator: string
  at: ReadonlyMap<Column, { index: number; isCents: boolean }>
  ignored: string[]
}

/**
 * Reads a seller's CSV file as spreadsheets write it, with commas, semicolons or tabs. A row is a line, so that a quote
 * that is never closed spoils no other row. Its first line names its columns.
 */
export async function readSellerCsv(text: string): Promise<SellerFile> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  const first = lines.findIndex((line) => line.trim() !== '')
  const header = readHeader(lines[first] ?? '')
  const file: SellerFile = { rows: [], rejected: [], ignored: header.ignored, count: 0 }
  const seen = new Map<string, number>()
  for (const [index, text] of lines.entries()) {
    if (index <= first || text.trim() === '') continue
    // Other requests have their turn.
    if (index % AT_ONCE === 0) await immediate()
    file.count += 1
    if (file.count > MAX_ROWS) {
      throw invalid({ field: 'csv', issue: `has more than ${MAX_ROWS} rows: send it in parts` })
    }
    const [line, row] = [index + 1, truncate(text.trim(), MAX_ROW)]
    const read = readRow(text, header)
    if ('issue' in read) {
      file.rejected.push({ line, ...read, row })
      continue
    }
    const before = seen.get(read.domain)
    if (before !== undefined) {
      file.rejected.push({ line, ...rejection('domain', `is on line ${before}, too`), row })
      continue
    }
    seen.set(read.domain, line)
    file.rows.push({ line, ...read, row })
  }
  return file
}

function readHeader(line: string): Header {
  const separator = [',', ';', '\t'].toSorted((a, b) => count(line, b) - count(line, a))[0] ?? ','
  const names = cellsOf(line, separator) ?? []
  const at = new Map<Column, { index: number; isCents: boolean }>()
  const ignored: string[] = []
  for (const [index, name] of names.entries()) {
    const known = columnOf(name)
    if (!known) {
      if (name !== '') ignored.push(truncate(name, 80))
      continue
    }
    const { column, isCents } = known
    if (at.has(column)) throw invalid({ field: 'header', issue: `names the ${column} twice` })
    at.set(column, { index, isCents })
  }
  if (!at.has('domain')) {
    const issue =
      'must be the first line, and name the columns: domain, price, floor, min_offer, offers. Only domain is needed'
    throw invalid({ field: 'header', issue })
  }
  if (!at.has('price')) {
    const other = (['floor', 'min_offer', 'offers'] as const).find((column) => at.has(column))
    if (other) throw invalid({ field: 'header', issue: `names a ${other}, but no price` })
  }
  return { separator, at, ignored }
}

function count(line: string, separator: string): number {
  return line.split(separator).length
}

function columnOf(name: string): { column: Column; isCents: boolean } | null {
  const letters = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  const cents = IN_CENTS[letters]
  if (cents) return { column: cents, isCents: true }
  const plain = letters.replace(/(?:in)?usd$/, '')
  const column = COLUMNS.find((each) => NAMES[each].includes(plain))
  return column ? { column, isCents: false } : null
}

/** The cells of a line; null where a quote is none of a cell's. */
function cellsOf(line: string, separator: string): string[] | null {
  if (!line.includes('"')) return line.split(separator).map(plain)
  try {
    const options = { delimiter: separator, relax_column_count: true, trim: true }
    const [cells = []]: string[][] = parse(line, options)
    return cells.map(plain)
  } catch {
    return null
  }
}

/** Without the mark that keeps spreadsheets, and our own files, from running a text as a formula. */
function plain(cell: string): string {
  return cell.trim().replace(/^'/, '')
}

interface Rejection {
  field: string
  issue: string
}

function rejection(field: string, issue: string): Rejection {
  return { field, issue }
}

function readRow(
  line: string,
  { separator, at }: Header,
): Pick<SellerRow, 'domain' | 'price'> | Rejection {
  const cells = cellsOf(line, separator)
  if (!cells) return rejection('row', 'has a quote that does not begin or end a cell')
  const cell = (column: Column) => cells[at.get(column)?.index ?? -1] ?? ''
  const domain = readClaimable(cell('domain'))
  if (typeof domain !== 'string') {
    return rejection('domain', `${quoted(cell('domain'))} ${domain.issues[0]?.issue ?? ''}`)
  }
  if (!at.has('price')) return { domain }
  const amounts: Partial<Record<'price' | 'floor' | 'min_offer', number | null>> = {}
  for (const column of ['price', 'floor', 'min_offer'] as const) {
    const cents = readAmount(cell(column), at.get(column)?.isCents ?? false)
    if (cents === undefined) return rejection(column, noAmount(cell(column)))
    amounts[column] = cents
  }
  const { price = null, floor = null } = amounts
  const min_offer = amounts.min_offer || null
  if (price === 0) return rejection('price', 'is 0: leave it empty to add the domain without one')
  if (floor === 0) return rejection('floor', 'is 0: leave it empty to accept the price alone')
  const offers = readOffers(cell('offers'))
  if (!offers) return rejection('offers', `${quoted(cell('offers'))} is neither open nor off`)
  const currency = cell('currency').toUpperCase()
  if (currency !== '' && currency !== HOME_CURRENCY) {
    return rejection('currency', `${quoted(currency)}: prices here are in ${HOME_CURRENCY}`)
  }
  if (price === null) {
    if (floor === null && min_offer === null) return { domain, price: null }
    return rejection('price', 'is missing: a floor or a least offer needs one')
  }
  if (floor !== null && floor > price) return rejection('floor', 'is above the price: lower it')
  if (min_offer !== null && min_offer > price) {
    return rejection('min_offer', 'is above the price: lower it')
  }
  const priceCents = price
  return {
    domain,
    price: { priceCents, floorPriceCents: floor ?? price, offers, minOfferCents: min_offer },
  }
}

/** `1250`, `1,250.00`, `$1,250` or `1250 USD` in cents; null for nothing, and undefined for what is none of these. */
function readAmount(text: string, isCents: boolean): number | null | undefined {
  if (text === '') return null
  if (isCents) return /^\d{1,12}$/.test(text) ? inRange(Number(text)) : undefined
  const amount =
    /^(?:US)?\$?\s*(?<whole>\d{1,3}(?:,\d{3})+|\d{1,10})(?:\.(?<cents>\d{1,2}))?\s*(?:USD)?$/i.exec(
      text,
    )?.groups
  if (!amount) return undefined
  const { whole = '', cents = '' } = amount
  return inRange(Number(whole.replaceAll(',', '')) * 100 + Number(cents.padEnd(2, '0')))
}

function inRange(cents: number): number | undefined {
  return cents <= MAX_CENTS ? cents : undefined
}

function noAmount(text: string): string {
  return `${quoted(text)} is not an amount in US dollars such as 1250.00, of at most ${MAX_CENTS / 100}`
}

const OPEN = ['', 'open', 'on', 'yes', 'y', 'true', '1']
const OFF = ['off', 'no', 'n', 'false', '0']

function readOffers(text: string): AskingPrice['offers'] | null {
  const word = text.toLowerCase()
  if (OPEN.includes(word)) return 'open'
  return OFF.includes(word) ? 'off' : null
}

import { addAbortSignal, type Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { parseDomainName } from 'domain-marketplace-domain-names'
import { splitLabel } from 'domain-marketplace-name-search'
import { sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { type FileRow, isHeader, quoted, ROW_A_LINE, unreadable } from '../../core/csv-import.ts'
import { HOME_CURRENCY, isCurrency, MAX_CENTS } from '../../lib/money.ts'
import { truncate } from '../../lib/truncate.ts'
import { allBlocked } from './blocked-domain.ts'
import { postingColumns } from './postings.ts'
import { followWrite, NOTE_CHANGE } from './write-listings.ts'

/** Rows that go to the database together, each batch in a transaction of its own. */
const BATCH = 20_000
const MAX_REPORTED = 1_000
const MAX_ROW = 300
/** Those that come before what is said of offers. */
const OWN_COLUMNS = 4
const COLUMNS = [
  'domain',
  'price_cents',
  'floor_price_cents',
  'currency',
  'offers',
  'min_offer_cents',
] as const

interface RejectedRow {
  line: number
  field: string
  issue: string
}

interface ImportOptions {
  /** Of the file, where only a part of it is read here. */
  firstLine?: number
  /** Ends it between two rows: what was loaded stays. */
  signal?: AbortSignal
  progress?(report: ImportReport): void
  /** Called for every bad row, with its text; the report has the first thousand. */
  onRejected?(row: RejectedRow & { row: string }): void
}

export interface ImportReport {
  environment: Environment
  /** Rows read, the header and empty lines not counted. */
  rows: number
  imported: number
  created: number
  updated: number
  /** Names that an import leaves as they are: sold, frozen, blocked since the file was read, or held by a user and not listed as ours. */
  skipped_sold: number
  rejected_count: number
  /** The first thousand. */
  rejected: RejectedRow[]
}

interface Row {
  domain: string
  label: string
  tld: string
  price_cents: number
  floor_price_cents: number
  currency: string
  offers: 'off' | 'open'
  min_offer_cents: number | null
}

/**
 * Loads a CSV file of listings (`domain,price_cents,floor_price_cents,currency,offers,min_offer_cents`): good rows are
 * listed or get their new price, bad ones are reported with their line. A batch that was loaded stays, so an
 * import that breaks off can simply be run again.
 */
export async function importListings(
  app: Pick<AppContext, 'db' | 'server' | 'clock'>,
  environment: Environment,
  csv: Readable,
  { firstLine = 1, signal, progress = () => {}, onRejected = () => {} }: ImportOptions = {},
): Promise<ImportReport> {
  const report: ImportReport = {
    environment,
    rows: 0,
    imported: 0,
    created: 0,
    updated: 0,
    skipped_sold: 0,
    rejected_count: 0,
    rejected: [],
  }
  const reject = (line: number, { field, issue }: Issue, record: string[]) => {
    const row = { line: line + firstLine - 1, field, issue }
    report.rejected_count += 1
    if (report.rejected.length < MAX_REPORTED) report.rejected.push(row)
    onRejected({ ...row, row: truncate(record.join(), MAX_ROW) })
  }
  const parser = csv.pipe(parse(ROW_A_LINE))
  csv.on('error', (error) => parser.destroy(error))
  // Not at the next row, which may never come.
  if (signal) addAbortSignal(signal, parser)

  // A name given twice in a batch counts once: the later line holds.
  let batch = new Map<string, Row>()
  /** Read anew for each batch: names are blocked while a long file comes in. */
  let blocked: Set<string> | undefined
  const flush = async () => {
    if (batch.size > 0) await load(app, environment, [...batch.values()], report)
    batch = new Map()
    blocked = undefined
    progress(report)
  }
  let isFirst = firstLine === 1
  try {
    for await (const { record, info } of parser as AsyncIterable<FileRow>) {
      const wasFirst = isFirst
      isFirst = false
      if (wasFirst && isHeader(record, COLUMNS)) continue
      report.rows += 1
      blocked ??= await allBlocked(app.db)
      const row = readRow(record, blocked)
      if ('issue' in row) reject(info.lines, row, record)
      else batch.set(row.domain, row)
      if (batch.size >= BATCH) await flush()
    }
  } catch (error) {
    throw unreadable(error)
  }
  await flush()
  return report
}

interface Issue {
  field: string
  issue: string
}

function readRow(cells: string[], blocked: ReadonlySet<string>): Row | Issue {
  const [domainCell = '', priceCell = '', floorCell = '', currencyCell = ''] = cells
  const [offersCell = '', minCell = ''] = cells.slice(OWN_COLUMNS)
  if (cells.length > COLUMNS.length) {
    return { field: 'row', issue: `has ${cells.length} columns instead of ${COLUMNS.join(',')}` }
  }
  const name = parseDomainName(domainCell)
  if (!name) return { field: 'domain', issue: `${quoted(domainCell)} is not a domain name` }
  if (blocked.has(name.domain)) return { field: 'domain', issue: 'blocked' }
  const price_cents = readCents(priceCell)
  if (price_cents === null) return { field: 'price_cents', issue: noCents(priceCell) }
  const floor_price_cents = floorCell === '' ? price_cents : readCents(floorCell)
  if (floor_price_cents === null) return { field: 'floor_price_cents', issue: noCents(floorCell) }
  if (floor_price_cents > price_cents) {
    return { field: 'floor_price_cents', issue: 'is above price_cents' }
  }
  const currency = currencyCell === '' ? HOME_CURRENCY : currencyCell.toUpperCase()
  if (!isCurrency(currency)) {
    return {
      field: 'currency',
      issue: `${quoted(currencyCell)} is not a currency code such as USD`,
    }
  }
  const offers = offersCell === '' ? 'open' : offersCell.toLowerCase()
  if (offers !== 'off' && offers !== 'open') {
    return { field: 'offers', issue: `${quoted(offersCell)} is neither off nor open` }
  }
  const min_offer_cents = minCell === '' ? null : readCents(minCell)
  if (minCell !== '' && min_offer_cents === null) {
    return { field: 'min_offer_cents', issue: noCents(minCell) }
  }
  if (min_offer_cents !== null && min_offer_cents > price_cents) {
    return { field: 'min_offer_cents', issue: 'is above price_cents' }
  }
  return { ...name, price_cents, floor_price_cents, currency, offers, min_offer_cents }
}

function readCents(text: string): number | null {
  const cents = /^\d{1,12}$/.test(text) ? Number(text) : 0
  return cents >= 1 && cents <= MAX_CENTS ? cents : null
}

function noCents(text: string): string {
  return `${quoted(text)} is not a whole number of cents from 1 to ${MAX_CENTS}`
}

async function load(
  { db, server, clock }: Pick<AppContext, 'db' | 'server' | 'clock'>,
  environment: Environment,
  rows: Row[],
  report: ImportReport,
): Promise<void> {
  await server.copy({
    before: `create temporary table incoming (domain text, label text, tld text, price_cents bigint,
      floor_price_cents bigint, currency text, offers text, min_offer_cents bigint, tokens text[], posting_keys integer[], posting_cost integer)
      on commit drop`,
    target:
      'incoming (domain, label, tld, price_cents, floor_price_cents, currency, offers, min_offer_cents, tokens, posting_keys, posting_cost)',
    // Every cell was checked above, so none holds what COPY would have to escape.
    rows: rows.map((row) => `${copyLine(environment, row)}\n`).join(''),
    after: moveIncoming(environment, clock.now()).compile(db),
    finally: followWrite(environment, sql`incoming`).compile(db),
    receive([counts]) {
      const { created, placed } = counts as { created: number; placed: number }
      report.imported += placed
      report.created += created
      report.updated += placed - created
      report.skipped_sold += rows.length - placed
    },
  })
}

function moveIncoming(environment: Environment, now: Date) {
  const metadata = environment === 'sandbox' ? { test: true } : {}
  // Names that users hold stay theirs (what an operator's account holds is the marketplace's), but what the marketplace lists
  // already gets its new price. `offset 0` looks each row up by its key, where the planner would read all of a table.
  return sql`with placed as (
      insert into listings as l (environment, domain, label, tld, price_cents, floor_price_cents,
        currency, offers, min_offer_cents, status, metadata, tokens, posting_keys, posting_cost, listed_at, updated_at)
      select ${environment}::text, domain, label, tld, price_cents, floor_price_cents, currency, offers,
        min_offer_cents, 'listed', ${JSON.stringify(metadata)}::json, tokens, posting_keys, posting_cost,
        ${now}::timestamptz, ${now}::timestamptz
      from incoming i
      where not exists (select from blocked_domains b where b.domain = i.domain)
        and (${environment}::text = 'sandbox'
          or not exists (select from owned_domains o join users u on u.id = o.user_id
            where o.domain = i.domain and not u.is_operator offset 0)
          or exists (select from listings l where l.environment = 'live' and l.domain = i.domain
            and l.status = 'listed' and l.seller_id is null offset 0))
      order by domain
      on conflict (environment, domain) do update set price_cents = excluded.price_cents,
        floor_price_cents = excluded.floor_price_cents, currency = excluded.currency,
        offers = excluded.offers, min_offer_cents = excluded.min_offer_cents, tokens = excluded.tokens,
        posting_keys = excluded.posting_keys, posting_cost = excluded.posting_cost,
        updated_at = excluded.updated_at, status = 'listed', seller_id = null,
        description = case when l.seller_id is null then l.description end,
        sells_from = case when l.seller_id is null then l.sells_from end,
        listed_at = case when l.status = 'listed' then l.listed_at else excluded.listed_at end, ${NOTE_CHANGE}
      where (l.status = 'listed' and l.seller_id is null)
        or (l.status = 'delisted' and l.frozen_at is null
          and not exists (select from owned_domains o where o.domain = l.domain))
      returning l.xmax = 0 as created
    )
    select count(*) filter (where created)::int as created, count(*)::int as placed from placed`
}

/** How COPY writes null. */
const NULL_CELL = '\\N'

/** A row of `incoming`. Every cell was checked before, so none holds what COPY would have to escape. */
function copyLine(environment: Environment, row: Row): string {
  const words = splitLabel(row.label)
  const { keys, cost } = postingColumns(environment, row.domain, words)
  // In quotes, since NULL is no word in an array without them.
  const tokens = `{${words.map((word) => `"${word}"`).join()}}`
  const { domain, label, tld, price_cents, floor_price_cents, currency, offers } = row
  const min = row.min_offer_cents ?? NULL_CELL
  const prices = [price_cents, floor_price_cents, currency, offers, min]
  return [domain, label, tld, ...prices, tokens, keys, cost].join('\t')
}

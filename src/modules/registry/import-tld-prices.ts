import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import { type FileRow, isHeader, ROW_A_LINE, unreadable } from '../../kernel/csv-import.ts'
import { centsField, tldField } from '../../kernel/fields.ts'
import type { WriteContext } from '../../kernel/operation.ts'
import { PRICE_OPS, type PriceRow, putPrices, yearsField } from './price-book.ts'
import { findTld } from './tlds.ts'

const COLUMNS = ['tld', 'op', 'price_cents', 'years'] as const
const MAX_REPORTED = 1_000

export interface PriceImportReport {
  /** Rows read, the header and empty lines not counted. */
  rows: number
  /** Prices that are new or other than before. */
  changed: number
  rejected_count: number
  /** The first thousand. */
  rejected: { line: number; field: string; issue: string }[]
}

const Row = z.object({
  tld: tldField.refine((tld) => findTld(tld) !== null, 'is no top-level domain that we know of'),
  op: z.enum(PRICE_OPS),
  price_cents: z
    .string()
    .regex(/^(?:[1-9]\d{0,14})?$/, 'must be a whole number of cents above 0, or empty')
    .transform((text) => (text === '' ? null : Number(text)))
    .pipe(centsField.nullable()),
  years: z
    .string()
    .regex(/^\d{0,2}$/, 'must be a whole number')
    .transform((text) => Number(text || 1))
    .pipe(yearsField),
})

/**
 * Reads a CSV file into the price book (`tld,op,price_cents,years`; an empty price withdraws the
 * operation). Good rows are taken together; bad ones are reported with their line.
 */
export async function importTldPrices(
  { tx, now }: Pick<WriteContext, 'tx' | 'now'>,
  csv: string,
): Promise<PriceImportReport> {
  const report: PriceImportReport = { rows: 0, changed: 0, rejected_count: 0, rejected: [] }
  // Of a price given twice the later line holds.
  const prices = new Map<string, PriceRow>()
  for (const { record, info } of readRows(csv)) {
    if (report.rows === 0 && isHeader(record, COLUMNS)) continue
    report.rows += 1
    const row = Row.safeParse(
      Object.fromEntries(COLUMNS.map((name, at) => [name, record[at] ?? ''])),
    )
    if (row.success) prices.set(`${row.data.tld} ${row.data.op}`, row.data)
    else {
      report.rejected_count += 1
      const [issue] = row.error.issues
      if (issue && report.rejected.length < MAX_REPORTED) {
        report.rejected.push({
          line: info.lines,
          field: issue.path.join('.'),
          issue: issue.message,
        })
      }
    }
  }
  if (prices.size > 0) {
    report.changed = await putPrices(tx, [...prices.values()], now)
  }
  return report
}

function readRows(csv: string): FileRow[] {
  try {
    return parse(csv, ROW_A_LINE) as unknown as FileRow[]
  } catch (error) {
    throw unreadable(error)
  }
}

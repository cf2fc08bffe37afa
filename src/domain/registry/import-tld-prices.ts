import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import { type FileRow, isHeader, ROW_A_LINE, unreadable } from '../../core/csv-import.ts'
import { centsField, tldField } from '../../core/fields.ts'
import { adminWrite } from '../../core/operation.ts'
import { FINANCE } from '../../core/roles.ts'
import { PRICE_OPS, type PriceRow, putPrices, yearsField } from './price-book.ts'
import { findTld } from './tlds.ts'

const COLUMNS = ['tld', 'op', 'price_cents', 'years'] as const
const MAX_REPORTED = 1_000
export const MAX_PRICES_BYTES = 4 * 1024 ** 2

const Report = z.object({
  rows: z.int().describe('Rows read, the header and empty lines not counted.'),
  changed: z.int().describe('Prices that are new or differ from before.'),
  rejected_count: z.int(),
  rejected: z
    .array(z.object({ line: z.int(), field: z.string(), issue: z.string() }))
    .describe('The first thousand.'),
})

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
export const importTldPrices = adminWrite({
  name: 'import_tld_prices',
  roles: FINANCE,
  summary: 'Load a CSV file of registration prices',
  method: 'POST',
  path: '/tld-prices/import',
  // The request's body is the file itself.
  input: z.object({ csv: z.string() }),
  output: Report,
  status: 200,
  errors: ['validation_error', 'payload_too_large'],
  bodyLimit: MAX_PRICES_BYTES,
  audited: (_input, { rows, changed, rejected_count }) => ({ rows, changed, rejected_count }),
  async handler({ tx, now }, { csv }) {
    const { prices, ...report } = readPrices(csv)
    const changed = prices.length > 0 ? await putPrices(tx, prices, now) : 0
    return { ...report, changed }
  },
})

function readPrices(csv: string) {
  const report: Omit<z.output<typeof Report>, 'changed'> = {
    rows: 0,
    rejected_count: 0,
    rejected: [],
  }
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
  return { ...report, prices: [...prices.values()] }
}

function readRows(csv: string): FileRow[] {
  try {
    return parse(csv, ROW_A_LINE) as unknown as FileRow[]
  } catch (error) {
    throw unreadable(error)
  }
}

import { ellipsize } from '../lib/truncate.ts'
import { ApiError, invalid } from './errors.ts'

/** In characters. A file with a longer line is no list of anything, and would be gathered in memory. */
export const MAX_LINE_LENGTH = 64 * 1024
/** So much of a cell is quoted in what is said of it. */
const MAX_QUOTED = 80

/**
 * How csv-parse reads the files that operators load. No cell of theirs holds a line break, so a row is a line,
 * and a quote that is never closed spoils no other row.
 */
export const ROW_A_LINE = {
  bom: true,
  cast(cell: string, { index }: { index: number }) {
    // Cells without a character have no size for csv-parse.
    if (index >= MAX_LINE_LENGTH) throw lineTooLong()
    return cell.replace(/^"(.*)"$/, '$1')
  },
  info: true,
  max_record_size: MAX_LINE_LENGTH,
  quote: false,
  relax_column_count: true,
  skip_empty_lines: true,
  trim: true,
} as const

/** A row of a file, with its line. */
export interface FileRow {
  record: string[]
  info: { lines: number }
}

/** Whether a file's first row is its header. One of other columns is rejected: rows would be misread by it. */
export function isHeader(cells: readonly string[], columns: readonly string[]): boolean {
  const names = cells.map((cell) => cell.toLowerCase())
  if (!names.some((name) => columns.includes(name))) return false
  if (names.some((name, at) => name !== columns[at])) {
    throw invalid({
      field: 'header',
      issue: `must name the columns ${columns.join(',')} in this order, or be left out`,
    })
  }
  return true
}

/** What csv-parse throws, as an error where it gave up on a line. */
export function unreadable(error: unknown): unknown {
  const { code } = error as { code?: string }
  return code === 'CSV_MAX_RECORD_SIZE' ? lineTooLong() : error
}

export function lineTooLong(): ApiError {
  return new ApiError('validation_error', 'This is no such list: a line is far too long.')
}

/** A cell in what is said of it, cut where it is long. */
export function quoted(cell: string): string {
  return `"${ellipsize(cell, MAX_QUOTED)}"`
}

import { invalid } from './errors.ts'

/**
 * How csv-parse reads the files that operators load. No cell of theirs holds a line break, so a row is a line,
 * and a quote that is never closed spoils no other row.
 */
export const ROW_A_LINE = {
  bom: true,
  cast: (cell: string) => cell.replace(/^"(.*)"$/, '$1'),
  info: true,
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

/** Whether a file's first row is its header. One of other columns is refused: rows would be misread by it. */
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

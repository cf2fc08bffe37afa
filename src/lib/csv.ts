/** CSV as RFC 4180 has it, with a header line. Texts that a spreadsheet would run are kept from it. */
export function stringify<Column extends string>(
  columns: readonly Column[],
  rows: readonly Record<Column, string | number | null>[],
): string {
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(','))
  return [columns.join(','), ...lines, ''].join('\r\n')
}

function cell(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  // A leading quote mark makes a spreadsheet read a would-be formula as text.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

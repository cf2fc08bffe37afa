import { moneyText } from '../lib/money.ts'
import type { Table } from './terminal.ts'

type Row = Record<string, unknown>

/** A response for people: a table of its rows, and a line for each other field. */
export function textOf(response: object, table?: Table): string {
  const fields = Object.entries(response)
  if (!table) return fields.map(lineOf).join('')
  const { [table.rows]: rows, next_cursor: _, ...others } = response as Row
  const lines = Object.entries(others).map(lineOf).join('')
  return `${tableOf(rows as Row[], table.columns, response as Row)}${lines}`
}

function lineOf([name, value]: [string, unknown]): string {
  const text =
    typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : String(value)
  return `${name}: ${text}\n`
}

function tableOf(rows: readonly Row[], columns: readonly string[], around: Row): string {
  if (rows.length === 0) return 'none\n'
  const heads = columns.map((name) => name.replace(/_(?:cents|at)$/, '').replaceAll('_', ' '))
  const cells = rows.map((row) => columns.map((name) => cellOf(row, name, around)))
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...cells.map((row) => row[at]?.length ?? 0)),
  )
  const isAmount = columns.map((name) => name.endsWith('_cents'))
  return [heads.map((head) => head.toUpperCase()), ...cells]
    .map((row) =>
      row
        .map((cell, at) =>
          isAmount[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** Nothing that a terminal would take for a command, and nothing that breaks the line. */
function cellOf(row: Row, name: string, around: Row): string {
  const value = row[name]
  if (value === null || value === undefined) return '-'
  if (name.endsWith('_cents') && typeof value === 'number') {
    return moneyText(value, textOfCell(row.currency ?? around.currency ?? 'USD'))
  }
  if (name.endsWith('_at')) return textOfCell(value).slice(0, 16).replace('T', ' ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return textOfCell(value).replace(/[\s\p{Cc}]+/gu, ' ')
}

function textOfCell(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

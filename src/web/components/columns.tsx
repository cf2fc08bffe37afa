import type { ComponentChildren } from 'preact'
import type { Column } from './list.tsx'
import { amount } from './money.ts'
import { RowName, RowText } from './name.tsx'
import { Age, At, Id, Status } from './parts.tsx'

// The columns that most lists are made of, each by the field that it shows.

type Has<Key extends string, Value> = Record<Key, Value>

/** Text as it is; a dash where there is none. */
export function text<Key extends string>(label: string, key: Key): Column<Has<Key, string | null>> {
  return { label, cell: (row) => (row[key] === null ? '–' : <RowText text={row[key]} />) }
}

/** An id, which is copied rather than read; a dash where there is none. */
export function id<Key extends string>(
  label: string,
  key: Key,
  href?: (id: string) => string,
): Column<Has<Key, string | null>> {
  return {
    label,
    cell: ({ [key]: value }) =>
      value === null ? '–' : <Id id={value} {...(href && { href: href(value) })} />,
  }
}

/** The row's domain, which leads to the row's own page. */
export function domain<Row extends { domain: string }>(href: (row: Row) => string): Column<Row> {
  return link('Domain', href, (row) => <RowName domain={row.domain} />)
}

/** A cell that leads to another page. */
export function link<Row>(
  label: string,
  href: (row: Row) => string,
  cell: (row: Row) => ComponentChildren,
): Column<Row> {
  return { label, cell: (row) => <a href={href(row)}>{cell(row)}</a> }
}

/** A state, as a badge. */
export function status<Key extends string>(label: string, key: Key): Column<Has<Key, string>> {
  return { label, cell: (row) => <Status text={row[key]} /> }
}

/** A moment to the minute; `none` stands where there is none. */
export function time<Key extends string>(
  label: string,
  key: Key,
  none = '–',
): Column<Has<Key, string | null>> {
  return { label, cell: (row) => <At at={row[key]} none={none} /> }
}

/** How long a row has waited. */
export function age<Key extends string>(
  label: string,
  key: Key,
  now: Date,
): Column<Has<Key, string>> {
  return { label, align: 'end', cell: (row) => <Age at={row[key]} now={now} /> }
}

/** An amount, in the currency of its row. */
export function money<Key extends string>(
  label: string,
  key: Key,
): Column<Has<Key, number | null> & { currency: string }> {
  return { label, align: 'end', cell: (row) => amount(row[key], row.currency) }
}

/** A number of something: `1,204`. */
export function count<Key extends string>(label: string, key: Key): Column<Has<Key, number>> {
  return { label, align: 'end', cell: (row) => row[key].toLocaleString('en-US') }
}

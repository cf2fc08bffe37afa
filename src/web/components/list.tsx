import type { ComponentChildren } from 'preact'
import { LIST_ID } from '../layout/skip-links.tsx'
import { amount } from './money.ts'

export interface Column<Row> {
  /** Empty over what can be done with each row. */
  label: string
  cell: (row: Row) => ComponentChildren
  /** Numbers stand at the end, under each other. */
  align?: 'end'
}

/** A column of amounts, each in the currency of its row. */
export function amounts<Key extends string>(
  label: string,
  key: Key,
): Column<Record<Key, number | null> & { currency: string }> {
  return { label, align: 'end', cell: (row) => amount(row[key], row.currency) }
}

/**
 * Rows in a panel; where there is little room each is a card. `empty` stands in its place when there are none,
 * and nothing when it is not known which there are, since the list was rejected.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  empty,
  isMain = false,
}: {
  /** What the rows are, for those who hear the page. */
  caption: string
  columns: readonly Column<NoInfer<Row>>[]
  rows: readonly Row[] | undefined
  empty: ComponentChildren
  /** The list is what its page is for: the keyboard can go to it at once. */
  isMain?: boolean
}) {
  if (rows === undefined) return null
  if (rows.length === 0) return <div class="panel">{empty}</div>
  return (
    // Where it is wider than its place it is scrolled, also by the keyboard.
    <div
      id={isMain ? LIST_ID : undefined}
      class="panel"
      tabindex={0}
      role="region"
      aria-label={caption}
    >
      {/* The roles are said again: as cards the elements lose them. */}
      <table class="rows" role="table">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr role="row">
            {columns.map(({ label, align }) => (
              <th scope="col" role="columnheader" class={align}>
                {label || <span class="hidden">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row">
              {columns.map(({ label, align, cell }) => (
                <td role="cell" class={align} data-label={label}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The search and the filters of a list, kept in its address. `isSet`: there is something to clear. */
export function Filters({
  path,
  isSet,
  children,
}: {
  path: string
  isSet: boolean
  children: ComponentChildren
}) {
  return (
    <form method="get" action={path} class="filters" role="search">
      {children}
      <button type="submit" class="quiet">
        Show
      </button>
      {isSet && <a href={path}>Clear</a>}
    </form>
  )
}

/** The way on through a list, by its cursor; the filters stay. */
export function Pager({
  path,
  query,
  next,
}: {
  path: string
  /** Of this page, its cursor among it. */
  query: Readonly<Record<string, string | undefined>>
  /** The next page's cursor; null on the last. */
  next: string | null
}) {
  const { cursor, ...filters } = query
  if (cursor === undefined && next === null) return null
  return (
    <nav class="pager" aria-label="Pages">
      {cursor !== undefined && <a href={addressOf(path, filters)}>First page</a>}
      {next !== null && (
        <a href={addressOf(path, { ...filters, cursor: next })} rel="next">
          Next page
        </a>
      )}
    </nav>
  )
}

/** A path with what is set of a query. */
export function addressOf(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): string {
  const set = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`
}

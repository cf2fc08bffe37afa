import { type SelectQueryBuilder, type StringReference, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { ApiError } from './errors.ts'

/** What a cursor is good for: one list, of its reader, with the filters that it was issued for. */
interface Bound {
  list: string
  [filter: string]: unknown
}

/**
 * Partner lists are read newest first by id, which sorts by creation. A cursor is the id of the last
 * row returned together with what it is bound to.
 */
export function readCursor(cursor: string | null | undefined, bound: Bound): string | null {
  if (cursor === undefined || cursor === null) return null
  const [id] = decode(cursor)
  const isId = typeof id === 'string' && /^[a-z]+_[0-9a-z]{26}$/.test(id)
  // To the letter: base64 that was altered may still say the same.
  if (!isId || cursor !== writeCursor(id, bound)) throw notOfThisList()
  return id
}

function notOfThisList(): ApiError {
  return new ApiError(
    'invalid_cursor',
    'This cursor is not one of this list with these filters. Start again without a cursor.',
  )
}

function writeCursor(id: string, bound: Bound): string {
  return Buffer.from(JSON.stringify([id, JSON.stringify(bound)])).toString('base64url')
}

function decode(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/**
 * One page of a list: newest first by `id`, from where the cursor stops. The query has the conditions, and
 * what it is bound to names them.
 */
export async function readPage<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  id: StringReference<DB, TB> & string,
  { cursor, limit, bound }: { cursor: string | undefined; limit: number; bound: Bound },
): Promise<{ rows: Row[]; next_cursor: string | null }> {
  const before = readCursor(cursor, bound)
  const column = id.slice(id.indexOf('.') + 1) as keyof Row
  let found = query.orderBy(sql.ref(id), 'desc').limit(limit + 1)
  if (before !== null) found = found.where(sql.ref<string>(id), '<', before)
  return pageOfRows(await found.execute(), limit, bound, column)
}

/**
 * The same by `created_at` and then `id`, for lists that are filtered by time: a span is a piece of one index,
 * however long ago it was. Where the row is not found that the cursor names, nothing follows it.
 */
export async function readPageByTime<Table extends TimedTable, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  table: Table,
  id: StringReference<Schema, Table> & keyof Row & string,
  { cursor, limit, bound }: { cursor: string | undefined; limit: number; bound: Bound },
): Promise<{ rows: Row[]; next_cursor: string | null }> {
  const before = readCursor(cursor, bound)
  let found = query
    .orderBy(sql.ref('created_at'), 'desc')
    .orderBy(sql.ref(id), 'desc')
    .limit(limit + 1)
  if (before !== null) {
    const place = sql`(select created_at from ${sql.table(table)} where ${sql.ref(id)} = ${before})`
    found = found.where(sql<boolean>`(created_at, ${sql.ref(id)}) < (${place}, ${before})`)
  }
  return pageOfRows(await found.execute(), limit, bound, id)
}

type TimedTable = 'orders' | 'brokerage_cases'

function pageOfRows<Row>(rows: Row[], limit: number, bound: Bound, id: keyof Row) {
  const { items, next_cursor } = page(
    rows,
    limit,
    bound,
    (row) => row[id] as string,
    (row) => row,
  )
  return { rows: items, next_cursor }
}

/** Cuts a page out of `limit + 1` rows: the row too many only shows that more follow. */
export function page<Row, Item>(
  rows: Row[],
  limit: number,
  bound: Bound,
  id: (row: Row) => string,
  view: (row: Row) => Item,
): { items: Item[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const next_cursor = rows.length > limit && last ? writeCursor(id(last), bound) : null
  return { items: shown.map(view), next_cursor }
}

/** Where a reader of a public list stopped: the sort key of the row, and how many rows came before. */
export interface Place {
  key: string[]
  offset: number
}

/** Sealed, since what a row is sorted by may be a price that its reader does not see. */
export function writePlace(secrets: SecretBox, place: Place, bound: Bound): string {
  return secrets.sealToken(JSON.stringify([place.offset, ...place.key]), purposeOf(bound))
}

export function readPlace(secrets: SecretBox, cursor: string, bound: Bound): Place {
  const text = secrets.openToken(cursor, purposeOf(bound))
  if (text === null) throw notOfThisList()
  const [offset, ...key] = JSON.parse(text) as [number, ...string[]]
  return { offset, key }
}

function purposeOf(bound: Bound): string {
  return `cursor ${JSON.stringify(bound)}`
}

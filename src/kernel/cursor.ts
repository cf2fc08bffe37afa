import { Refusal } from './errors.ts'

/**
 * Partner lists are read newest first by id, which sorts by creation. A cursor is the id of the last
 * row answered together with the filters it was issued for.
 */
export function readCursor(cursor: string | null | undefined, filters: object): string | null {
  if (cursor === undefined || cursor === null) return null
  const [id, bound, ...rest] = decode(cursor)
  const isId = typeof id === 'string' && /^[a-z]+_[0-9a-z]{26}$/.test(id)
  if (!isId || bound !== fingerprint(filters) || rest.length > 0) {
    throw new Refusal(
      'invalid_cursor',
      'This cursor is not one of this list with these filters. Start again without a cursor.',
    )
  }
  return id
}

export function writeCursor(id: string, filters: object): string {
  return Buffer.from(JSON.stringify([id, fingerprint(filters)])).toString('base64url')
}

function decode(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function fingerprint(filters: object): string {
  return JSON.stringify(filters)
}

/** Cuts a page out of `limit + 1` rows: the row too many only shows that more follow. */
export function page<Row, Item>(
  rows: Row[],
  limit: number,
  filters: object,
  id: (row: Row) => string,
  view: (row: Row) => Item,
): { items: Item[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const next_cursor = rows.length > limit && last ? writeCursor(id(last), filters) : null
  return { items: shown.map(view), next_cursor }
}

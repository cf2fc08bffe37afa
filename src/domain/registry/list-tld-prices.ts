import { z } from 'zod'
import { ApiError } from '../../core/errors.ts'
import { timestamp, tldField } from '../../core/fields.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import { stringify } from '../../lib/csv.ts'
import { PRICE_OPS, TldPriceView, viewPrice } from './price-book.ts'

const MAX_PAGE = 10_000

/** The price book, by top-level domain and operation; as CSV it is what an import reads. */
export const listTldPrices = adminRead({
  name: 'list_tld_prices',
  roles: READERS,
  summary: 'List the price book',
  method: 'GET',
  path: '/tld-prices',
  input: z.object({
    tld: tldField.optional(),
    limit: z.int().min(1).max(MAX_PAGE).default(100),
    cursor: z.string().optional(),
  }),
  output: z.object({
    prices: z.array(TldPriceView.extend({ updated_at: timestamp })),
    next_cursor: z.string().nullable(),
  }),
  csv: ({ prices }) => stringify(['tld', 'op', 'price_cents', 'years'], prices),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { tld, limit, cursor }) {
    let query = db
      .selectFrom('tld_prices')
      .selectAll()
      .orderBy('tld')
      .orderBy('op')
      .limit(limit + 1)
    if (tld) query = query.where('tld', '=', tld)
    const after = stoppedAt(cursor)
    if (after)
      query = query.where((row) => row(row.refTuple('tld', 'op'), '>', row.tuple(...after)))
    const rows = await query.execute()
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    return {
      prices: shown.map(viewPrice),
      next_cursor: rows.length > limit && last ? `${last.tld}:${last.op}` : null,
    }
  },
})

function stoppedAt(cursor: string | undefined) {
  if (cursor === undefined) return null
  const [tld = '', text] = cursor.split(':')
  const op = PRICE_OPS.find((known) => known === text)
  if (!op || !tldField.safeParse(tld).success) {
    throw new ApiError('invalid_cursor', 'This cursor is not one of this list. Start without one.')
  }
  return [tld, op] as const
}

import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { notFound } from '../../core/errors.ts'
import { paging } from '../../core/fields.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import { stringify } from '../../lib/csv.ts'
import { IMPORT_STATUSES, ImportView, MAX_REJECTIONS, viewImport } from './listing-import.ts'

export const listImports = adminRead({
  name: 'list_listing_imports',
  roles: READERS,
  summary: 'List imports of listings, newest first',
  method: 'GET',
  path: '/listing-imports',
  input: z.object({
    status: z.enum(IMPORT_STATUSES).optional(),
    ...paging,
  }),
  output: z.object({ imports: z.array(ImportView), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { status, limit, cursor }) {
    const bound = { list: 'listing_imports', status }
    let query = db.selectFrom('listing_imports').selectAll()
    if (status) query = query.where('status', '=', status)
    const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
    return { imports: rows.map(viewImport), next_cursor }
  },
})

const Detail = ImportView.extend({
  /** The first ten thousand, each with the beginning of its row, to find it in the file by. */
  rejected: z.array(
    z.object({ line: z.int(), field: z.string(), issue: z.string(), row: z.string() }),
  ),
})

export const showImport = adminRead({
  name: 'show_listing_import',
  roles: READERS,
  summary: 'Show an import with its rejected rows; these as CSV on request',
  method: 'GET',
  path: '/listing-imports/{import_id}',
  input: z.object({ import_id: z.string() }),
  output: Detail,
  status: 200,
  errors: ['not_found'],
  csv: ({ rejected }: z.output<typeof Detail>) =>
    stringify(['line', 'field', 'issue', 'row'], rejected),
  async handler({ db }, { import_id }) {
    const [row, rejected] = await Promise.all([
      db.selectFrom('listing_imports').selectAll().where('id', '=', import_id).executeTakeFirst(),
      db
        .selectFrom('listing_import_rejections')
        .select(['line', 'field', 'issue', 'row'])
        .where('import_id', '=', import_id)
        .orderBy('line')
        .limit(MAX_REJECTIONS)
        .execute(),
    ])
    if (!row) throw notFound('import')
    return { ...viewImport(row), rejected }
  },
})

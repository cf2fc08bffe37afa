import { sql } from 'kysely'
import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { readPage } from '../../core/cursor.ts'
import { notFound } from '../../core/errors.ts'
import { paging } from '../../core/fields.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import type { Schema } from '../../db/schema.ts'
import { isUnpaid } from '../ledger/unpaid-statements.ts'
import { periodsToClose } from './run-settlement.ts'
import {
  LineView,
  StatementView,
  statementCsv,
  statementLines,
  viewStatements,
} from './statement.ts'

export const AdminStatementView = StatementView.extend({
  partner_id: z.string(),
  environment: z.enum(ENVIRONMENTS),
})

export async function viewForOperator(
  db: Parameters<typeof viewStatements>[0],
  rows: Schema['settlements'][],
  now: Date,
): Promise<z.output<typeof AdminStatementView>[]> {
  const views = await viewStatements(db, rows, now)
  return rows.flatMap(({ partner_id, environment }, index) => {
    const view = views[index]
    return view ? [{ ...view, partner_id, environment }] : []
  })
}

/** What a run would close if it came now: the same periods, by the same rule. */
export const previewSettlementRun = adminRead({
  name: 'preview_settlement_run',
  roles: READERS,
  summary: 'Show the statements that a settlement run would close now',
  method: 'GET',
  path: '/settlement-runs/preview',
  input: z.object({ environment: z.enum(ENVIRONMENTS) }),
  output: z.object({
    settlements: z.array(AdminStatementView),
    /** Orders that would become SETTLED, those that the marketplace collected among them. */
    order_count: z.int(),
  }),
  status: 200,
  errors: ['validation_error'],
  async handler({ db, now }, { environment }) {
    const periods = await periodsToClose(db, { environment }).execute()
    const ids = periods.map(({ id }) => id)
    const [settlements, orders] = await Promise.all([
      viewForOperator(db, periods, now),
      db
        .selectFrom('orders')
        .select((row) => row.fn.countAll<number>().as('count'))
        .where('settlement_id', '=', sql<string>`any(${ids}::text[])`)
        .where('status', '=', 'TRANSFER_COMPLETED')
        .executeTakeFirstOrThrow(),
    ])
    return { settlements, order_count: orders.count }
  },
})

export const listAllSettlements = adminRead({
  name: 'list_all_settlements',
  roles: READERS,
  summary: 'List statements of all partners, newest first',
  method: 'GET',
  path: '/settlements',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).optional(),
    partner_id: z.string().optional(),
    status: z.enum(['open', 'closed']).optional(),
    overdue: z.boolean().optional().describe('Only statements that are past their due date.'),
    ...paging,
  }),
  output: z.object({
    settlements: z.array(AdminStatementView),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, now }, { limit, cursor, ...filters }) {
    const bound = { list: 'all_settlements', ...filters }
    const { environment, partner_id, status, overdue } = filters
    let query = db.selectFrom('settlements').selectAll()
    if (environment) query = query.where('environment', '=', environment)
    if (partner_id !== undefined) query = query.where('partner_id', '=', partner_id)
    if (status) query = query.where('status', '=', status)
    if (overdue) query = query.where(isUnpaid).where('due_at', '<=', now)
    const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
    return { settlements: await viewForOperator(db, rows, now), next_cursor }
  },
})

const Detail = AdminStatementView.extend({ lines: z.array(LineView) })

export const showSettlement = adminRead({
  name: 'show_settlement',
  roles: READERS,
  summary: 'Show a statement with its lines; as CSV on request',
  method: 'GET',
  path: '/settlements/{id}',
  input: z.object({ id: z.string() }),
  output: Detail,
  status: 200,
  errors: ['not_found'],
  csv: statementCsv,
  async handler({ db, now }, { id }) {
    const row = await db
      .selectFrom('settlements')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    if (!row) throw notFound('settlement')
    const [[statement], lines] = await Promise.all([
      viewForOperator(db, [row], now),
      statementLines(db, id),
    ])
    if (!statement) throw notFound('settlement')
    return { ...statement, lines }
  },
})

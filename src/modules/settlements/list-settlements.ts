import { z } from 'zod'
import { readPage } from '../../kernel/cursor.ts'
import { paging } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { StatementView, viewStatements } from './statement.ts'

export const listSettlements = partnerRead({
  name: 'list_settlements',
  summary: 'Statements by period, newest first, the open one included',
  method: 'GET',
  path: '/settlements',
  scope: 'buy',
  input: z.object(paging),
  output: z.object({ settlements: z.array(StatementView), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, partner }, { limit, cursor }) {
    const bound = { list: 'settlements', ...partner }
    let query = db
      .selectFrom('settlements')
      .selectAll()
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
    const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
    return { settlements: await viewStatements(db, rows), next_cursor }
  },
})

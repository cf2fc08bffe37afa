import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { nextCursor, paging } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { StatementView, viewStatements } from './statement.ts'

export const listSettlements = partnerRead({
  name: 'list_settlements',
  tag: 'Settlements',
  summary: 'List settlements',
  description:
    'Returns the statements of your settlement periods, newest first, including that of the open one. Each says what you ' +
    'sold, the commission that you keep, and what you owe for the payments that you collected.',
  method: 'GET',
  path: '/settlements',
  scope: 'buy',
  input: z.object(paging),
  output: z.object({
    settlements: z.array(StatementView).describe('The statements, newest first.'),
    next_cursor: nextCursor,
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, now, partner }, { limit, cursor }) {
    const bound = { list: 'settlements', ...partner }
    let query = db
      .selectFrom('settlements')
      .selectAll()
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
    const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
    return { settlements: await viewStatements(db, rows, now), next_cursor }
  },
})

import { z } from 'zod'
import { notFound } from '../../kernel/errors.ts'
import { partnerRead } from '../../kernel/operation.ts'
import {
  LineView,
  StatementView,
  statementCsv,
  statementLines,
  viewStatements,
} from './statement.ts'

const Detail = StatementView.extend({ lines: z.array(LineView) })

export const getSettlement = partnerRead({
  name: 'get_settlement',
  summary: 'One statement with its lines; as CSV on request',
  method: 'GET',
  path: '/settlements/{id}',
  scope: 'buy',
  input: z.object({ id: z.string() }),
  output: Detail,
  status: 200,
  errors: ['not_found'],
  csv: statementCsv,
  async handler({ db, partner }, { id }) {
    const settlement = await db
      .selectFrom('settlements')
      .selectAll()
      .where('id', '=', id)
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
      .executeTakeFirst()
    if (!settlement) throw notFound('settlement')
    const [[statement], lines] = await Promise.all([
      viewStatements(db, [settlement]),
      statementLines(db, id),
    ])
    if (!statement) throw notFound('settlement')
    return { ...statement, lines }
  },
})

import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import {
  LineView,
  StatementView,
  statementCsv,
  statementLines,
  viewStatements,
} from './statement.ts'

const Detail = StatementView.extend({
  lines: z
    .array(LineView)
    .describe('The sales and refunds of the period, in the order in which they came.'),
}).meta({ id: 'Settlement', description: 'The statement of a period with its lines.' })

export const getSettlement = partnerRead({
  name: 'get_settlement',
  tag: 'Settlements',
  summary: 'Get a settlement',
  description:
    'Returns the statement of one period with a line for each sale and refund; the amounts of the lines add up to those ' +
    'of the statement. Send `Accept: text/csv` to get the lines for a spreadsheet. The statement of the open period ' +
    'changes with each delivery and refund.',
  method: 'GET',
  path: '/settlements/{id}',
  scope: 'buy',
  input: z.object({ id: idField('stl').describe('The settlement to get.') }),
  output: Detail,
  status: 200,
  errors: ['not_found'],
  csv: statementCsv,
  async handler({ db, now, partner }, { id }) {
    const settlement = await db
      .selectFrom('settlements')
      .selectAll()
      .where('id', '=', id)
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
      .executeTakeFirst()
    if (!settlement) throw notFound('settlement')
    const [[statement], lines] = await Promise.all([
      viewStatements(db, [settlement], now),
      statementLines(db, id),
    ])
    if (!statement) throw notFound('settlement')
    return { ...statement, lines }
  },
})

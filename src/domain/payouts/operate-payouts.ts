import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { readPage } from '../../core/cursor.ts'
import { conflict } from '../../core/errors.ts'
import { paging } from '../../core/fields.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { FINANCE, READERS } from '../../core/roles.ts'
import { stringify } from '../../lib/csv.ts'
import { AdminPayoutView, viewForOperator } from './admin-payout.ts'
import { makePayouts } from './make-payouts.ts'
import { PAYOUT_STATUSES } from './payout.ts'

export const createPayouts = adminWrite({
  name: 'create_payouts',
  roles: FINANCE,
  recent: true,
  summary: 'Make payouts of all payable balances',
  method: 'POST',
  path: '/payouts',
  input: z.object({
    environment: z.enum(ENVIRONMENTS),
    expected_total_cents: z
      .int()
      .optional()
      .describe('The total of a preview; a batch that would pay another amount is rejected.'),
  }),
  output: z.object({
    payouts: z.array(AdminPayoutView),
    count: z.int(),
    total_cents: z.int(),
  }),
  status: 201,
  errors: ['validation_error', 'conflict'],
  async handler({ tx, now, app, actor }, { environment, expected_total_cents }) {
    const payouts = await makePayouts(tx, now, app.settings, environment, { by: actor })
    const total_cents = payouts.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
    if (expected_total_cents !== undefined && expected_total_cents !== total_cents) {
      throw conflict(
        'changed_meanwhile',
        'What is payable has changed since you looked, so no payout was made. Look again.',
        { total_cents },
      )
    }
    return { payouts: payouts.map(viewForOperator), count: payouts.length, total_cents }
  },
})

const AllPayouts = z.object({
  payouts: z.array(AdminPayoutView),
  next_cursor: z.string().nullable(),
})

export const listAllPayouts = adminRead({
  name: 'list_all_payouts',
  roles: READERS,
  summary: 'List payouts of all partners, newest first; as CSV on request',
  method: 'GET',
  path: '/payouts',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).optional(),
    partner_id: z.string().optional(),
    status: z.enum(PAYOUT_STATUSES).optional(),
    batch_id: z.string().optional().describe('Only payouts of this file for the bank.'),
    ...paging,
  }),
  output: AllPayouts,
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  csv: ({ payouts }: z.output<typeof AllPayouts>) =>
    stringify(
      ['id', 'partner_id', 'amount_cents', 'currency', 'kind', 'status', 'batch_id', 'created_at'],
      payouts,
    ),
  async handler({ db }, { limit, cursor, ...filters }) {
    const bound = { list: 'all_payouts', ...filters }
    let query = db.selectFrom('payouts').selectAll()
    if (filters.batch_id) query = query.where('batch_id', '=', filters.batch_id)
    if (filters.environment) query = query.where('environment', '=', filters.environment)
    if (filters.partner_id) query = query.where('partner_id', '=', filters.partner_id)
    if (filters.status) query = query.where('status', '=', filters.status)
    const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
    return { payouts: rows.map(viewForOperator), next_cursor }
  },
})

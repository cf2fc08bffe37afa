import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { ApiError, invalid, notAllowedNow, notFound } from '../../core/errors.ts'
import { centsField, iso, lineField, paging, timestamp } from '../../core/fields.ts'
import { isSamePerson, needsSecondPerson } from '../../core/four-eyes.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { FINANCE, READERS } from '../../core/roles.ts'
import { newId } from '../../lib/ids.ts'
import { lockOrder } from '../orders/order.ts'
import { isRefundable } from '../orders/status.ts'
import { lockPayment } from '../payments/payment.ts'
import {
  closeFailedGoodwill,
  GOODWILL_STATUSES,
  type Goodwill,
  goodwillOf,
  lockGoodwill,
  updateGoodwill,
} from './goodwill.ts'
import { lockOrderOf } from './settle-dispute.ts'

const GoodwillView = z.object({
  goodwill_id: z.string(),
  payment_id: z.string(),
  amount_cents: z.int(),
  reason: z.string(),
  status: z
    .enum(GOODWILL_STATUSES)
    .describe(
      '`needs_approval` waits for a second operator, `pending` for the payment provider, `failed` for you: ' +
        'make another, or close it.',
    ),
  requested_by: z.string(),
  approved_by: z.string().nullable(),
  provider_ref: z
    .string()
    .nullable()
    .describe('What the provider calls it; null until it is sent.'),
  error: z.string().nullable().describe('Why it failed, or null.'),
  created_at: timestamp,
  updated_at: timestamp,
})

function viewGoodwill(row: Goodwill): z.output<typeof GoodwillView> {
  return {
    goodwill_id: row.goodwill_id,
    payment_id: row.payment_id,
    amount_cents: row.amount_cents,
    reason: row.reason,
    status: row.status,
    requested_by: row.requested_by,
    approved_by: row.approved_by,
    provider_ref: row.provider_ref,
    error: row.error,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }
}

/** Gives a buyer back a part of what they paid, without undoing the sale. */
export const payGoodwill = adminWrite({
  name: 'pay_goodwill',
  roles: FINANCE,
  recent: true,
  summary: 'Give a buyer back a part of a payment, while the sale stands',
  description:
    'The payment provider sends it to the card. One at a time per payment; when all that was given of the payment is ' +
    'above `FOUR_EYES_CENTS`, it waits for another operator. It is a cost of the marketplace: commissions and shares of ' +
    'the sale do not change. To give all of it back, refund the order.',
  method: 'POST',
  path: '/payments/{id}/goodwill-refunds',
  input: z.object({
    id: z.string().describe('The id of the payment.'),
    amount_cents: centsField.describe('In cents of the currency of the payment.'),
    reason: lineField(500).min(1, 'must not be empty').describe('Why; the audit log keeps it.'),
  }),
  output: GoodwillView,
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now, actor, app }, { id, amount_cents, reason }) {
    await lockOrderOf(tx, id)
    const payment = await lockPayment(tx, id)
    if (!payment) throw notFound('payment')
    if (payment.status !== 'succeeded' || payment.public_id === null) {
      const message =
        'Only of a payment that bought its domain, and stands, can a part be given back.'
      throw notAllowedNow('payment', payment.status, message)
    }
    const given = await goodwillOf(tx, id)
    const open = given.find(({ status }) => status === 'needs_approval' || status === 'pending')
    if (open) {
      const message = `${open.goodwill_id} of this payment is on its way. Wait until it is sent.`
      throw notAllowedNow('goodwill refund', open.status, message)
    }
    const left = payment.amount_cents - given.reduce((sum, each) => sum + each.amount_cents, 0)
    if (amount_cents > left) {
      throw invalid({
        field: 'amount_cents',
        issue: `must be at most ${left}, which is left of the payment`,
      })
    }
    const order = await lockOrder(tx, payment.public_id)
    if (order && amount_cents === left && isRefundable(order)) {
      throw notAllowedNow('order', order.status, 'That is all of it: refund the order instead.')
    }
    // With what was given before, so that nobody gives in slices what they may not give at once.
    const waits = needsSecondPerson(app.settings, payment.amount_cents - left + amount_cents)
    const row: Goodwill = {
      goodwill_id: newId('gw', now),
      payment_id: id,
      amount_cents,
      reason,
      status: waits ? 'needs_approval' : 'pending',
      requested_by: actor.name,
      requested_by_person: actor.person,
      approved_by: null,
      provider_ref: null,
      error: null,
      attempts: 0,
      due_at: waits ? null : now,
      created_at: now,
      updated_at: now,
    }
    await closeFailedGoodwill(tx, now, id)
    await tx.insertInto('goodwill_refunds').values(row).execute()
    return viewGoodwill(row)
  },
})

/** Nobody approves what they asked for themselves, also by a token of theirs. */
export const approveGoodwill = adminWrite({
  name: 'approve_goodwill',
  roles: FINANCE,
  recent: true,
  summary: 'Approve a goodwill refund that somebody else asked for',
  method: 'POST',
  path: '/goodwill-refunds/{id}/approve',
  input: z.object({ id: z.string().describe('The id of the goodwill refund.') }),
  output: GoodwillView,
  status: 200,
  errors: ['not_found', 'conflict', 'forbidden'],
  async handler({ tx, now, actor }, { id }) {
    const row = await lockGoodwill(tx, id)
    if (!row) throw notFound('goodwill refund')
    if (row.approved_by !== null) return viewGoodwill(row)
    if (row.status !== 'needs_approval') {
      throw notAllowedNow('goodwill refund', row.status, `It is ${row.status}.`)
    }
    if (isSamePerson({ name: row.requested_by, person: row.requested_by_person }, actor)) {
      throw new ApiError('forbidden', 'You asked for this: somebody else has to approve it.')
    }
    return viewGoodwill(
      await updateGoodwill(tx, now, id, {
        approved_by: actor.name,
        status: 'pending',
        due_at: now,
      }),
    )
  },
})

/** Where no card takes it: the operator has paid it by other means, or gives it up. */
export const closeGoodwill = adminWrite({
  name: 'close_goodwill',
  roles: FINANCE,
  summary: 'Close a goodwill refund that failed, and that no other takes the place of',
  description:
    'It counts as a failed refund no more. Nothing is booked: what you paid by other means is not in the ledger. A new ' +
    'goodwill refund of the payment closes it, too.',
  method: 'POST',
  path: '/goodwill-refunds/{id}/close',
  input: z.object({
    id: z.string().describe('The id of the goodwill refund.'),
    note: lineField(500)
      .min(1, 'must not be empty')
      .describe('How the buyer was paid, or why not; the audit log keeps it.'),
  }),
  output: GoodwillView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now }, { id }) {
    const row = await lockGoodwill(tx, id)
    if (!row) throw notFound('goodwill refund')
    if (row.status === 'closed') return viewGoodwill(row)
    if (row.status !== 'failed') {
      throw notAllowedNow('goodwill refund', row.status, `It is ${row.status}.`)
    }
    return viewGoodwill(await updateGoodwill(tx, now, id, { status: 'closed' }))
  },
})

/** What waits for a second person is `status=needs_approval`. */
export const listGoodwill = adminRead({
  name: 'list_goodwill',
  roles: READERS,
  summary: 'List goodwill refunds, newest first',
  method: 'GET',
  path: '/goodwill-refunds',
  input: z.object({
    payment_id: z.string().optional(),
    status: z.enum(GOODWILL_STATUSES).optional(),
    ...paging,
  }),
  output: z.object({
    goodwill_refunds: z.array(GoodwillView),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, ...filters }) {
    const bound = { list: 'goodwill_refunds', ...filters }
    let query = db.selectFrom('goodwill_refunds').selectAll()
    if (filters.payment_id) query = query.where('payment_id', '=', filters.payment_id)
    if (filters.status) query = query.where('status', '=', filters.status)
    const { rows, next_cursor } = await readPage(query, 'goodwill_id', { cursor, limit, bound })
    return { goodwill_refunds: rows.map(viewGoodwill), next_cursor }
  },
})

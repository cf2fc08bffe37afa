import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { readPage } from '../../core/cursor.ts'
import { conflict, moveNotOpen, notFound } from '../../core/errors.ts'
import { iso, paging, textField, timestamp } from '../../core/fields.ts'
import { adminRead, adminWrite, type Tx } from '../../core/operation.ts'
import { FINANCE, READERS } from '../../core/roles.ts'
import { DISPUTE_STATUSES, disputeEnvironment, moveFunds } from '../payments/dispute.ts'
import {
  lockPayment,
  PAYMENT_STATUSES,
  type Payment,
  refundCents,
  updatePayment,
} from '../payments/payment.ts'
import { DISPUTE_PLAYS } from '../payments/played-provider.ts'
import { PROVIDER_IDS, playedProvider } from '../payments/registry.ts'
import { isRefundFailed } from './failed-refunds.ts'
import { failedGoodwill } from './goodwill.ts'
import { recordFailedRefund } from './refund-payment.ts'
import { settleDispute } from './settle-dispute.ts'

const PaymentView = z.object({
  id: z.string(),
  partner_id: z.string(),
  environment: z.enum(ENVIRONMENTS),
  session_id: z.string(),
  /** The order that it bought; null when it bought nothing. */
  public_id: z.string().nullable(),
  provider: z.enum(PROVIDER_IDS),
  /** What the provider calls the payment, and its refund. */
  provider_ref: z.string().nullable(),
  refund_ref: z.string().nullable(),
  amount_cents: z.int(),
  /** What goes back, where a bank gave the buyer the rest; null is all of it. */
  refund_cents: z.int().nullable(),
  currency: z.string(),
  status: z.enum(PAYMENT_STATUSES),
  /** Why it failed, or was paid back. */
  reason: z.string().nullable(),
  /** Why its refund failed, or how it was paid in the end. */
  refund_note: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
})

function viewPayment(payment: Payment): z.output<typeof PaymentView> {
  return {
    id: payment.id,
    partner_id: payment.partner_id,
    environment: payment.environment,
    session_id: payment.session_id,
    public_id: payment.public_id,
    provider: payment.provider,
    provider_ref: payment.provider_ref,
    refund_ref: payment.refund_ref,
    amount_cents: payment.amount_cents,
    refund_cents: payment.refund_cents,
    currency: payment.currency,
    status: payment.status,
    reason: payment.reason,
    refund_note: payment.refund_note,
    created_at: iso(payment.created_at),
    updated_at: iso(payment.updated_at),
  }
}

const ListedPayment = PaymentView.extend({
  failed_goodwill: z
    .array(
      z.object({ goodwill_id: z.string(), amount_cents: z.int(), error: z.string().nullable() }),
    )
    .describe(
      'Goodwill refunds of it that failed, and wait for an operator while the sale stands.',
    ),
})

/** What needs an operator is `refund_failed=true`. */
export const listPayments = adminRead({
  name: 'list_payments',
  roles: READERS,
  summary: 'List payments of all buyers, newest first',
  method: 'GET',
  path: '/payments',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).optional(),
    status: z.enum(PAYMENT_STATUSES).optional(),
    refund_failed: z
      .boolean()
      .optional()
      .describe('Those with a refund or a goodwill refund that failed and waits for an operator.'),
    public_id: z.string().optional(),
    ...paging,
  }),
  output: z.object({ payments: z.array(ListedPayment), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, ...filters }) {
    const bound = { list: 'payments', ...filters }
    let query = db.selectFrom('payments').selectAll()
    if (filters.environment) query = query.where('environment', '=', filters.environment)
    if (filters.status) query = query.where('status', '=', filters.status)
    if (filters.public_id) query = query.where('public_id', '=', filters.public_id)
    const { refund_failed } = filters
    if (refund_failed !== undefined) {
      query = query.where((row) => (refund_failed ? isRefundFailed : row.not(isRefundFailed)))
    }
    const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
    const failed = await failedGoodwill(db, rows)
    const payments = rows.map((row) => ({
      ...viewPayment(row),
      failed_goodwill: failed
        .filter(({ payment_id }) => payment_id === row.id)
        .map(({ goodwill_id, amount_cents, error }) => ({ goodwill_id, amount_cents, error })),
    }))
    return { payments, next_cursor }
  },
})

const DisputeView = z.object({
  id: z.string(),
  /** What a buyer paid at a checkout, and the order that it bought. */
  payment_id: z.string().nullable(),
  public_id: z.string().nullable(),
  /** Or what a user paid for renewals. */
  charge_id: z.string().nullable(),
  user_id: z.string().nullable(),
  environment: z.enum(ENVIRONMENTS),
  provider_ref: z.string(),
  amount_cents: z.int(),
  currency: z.string(),
  /** The bank's word for why the buyer wants the money back. */
  reason: z.string(),
  status: z.enum(DISPUTE_STATUSES),
  /** Until then it can be responded to, at the provider. */
  due_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
})

/** What waits for a response is `status=needs_response`. */
export const listDisputes = adminRead({
  name: 'list_disputes',
  roles: READERS,
  summary: 'List payments that cardholders asked their banks to take back, newest first',
  method: 'GET',
  path: '/disputes',
  input: z.object({
    status: z.enum(DISPUTE_STATUSES).optional(),
    ...paging,
  }),
  output: z.object({ disputes: z.array(DisputeView), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, status }) {
    const bound = { list: 'disputes', status }
    let query = db
      .selectFrom('disputes as d')
      .leftJoin('payments as p', 'p.id', 'd.payment_id')
      .leftJoin('charges as c', 'c.id', 'd.charge_id')
      .selectAll('d')
      .select(['p.public_id', 'c.user_id', disputeEnvironment.as('environment')])
    if (status) query = query.where('d.status', '=', status)
    const { rows, next_cursor } = await readPage(query, 'd.id', { cursor, limit, bound })
    const disputes = rows.map((row) => ({
      id: row.id,
      payment_id: row.payment_id,
      public_id: row.public_id,
      charge_id: row.charge_id,
      user_id: row.user_id,
      environment: row.environment,
      provider_ref: row.provider_ref,
      amount_cents: row.amount_cents,
      currency: row.currency,
      reason: row.reason,
      status: row.status,
      due_at: iso(row.due_at),
      created_at: iso(row.created_at),
      updated_at: iso(row.updated_at),
    }))
    return { disputes, next_cursor }
  },
})

async function hold(tx: Tx, id: string): Promise<Payment> {
  const payment = await lockPayment(tx, id)
  if (!payment) throw notFound('payment')
  return payment
}

/** A refund that the card did not take is sent again, or has been paid by other means. */
export const moveRefund = adminWrite({
  name: 'move_refund',
  roles: FINANCE,
  summary: 'A refund that failed: send it again, or say that it was paid otherwise',
  method: 'POST',
  path: '/payments/{id}/refund/{move}',
  input: z.object({
    id: z.string(),
    move: z.enum(['retry', 'paid']),
    note: textField(1000).nullish().describe('How it was paid; for `paid`.'),
  }),
  output: PaymentView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now }, { id, move, note = null }) {
    const payment = await hold(tx, id)
    if (payment.status !== 'refund_failed') {
      throw moveNotOpen(move, 'payment', payment.status)
    }
    if (move === 'retry') {
      await updatePayment(tx, id, now, {
        status: 'refund_due',
        due_at: now,
        attempts: 0,
        refund_round: payment.refund_round + 1,
      })
    } else {
      await updatePayment(tx, id, now, {
        status: 'refunded',
        refund_ref: null,
        refund_note: note,
        // What is owed from here on, since something else did not arrive, is paid once more.
        refund_round: payment.refund_round + 1,
      })
      // A bank that thinks better makes the marketplace owe a refund once more, which may be paid so again.
      const source = `${id}:${payment.refund_round}`
      await moveFunds(tx, now, payment, 'bank_refund', source, refundCents(payment), [
        'buyer_refunds',
        'bank_refunds',
      ])
    }
    return viewPayment(await hold(tx, id))
  },
})

const PLAYS = [...DISPUTE_PLAYS, 'fail-refund'] as const

/** Where no money is real there are no banks: an operator plays them. */
export const playBank = adminWrite({
  name: 'play_bank',
  roles: FINANCE,
  summary: 'Play the bank of the test provider: it disputes a payment, decides, or loses a refund',
  method: 'POST',
  path: '/payments/{id}/play/{play}',
  input: z.object({ id: z.string(), play: z.enum(PLAYS) }),
  output: PaymentView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now, app }, { id, play }) {
    const payment = await tx
      .selectFrom('payments')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    if (!payment) throw notFound('payment')
    const bank = playedProvider(payment.provider)
    if (!bank) throw conflict('not_applicable', 'This payment has a bank of its own.')
    const { refund_ref, status } = payment
    if (play === 'fail-refund') {
      if (status !== 'refunded' || refund_ref === null) throw moveNotOpen(play, 'payment', status)
      await recordFailedRefund({ tx, now, app }, id, {
        ref: refund_ref,
        amountCents: refundCents(payment),
        failure: bank.failedRefund,
        round: null,
      })
    } else {
      const disputed = await isDisputed(tx, id)
      const cannot = play === 'dispute' ? disputed || !DISPUTABLE.has(status) : !disputed
      if (cannot) throw moveNotOpen(play, 'payment', status)
      await settleDispute({ tx, now }, id, bank.dispute(payment, play))
    }
    return viewPayment(await hold(tx, id))
  },
})

const DISPUTABLE = new Set<string>(['succeeded', 'refund_due', 'refunded', 'refund_failed'])

async function isDisputed(tx: Tx, paymentId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('disputes')
    .select('id')
    .where('payment_id', '=', paymentId)
    .executeTakeFirst()
  return row !== undefined
}

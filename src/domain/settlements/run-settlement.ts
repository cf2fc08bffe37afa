import { z } from 'zod'
import { ENVIRONMENTS, type Environment, partnerOf } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import type { Job } from '../../core/jobs.ts'
import { adminWrite, partnerWrite, type Tx } from '../../core/operation.ts'
import { FINANCE } from '../../core/roles.ts'
import type { Settings } from '../../core/settings.ts'
import type { Schema } from '../../db/schema.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, DAY, HOUR, monthStart } from '../../lib/clock.ts'
import { emit } from '../events/emit.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { startPeriod } from '../ledger/settlement-period.ts'
import { orderEvent } from '../orders/order.ts'
import { settleOrders } from '../orders/settle-orders.ts'
import { NOTHING, readSums, StatementView, viewStatement } from './statement.ts'

const RunView = z.object({
  settlements: z
    .array(StatementView)
    .describe('The statements that were closed. Periods in which nothing happened stay open.'),
  order_count: z
    .int()
    .meta({ description: 'The number of orders that became `SETTLED`.', example: 1 }),
})

/** Closes the periods of every partner in an environment, up to now. */
export const runSettlement = adminWrite({
  name: 'run_settlement',
  roles: FINANCE,
  summary: 'Close the settlement periods of all partners',
  method: 'POST',
  path: '/settlement-runs',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).describe('The environment whose periods are closed.'),
    expected_order_count: z
      .int()
      .min(0)
      .optional()
      .describe(
        'The order count of the preview. A run that would settle another number is rejected.',
      ),
    expected_owed_cents: z
      .int()
      .optional()
      .describe(
        'The amount owed of the preview, in cents. A run that comes to another is rejected.',
      ),
  }),
  output: RunView,
  status: 201,
  errors: ['validation_error', 'conflict'],
  async handler({ tx, app }, { environment, expected_order_count, expected_owed_cents }) {
    const run = await closePeriods(tx, app, { environment })
    const owed = run.settlements.reduce((sum, { amount_owed_cents }) => sum + amount_owed_cents, 0)
    const expected = {
      order_count: expected_order_count ?? run.order_count,
      owed_cents: expected_owed_cents ?? owed,
    }
    if (expected.order_count !== run.order_count || expected.owed_cents !== owed) {
      throw conflict(
        'changed_meanwhile',
        'Something was delivered or taken back since you looked, so nothing was closed. Look again.',
        { order_count: run.order_count, owed_cents: owed },
      )
    }
    return run
  },
})

/** In the sandbox the partner closes its own period. */
export const sandboxRunSettlement = partnerWrite({
  name: 'sandbox_run_settlement',
  tag: 'Sandbox',
  summary: 'Close your settlement period',
  description:
    'Closes the open settlement period of your sandbox, as operators or the calendar do in the live market, and opens ' +
    'the next. Delivered orders become `SETTLED`, and `order.settled` is emitted for each. Nothing is closed while ' +
    'nothing has happened in the period.',
  method: 'POST',
  path: '/sandbox/settlement-runs',
  scope: 'buy',
  sandboxOnly: true,
  input: z.object({}),
  output: RunView,
  status: 201,
  errors: [],
  handler: ({ tx, app, partner }) => closePeriods(tx, app, partner),
})

interface Which {
  environment: Environment
  partnerId?: string
  /** Only periods in which something happened before this moment. */
  enteredBefore?: Date
}

/** The periods that a run closes: open ones in which something happened. */
export function periodsToClose(db: Pick<Tx, 'selectFrom'>, which: Which) {
  const query = db
    .selectFrom('settlements')
    .selectAll()
    .where('environment', '=', which.environment)
    .where('status', '=', 'open')
    .where((row) => {
      const entered = row
        .selectFrom('ledger_transactions')
        .select('id')
        .whereRef('settlement_id', '=', 'settlements.id')
      // What the marketplace collected is in no statement, and still is settled with its period.
      const delivered = row
        .selectFrom('orders')
        .select('public_id')
        .whereRef('settlement_id', '=', 'settlements.id')
        .where('payment_model', '=', 'hosted_checkout')
      const before = which.enteredBefore
      return row.or([
        row.exists(before ? entered.where('at', '<', before) : entered),
        row.exists(before ? delivered.where('transfer_completed_at', '<', before) : delivered),
      ])
    })
    .orderBy('id')
  return which.partnerId ? query.where('partner_id', '=', which.partnerId) : query
}

async function closePeriods(
  tx: Tx,
  app: Pick<AppContext, 'clock' | 'settings'>,
  which: Which,
): Promise<z.output<typeof RunView>> {
  const settlements: z.output<typeof StatementView>[] = []
  let order_count = 0
  const periods = await periodsToClose(tx, which).forUpdate().execute()
  // Read once the periods are held: whatever is in them happened before.
  const now = app.clock.now()
  for (const period of periods) {
    const { statement, settled } = await closePeriod(tx, now, app.settings, period)
    settlements.push(statement)
    order_count += settled
  }
  return { settlements, order_count }
}

/** Closes one period that this transaction holds: its statement stands from here on. */
async function closePeriod(
  tx: Tx,
  now: Date,
  { statementDueDays }: Pick<Settings, 'statementDueDays'>,
  period: Schema['settlements'],
) {
  const partner = partnerOf(period)
  const settled = await settleOrders(tx, now, period.id)
  const sums = (await readSums(tx, [period.id])).get(period.id) ?? NOTHING
  const owed = sums.gross_sold_cents - sums.commission_retained_cents
  // What was paid too much for earlier periods counts here, and what is left of it in the next.
  const received_cents = Math.min(period.received_cents, Math.max(owed, 0))
  const close = {
    ...sums,
    status: 'closed' as const,
    period_end: now,
    received_cents,
    due_at: owed > 0 ? after(now, statementDueDays * DAY) : null,
  }
  const statement = viewStatement({ ...period, ...close }, sums, now)
  const posting = post(now, {
    ...partner,
    code: 'settlement',
    source: period.id,
    settlementId: period.id,
    currency: period.currency,
    entries: transfer('partner_receivable', 'partner_funds', owed),
  })
  await tx.executeQuery(posting)
  await tx.updateTable('settlements').set(close).where('id', '=', period.id).execute()
  await startPeriod(tx, period, period.currency, now, period.received_cents - received_cents)
  for (const orders of settled) {
    const [first, ...rest] = orders.map((order) => orderEvent('order.settled', order))
    if (first) await tx.executeQuery(emit(now, partner, [first, ...rest]))
  }
  return { statement, settled: settled.flat().length }
}

/** Closes the partner's periods that hold something from before this month, unless operators close them. */
export async function closeEndedPeriods(
  tx: Tx,
  app: Pick<AppContext, 'clock' | 'settings'>,
  which: Required<Omit<Which, 'enteredBefore'>>,
): Promise<z.output<typeof RunView>> {
  const enteredBefore = monthToClose(app)
  if (!enteredBefore) return { settlements: [], order_count: 0 }
  return await closePeriods(tx, app, { ...which, enteredBefore })
}

/** When this month began (UTC); null where operators close the periods. */
function monthToClose({ clock, settings }: Pick<AppContext, 'clock' | 'settings'>): Date | null {
  return settings.settlementSchedule === 'monthly' ? monthStart(clock.now()) : null
}

/**
 * Once a month, soon after it began. Each partner's by itself: deliveries and refunds wait for a period that is
 * being closed, and one that cannot be closed keeps no other open.
 */
export const monthlySettlement: Job = {
  name: 'monthly_settlement',
  everyMs: HOUR,
  async run(app, signal) {
    const enteredBefore = monthToClose(app)
    if (!enteredBefore) return
    for (const environment of ENVIRONMENTS) {
      const which = { environment, enteredBefore }
      const periods = await inTransaction(app, (tx) => periodsToClose(tx, which).execute())
      for (const { id, partner_id } of periods) {
        if (signal.aborted) return
        await inTransaction(app, (tx) =>
          closePeriods(tx, app, { ...which, partnerId: partner_id }),
        ).catch((error: unknown) => {
          app.log.error({ err: error, settlement_id: id }, 'settlements: a period was not closed')
        })
      }
    }
  },
}

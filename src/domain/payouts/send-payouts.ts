import { sql } from 'kysely'
import { z } from 'zod'
import { claimDue } from '../../core/claim-due.ts'
import type { AppContext } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import type { Job } from '../../core/jobs.ts'
import { adminWrite } from '../../core/operation.ts'
import { FINANCE } from '../../core/roles.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, MINUTE, SECOND } from '../../lib/clock.ts'
import { payeeForPayout } from '../payees/payee.ts'
import type { PayoutRail } from '../payees/payout-rail.ts'
import { retryDelay } from '../payments/retry.ts'
import { AdminPayoutView, viewForOperator } from './admin-payout.ts'
import { applyMove } from './move-payout.ts'
import { nothingPayable, payableNow } from './payable-now.ts'
import { lockPayout, type Payout } from './payout.ts'
import { settleTransfer } from './rail-updates.ts'

/** Sent by one instance at a time. */
const LEASE = { leaseMs: MINUTE, atOnce: 20 }

export const sendPayouts = adminWrite({
  name: 'send_payouts',
  roles: FINANCE,
  recent: true,
  summary: 'Send the live payouts whose payees are paid by a provider',
  description:
    'Takes the payouts that are pending, need no approval any more, and whose payee has an account at the provider of ' +
    '`PAYOUT_RAIL` that is ready. They are `processing` until the provider says what became of them. Nothing to send is ' +
    '`conflict`, and says what is missing.',
  method: 'POST',
  path: '/payout-transfers',
  input: z.object({}),
  output: z.object({ payouts: z.array(AdminPayoutView), count: z.int() }),
  status: 200,
  errors: ['conflict'],
  audited: (_input, { payouts }) => ({ payouts: payouts.map(({ id }) => id) }),
  async handler({ tx, now, app }) {
    if (app.settings.payoutRail === 'file') {
      throw conflict('not_applicable', 'No provider pays out here: set PAYOUT_RAIL, or export.')
    }
    const payable = await payableNow(tx, now, app.settings, 'live')
    const payouts = payable.ready
      .filter(({ payee }) => payee.rail === app.settings.payoutRail)
      .map(({ payout }) => payout)
    if (payouts.length === 0) throw nothingPayable(payable, 'sent')
    const change = { status: 'processing' as const, due_at: now, updated_at: now }
    await tx
      .updateTable('payouts')
      .set(change)
      .where('id', '=', sql<string>`any(${payouts.map(({ id }) => id)}::text[])`)
      .execute()
    return {
      payouts: payouts.map((payout) => viewForOperator({ ...payout, ...change })),
      count: payouts.length,
    }
  },
})

/** Hands payouts to the provider; one that does not respond is asked again, ever later. */
export const workTransfers: Job = {
  name: 'work_transfers',
  everyMs: 2 * SECOND,
  queriesUpstream: true,
  async run(app, signal) {
    const { payoutRail } = app
    if (!payoutRail) return
    for (const payout of await claimDue(app.db, 'payouts', app.clock.now(), LEASE)) {
      if (signal.aborted) return
      await work(app, payoutRail, payout).catch(async (error: unknown) => {
        app.log.warn({ err: error, payout_id: payout.id }, 'payouts: no response')
        const due_at = after(app.clock.now(), retryDelay(payout.attempts))
        await app.db
          .updateTable('payouts')
          .set({ due_at })
          .where('id', '=', payout.id)
          .where('status', '=', 'processing')
          .execute()
      })
    }
  },
}

async function work(app: AppContext, rail: PayoutRail, payout: Payout): Promise<void> {
  const sent = await rail.send({
    id: payout.id,
    amountCents: payout.amount_cents,
    currency: payout.currency,
    accountId: await accountOf(app, rail, payout),
    attempts: payout.attempts - 1,
  })
  if (sent.status !== 'rejected') return await settleTransfer(app, sent)
  await inTransaction(app, async (tx) => {
    const held = await lockPayout(tx, payout.id)
    if (held.status !== 'processing' || held.transfer_ref !== null) return
    await applyMove({ tx, now: app.clock.now(), app }, held, 'fail', sent.reason)
  })
}

/** Where it was to go when it was sent: a change since then does not move it. */
async function accountOf(app: AppContext, rail: PayoutRail, payout: Payout): Promise<string> {
  const payees = await app.db
    .selectFrom('payees')
    .selectAll()
    .where('partner_id', '=', payout.partner_id)
    .execute()
  const payee = payeeForPayout(payees, payout, payout.updated_at)
  if (!payee?.account_id) throw new Error(`${payout.id} has no account at ${rail.label}`)
  return payee.account_id
}

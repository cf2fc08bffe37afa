import { claimDue } from '../../core/claim-due.ts'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, MINUTE, SECOND } from '../../lib/clock.ts'
import { lockPayment, type Payment } from '../payments/payment.ts'
import { retryDelay } from '../payments/retry.ts'
import { type Goodwill, lockGoodwill, updateGoodwill } from './goodwill.ts'
import { goodwillMail } from './mails/goodwill.ts'
import { recordExternalRefund } from './refund-payment.ts'
import { payerOf, readSession } from './session.ts'
import { lockOrderOf } from './settle-dispute.ts'

/** Sent by one instance at a time. */
const LEASE = { leaseMs: MINUTE, atOnce: 20 }

/** Hands goodwill refunds to their providers; one that does not respond is asked again, ever later. */
export const sendGoodwill: Job = {
  name: 'send_goodwill',
  everyMs: 2 * SECOND,
  queriesUpstream: true,
  async run(app, signal) {
    for (const row of await claimDue(app.db, 'goodwill_refunds', app.clock.now(), LEASE)) {
      if (signal.aborted) return
      await send(app, row).catch(async (error: unknown) => {
        app.log.warn({ err: error, goodwill_id: row.goodwill_id }, 'payments: no response')
        const now = app.clock.now()
        const due_at = after(now, retryDelay(row.attempts))
        await inTransaction(app, async (tx) => {
          // Unless another instance has sent it by now.
          const held = await lockGoodwill(tx, row.goodwill_id)
          if (held?.status === 'pending') await updateGoodwill(tx, now, row.goodwill_id, { due_at })
        })
      })
    }
  },
}

async function send(app: AppContext, { goodwill_id, payment_id, amount_cents }: Goodwill) {
  const payment = await app.db
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', payment_id)
    .executeTakeFirstOrThrow()
  const provider = app.payments.byId(payment.provider)
  const outcome = await provider.giveBack(payment, { id: goodwill_id, amountCents: amount_cents })
  const now = app.clock.now()
  await inTransaction(app, async (tx) => {
    await lockOrderOf(tx, payment_id)
    await lockPayment(tx, payment_id)
    const row = await lockGoodwill(tx, goodwill_id)
    if (row?.status !== 'pending') return
    if (outcome.kind === 'rejected') {
      await updateGoodwill(tx, now, goodwill_id, {
        status: 'failed',
        error: outcome.reason,
        due_at: null,
      })
      return
    }
    const { ref } = outcome
    await updateGoodwill(tx, now, goodwill_id, { status: 'sent', provider_ref: ref, due_at: null })
    const part = { ref, round: null, amountCents: amount_cents, failure: null }
    // The provider's webhook says the same, before or after.
    await recordExternalRefund({ tx, now, app }, payment_id, { ...part, totalCents: amount_cents })
    await mailBuyer(tx, now, payment, amount_cents)
  })
}

async function mailBuyer(tx: Tx, now: Date, payment: Payment, cents: number): Promise<void> {
  const session = await readSession(tx, payment.session_id)
  const to = session && payerOf(session, payment).email
  if (!session || !to) return
  const mail = goodwillMail(session.domain, cents, payment.currency)
  await tx.executeQuery(queueMail(tx, now, { to, ...mail }, session))
}

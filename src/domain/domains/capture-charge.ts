import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { inTransaction } from '../../db/transaction.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { type Charge, lockCharge, updateCharge } from '../payments/charge.ts'
import type { CaptureOutcome } from '../payments/saved-cards.ts'
import { MARKETPLACE } from './books.ts'
import { mailUser } from './mail-user.ts'
import { notRenewedMail } from './mails/not-renewed.ts'
import { renewedMail } from './mails/renewed.ts'
import { renewalsOf } from './renewal.ts'

type Renewal = Schema['renewals']

/**
 * Takes the price of the names that were renewed, or releases the authorization where none was. A provider that
 * does not respond is asked again later.
 */
export async function captureCharge(app: AppContext, charge: Charge): Promise<void> {
  const { cards } = app.payments.byId(charge.provider)
  const isTaken = (charge.capture_cents ?? 0) > 0
  let outcome: CaptureOutcome = { kind: 'captured' }
  if (isTaken) outcome = await cards.capture(charge)
  else await cards.cancel(charge)
  const now = app.clock.now()
  await inTransaction(app, async (tx) => {
    const held = await lockCharge(tx, charge.id)
    if (held.status !== 'capture_due') return
    const renewals = await renewalsOf(tx, charge.id)
    if (!isTaken) return await release(tx, now, held, renewals)
    if (outcome.kind === 'captured') return await book(tx, now, held, renewals)
    app.log.error(
      { charge_id: charge.id, reason: outcome.reason },
      'charges: names were renewed, and their price could not be captured',
    )
    await updateCharge(tx, charge.id, now, {
      status: 'failed',
      reason: outcome.reason,
      due_at: null,
    })
  })
}

async function release(tx: Tx, now: Date, charge: Charge, renewals: Renewal[]): Promise<void> {
  const reason = renewals[0]?.reason ?? 'The registrar did not renew it.'
  // Nothing took effect, so a repeat of the request tries anew.
  await updateCharge(tx, charge.id, now, {
    status: 'failed',
    reason,
    due_at: null,
    request_key: null,
  })
  for (const why of new Set(renewals.map((renewal) => renewal.reason ?? reason))) {
    const names = renewals.filter((renewal) => (renewal.reason ?? reason) === why)
    await mailUser(tx, now, charge.user_id, notRenewedMail(names, why))
  }
}

async function book(tx: Tx, now: Date, charge: Charge, renewals: Renewal[]): Promise<void> {
  const amount_cents = charge.capture_cents ?? 0
  const captured = { ...charge, amount_cents }
  await updateCharge(tx, charge.id, now, {
    status: 'succeeded',
    amount_cents,
    due_at: null,
    attempts: 0,
  })
  await tx
    .updateTable('renewals')
    .set({ status: 'paid' })
    .where('charge_id', '=', charge.id)
    .where('status', '=', 'renewed')
    .execute()
  await tx.executeQuery(
    post(now, {
      ...MARKETPLACE,
      code: 'renewal_charge',
      source: charge.id,
      currency: charge.currency,
      entries: transfer('card_funds', 'renewals', amount_cents),
    }),
  )
  const renewed = await withExpiry(
    tx,
    renewals.filter(({ status }) => status === 'renewed'),
  )
  const failed = renewals.filter(({ status }) => status === 'failed')
  await mailUser(tx, now, charge.user_id, renewedMail(captured, renewed, [], failed))
}

/** With the expiry that the registrar showed after it. */
async function withExpiry(
  tx: Tx,
  renewals: Renewal[],
): Promise<(Renewal & { until: Date | null })[]> {
  const rows = await tx
    .selectFrom('registrar_domains')
    .select(['domain', 'expires_at'])
    .where('domain', '=', sql<string>`any(${renewals.map(({ domain }) => domain)}::text[])`)
    .execute()
  const expiries = new Map(rows.map(({ domain, expires_at }) => [domain, expires_at]))
  return renewals.map((renewal) => ({ ...renewal, until: expiries.get(renewal.domain) ?? null }))
}

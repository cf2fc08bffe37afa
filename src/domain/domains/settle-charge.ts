import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import type { Schema } from '../../db/schema.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, DAY, yearsAfter } from '../../lib/clock.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { post } from '../ledger/ledger.ts'
import { type Charge, lockCharge, updateCharge } from '../payments/charge.ts'
import type { ChargeOutcome } from '../payments/saved-cards.ts'
import { MARKETPLACE } from './books.ts'
import { mailUser } from './mail-user.ts'
import { confirmRenewalMail } from './mails/confirm-renewal.ts'
import { notRenewedMail } from './mails/not-renewed.ts'
import { renewedMail } from './mails/renewed.ts'
import { lockOwned } from './owned-domain.ts'
import { askRegistrars } from './renew-at-registrar.ts'
import { renewalsOf } from './renewal.ts'

type Context = Pick<WriteContext, 'tx' | 'now'> & {
  app: { secrets: SecretBox; settings: Pick<Settings, 'baseUrl'> }
}

/** How long a renewal waits for its cardholder; it begins well before the names expire. */
const CONFIRM_WITHIN_MS = 3 * DAY
type Renewal = Schema['renewals']

/**
 * Takes in what became of a charge, in any order and any number of times: its names are renewed, or stay as
 * they were. What was paid for a name that left the user meanwhile goes back.
 */
async function settleCharge(
  { tx, now, app }: Context,
  id: string,
  outcome: ChargeOutcome,
  isTold: boolean,
): Promise<void> {
  const charge = await lockCharge(tx, id)
  if (!['started', 'processing', 'confirmation_due'].includes(charge.status)) return
  switch (outcome.kind) {
    case 'processing':
      return await updateCharge(tx, id, now, {
        status: 'processing',
        provider_ref: outcome.ref,
        due_at: outcome.dueAt,
      })
    case 'failed':
      return await fail(tx, now, charge, outcome, isTold)
    case 'confirmation_due':
      // Who reads of it in a response can use another card.
      if (isTold) return await fail(tx, now, charge, outcome, isTold)
      return await askCardholder({ tx, now, app }, charge)
    case 'authorized':
      return await askRegistrars({ tx, now, app }, charge, outcome.ref)
    case 'succeeded':
      return await renew(tx, now, charge, outcome.ref)
  }
}

/** The same, in a transaction of its own. */
export async function settleOutcome(
  app: AppContext,
  id: string,
  outcome: ChargeOutcome,
  isTold: boolean,
): Promise<void> {
  const now = app.clock.now()
  await inTransaction(app, (tx) => settleCharge({ tx, now, app }, id, outcome, isTold))
}

async function fail(
  tx: Tx,
  now: Date,
  charge: Charge,
  { ref, reason }: Extract<ChargeOutcome, { kind: 'failed' | 'confirmation_due' }>,
  isTold: boolean,
): Promise<void> {
  const renewals = await renewalsOf(tx, charge.id)
  await tx
    .updateTable('renewals')
    .set({ status: 'failed', reason })
    .where('charge_id', '=', charge.id)
    .execute()
  await updateCharge(tx, charge.id, now, {
    status: 'failed',
    reason,
    due_at: null,
    // Nothing took effect, so a repeat of the request tries anew.
    request_key: null,
    ...(ref !== null && { provider_ref: ref }),
  })
  if (!isTold) await mailUser(tx, now, charge.user_id, notRenewedMail(renewals, reason))
}

async function askCardholder({ tx, now, app }: Context, charge: Charge): Promise<void> {
  if (charge.status === 'confirmation_due') return
  const due_at = after(now, CONFIRM_WITHIN_MS)
  await updateCharge(tx, charge.id, now, { status: 'confirmation_due', due_at, attempts: 0 })
  const domains = (await renewalsOf(tx, charge.id)).map(({ domain }) => domain)
  const mail = confirmRenewalMail(charge, domains, due_at, app.settings.baseUrl)
  await mailUser(tx, now, charge.user_id, mail)
}

async function renew(tx: Tx, now: Date, charge: Charge, ref: string): Promise<void> {
  const renewals = await renewalsOf(tx, charge.id)
  const held = await lockOwned(
    tx,
    charge.user_id,
    renewals.map(({ domain }) => domain),
  )
  const renewed = renewals.flatMap((renewal) => {
    const from = held.get(renewal.domain)?.expires_at
    return from ? [{ ...renewal, until: yearsAfter(from, renewal.years) }] : []
  })
  const lost = renewals.filter(({ domain }) => !held.has(domain))
  await sql`
    update owned_domains set expires_at = n.expires_at, updated_at = ${now}
    from unnest(${renewed.map(({ domain }) => domain)}::text[],
      ${renewed.map(({ until }) => until.toISOString())}::text[]::timestamptz[])
      as n (domain, expires_at)
    where owned_domains.domain = n.domain`.execute(tx)
  await mark(tx, renewed, 'paid', null)
  await mark(tx, lost, 'refunded', 'It was no longer yours when the payment came in.')
  const earned = sumOf(renewed)
  const refund_cents = charge.amount_cents - earned
  await updateCharge(tx, charge.id, now, {
    status: refund_cents > 0 ? 'refund_due' : 'succeeded',
    provider_ref: ref,
    refund_cents,
    due_at: refund_cents > 0 ? now : null,
    attempts: 0,
  })
  await tx.executeQuery(
    post(now, {
      ...MARKETPLACE,
      code: 'renewal_charge',
      source: charge.id,
      currency: charge.currency,
      entries: [
        { account: 'card_funds', amount_cents: charge.amount_cents },
        { account: 'renewals', amount_cents: -earned },
        { account: 'buyer_refunds', amount_cents: -refund_cents },
      ],
    }),
  )
  await mailUser(tx, now, charge.user_id, renewedMail(charge, renewed, lost))
}

async function mark(
  tx: Tx,
  renewals: Renewal[],
  status: 'paid' | 'refunded',
  reason: string | null,
): Promise<void> {
  if (renewals.length === 0) return
  await tx
    .updateTable('renewals')
    .set({ status, reason })
    .where('id', '=', sql<string>`any(${renewals.map(({ id }) => id)}::text[])`)
    .execute()
}

function sumOf(renewals: Renewal[]): number {
  return renewals.reduce((sum, { price_cents }) => sum + (price_cents ?? 0), 0)
}

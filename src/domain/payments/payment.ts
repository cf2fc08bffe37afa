import type { Selectable } from 'kysely'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { after, DAY, MINUTE } from '../../lib/clock.ts'

/**
 * - `refund_due`: the money is on its way back; `refunded`: the provider has taken the refund.
 * - `refund_failed`: it was rejected, or did not arrive; it waits for an operator.
 * - `disputed`: the buyer's bank has the money and decides; `charged_back`: the buyer keeps it.
 */
export const PAYMENT_STATUSES = [
  'started',
  'action_required',
  'processing',
  'succeeded',
  'failed',
  'refund_due',
  'refunded',
  'refund_failed',
  'disputed',
  'charged_back',
] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]
export type Payment = Selectable<Schema['payments']>

/** Whom the domain is registered to. */
export interface Registrant {
  name: string
  organization: string | null
  email: string
  phone: string | null
  address: string
  city: string
  postal_code: string | null
  country: string
  /** Of a business, where buyers are asked for it. */
  tax_id?: string | null
}

/** What its refund gives back. */
export function refundCents({ refund_cents, amount_cents }: Payment): number {
  return refund_cents ?? amount_cents
}

/** Whether the money came in, and goes back or has gone. */
export function isOnItsWayBack({ status }: Pick<Payment, 'status'>): boolean {
  return SETTLED.includes(status) && status !== 'succeeded'
}

/** A provider has responded by then, or never will. */
export const STARTED_FOR_MS = MINUTE
/** A payment holds its name no longer than this after it started (contract, section 8). */
export const LONGEST_HOLD_MS = 7 * DAY

/** No provider's page on which a buyer pays is open longer. */
export const LONGEST_PAGE_MS = DAY

/** Whether the buyer waits for its outcome, and so must not pay once more meanwhile. */
export function isUnderWay({ status, created_at }: Payment, now: Date): boolean {
  return (
    status === 'processing' || (status === 'started' && after(created_at, STARTED_FOR_MS) > now)
  )
}

/** Nothing that a provider still says of the payment itself changes these: the money has come in. */
export const SETTLED: readonly PaymentStatus[] = [
  'succeeded',
  'refund_due',
  'refunded',
  'refund_failed',
  'disputed',
  'charged_back',
]

/** The payment's row, held for this transaction. */
export async function lockPayment(tx: Tx, id: string): Promise<Payment | undefined> {
  return await tx
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** The last one of a checkout session. */
export async function lastPayment(
  db: Pick<Tx, 'selectFrom'>,
  sessionId: string,
): Promise<Payment | undefined> {
  return await db
    .selectFrom('payments')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function findPayment(
  db: Pick<Tx, 'selectFrom'>,
  id: string,
): Promise<Payment | undefined> {
  return await db.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function updatePayment(
  tx: Tx,
  id: string,
  now: Date,
  change: Partial<
    Pick<
      Payment,
      | 'status'
      | 'reason'
      | 'provider_ref'
      | 'refund_ref'
      | 'refund_cents'
      | 'partner_id'
      | 'public_id'
      | 'amount_cents'
      | 'currency'
      | 'due_at'
      | 'attempts'
      | 'refund_round'
      | 'refund_note'
    >
  >,
): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ ...change, updated_at: now })
    .where('id', '=', id)
    .execute()
}

export async function insertPayment(tx: Tx, payment: Payment): Promise<void> {
  const registrant = payment.registrant && JSON.stringify(payment.registrant)
  const tax = payment.tax && JSON.stringify(payment.tax)
  await tx
    .insertInto('payments')
    .values({ ...payment, registrant, tax })
    .execute()
}

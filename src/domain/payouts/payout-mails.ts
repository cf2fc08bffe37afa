import { rollup, sum } from 'd3-array'
import { nameText } from 'domain-marketplace-domain-names'
import type { CompiledQuery } from 'kysely'
import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import { moneyText } from '../../lib/money.ts'
import { payeeForPayout } from '../payees/payee.ts'
import { payoutPaidMail } from './mails/payout-paid.ts'
import { payoutReturnedMail } from './mails/payout-returned.ts'
import type { Payout } from './payout.ts'

/** What a payout pays of a sale. */
type PaidSale = { sale_id: string; amount_cents: number }

/**
 * Tells a user who sells domains that they were paid; null for a partner, who reads `GET /payouts`.
 *
 * @param payout as it was before it was paid
 */
export async function paidMail(
  tx: Tx,
  now: Date,
  payout: Payout,
  paid: readonly PaidSale[],
): Promise<CompiledQuery | null> {
  const to = await sellerOf(tx, payout)
  if (to === null) return null
  const mail = payoutPaidMail({
    id: payout.id,
    amount: amountOf(payout),
    account: await accountOf(tx, now, payout),
    sales: await salesOf(tx, payout.currency, paid),
  })
  return queueMail(tx, now, { to, ...mail })
}

/** Tells a user who sells domains that their money came back; null for a partner. */
export async function returnedMail(
  tx: Tx,
  now: Date,
  payout: Payout,
  { baseUrl }: Pick<Settings, 'baseUrl'>,
): Promise<CompiledQuery | null> {
  const to = await sellerOf(tx, payout)
  if (to === null) return null
  const mail = payoutReturnedMail(payout.id, amountOf(payout), `${baseUrl}/account/payee`)
  return queueMail(tx, now, { to, ...mail })
}

/** The address of the user whom it pays; null for a partner. */
async function sellerOf(tx: Tx, { partner_id }: Payout): Promise<string | null> {
  const user = await tx
    .selectFrom('partners as p')
    .innerJoin('users as u', 'u.id', 'p.user_id')
    .select('u.email')
    .where('p.id', '=', partner_id)
    .executeTakeFirst()
  return user?.email ?? null
}

function amountOf({ amount_cents, currency }: Payout): string {
  return moneyText(amount_cents, currency)
}

/** What was sent or exported went to the account of that moment. */
async function accountOf(tx: Tx, now: Date, payout: Payout): Promise<string | null> {
  const payees = await tx
    .selectFrom('payees')
    .selectAll()
    .where('partner_id', '=', payout.partner_id)
    .execute()
  const sentAt = payout.status === 'processing' ? payout.updated_at : now
  return payeeForPayout(payees, payout, sentAt)?.account_last4 || null
}

/** Each sale with what is paid of it, as people read it. */
async function salesOf(tx: Tx, currency: string, paid: readonly PaidSale[]): Promise<string[]> {
  const cents = rollup(
    paid,
    (entries) => sum(entries, ({ amount_cents }) => amount_cents),
    ({ sale_id }) => sale_id,
  )
  const orders = await tx
    .selectFrom('orders')
    .select(['public_id', 'domain'])
    .where('public_id', 'in', [...cents.keys()])
    .orderBy('public_id')
    .execute()
  return orders.map(
    ({ public_id, domain }) =>
      `${nameText(domain)}: ${moneyText(cents.get(public_id) ?? 0, currency)}`,
  )
}

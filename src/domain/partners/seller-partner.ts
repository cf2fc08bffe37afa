import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { newId } from '../../lib/ids.ts'

/**
 * The partner row by which a user who sells domains is paid: it has no credentials and earns no
 * commissions, and its balance and payouts are like anyone's.
 */
export async function sellerPartnerOf(
  tx: Tx,
  now: Date,
  user: { id: string; email: string },
): Promise<string> {
  const known = await findSellerPartner(tx, user.id)
  if (known !== null) return known
  const id = newId('prt', now)
  await tx
    .insertInto('partners')
    .values({
      id,
      user_id: user.id,
      name: user.email,
      email: user.email,
      status: 'active',
      live_approved_at: null,
      partner_collected_bps: 0,
      brokerage_bps: 0,
      hosted_checkout_bps: 0,
      referral_bps: 0,
      created_at: now,
    })
    .execute()
  return id
}

/** The partner row of a user who sold something; null where there is none yet. */
export async function findSellerPartner(
  db: Pick<Tx, 'selectFrom'>,
  userId: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('partners')
    .select('id')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.id ?? null
}

/** The address of a user who sells has changed, and with it the name by which they are paid. */
export async function renameSeller(tx: Tx, userId: string, email: string): Promise<void> {
  await tx
    .updateTable('partners')
    .set({ name: email, email })
    .where('user_id', '=', userId)
    .execute()
}

/** What the marketplace owes a user for domains of theirs that it sold, by currency. */
export async function balancesOf(
  db: Database,
  userId: string,
): Promise<{ balance_cents: number; currency: string }[]> {
  return await db
    .selectFrom('partners as p')
    .innerJoin('commission_balances as b', 'b.partner_id', 'p.id')
    .select(['b.balance_cents', 'b.currency'])
    .where('p.user_id', '=', userId)
    .where('b.environment', '=', 'live')
    .execute()
}

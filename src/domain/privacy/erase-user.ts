import { sql } from 'kysely'
import { z } from 'zod'
import { conflict } from '../../core/errors.ts'
import { textField } from '../../core/fields.ts'
import { adminWrite, type Tx } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { lockUser, type User } from '../accounts/user.ts'
import { findSellerPartner } from '../partners/seller-partner.ts'

/** What only says how somebody signed in, or what they could do. */
const FORGOTTEN = [
  'sessions',
  'mailed_links',
  'personal_tokens',
  'second_factors',
  'recovery_codes',
  'presence_checks',
  'claims',
] as const

/**
 * Erases a person, and keeps the books: orders, invoices, ledger and audit log stay, as the law has them kept, and what
 * names the person in them is replaced where the law does not want it.
 */
export const eraseUser = adminWrite({
  name: 'erase_user',
  roles: ADMINS,
  recent: true,
  summary: 'Erase a person; the ledger and invoices are kept',
  description:
    'The account cannot be used or restored. It is `conflict` while it has domains, an order on its way, or money to get.',
  method: 'POST',
  path: '/users/{user_id}/erase',
  input: z.object({
    user_id: z.string(),
    reason: textField(1000).min(1, 'must not be empty').describe('Why, for the audit log.'),
  }),
  output: z.object({ user_id: z.string(), erased: z.literal(true) }),
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now, actor }, { user_id }) {
    const user = await lockUser(tx, user_id)
    if (user_id === actor.userId) {
      throw conflict('not_applicable', 'Let another operator erase your account.')
    }
    await assertNothingOpen(tx, user)
    const erased = `erased-${user_id}@erased.invalid`
    for (const table of FORGOTTEN) {
      await sql`delete from ${sql.table(table)} where user_id = ${user_id}`.execute(tx)
    }
    await tx
      .updateTable('oauth_grants')
      .set({ revoked_at: now })
      .where('user_id', '=', user_id)
      .where('revoked_at', 'is', null)
      .execute()
    await tx
      .updateTable('payment_methods')
      .set({ status: 'removed', label: null, customer_ref: null, method_ref: null })
      .where('user_id', '=', user_id)
      .execute()
    await replaceAddress(tx, user.email, erased)
    await tx
      .updateTable('users')
      .set({
        email: erased,
        password_hash: 'erased',
        is_operator: false,
        role: null,
        partner_id: null,
        affiliate_id: null,
        email_confirmed_at: null,
        disabled_at: now,
      })
      .where('id', '=', user_id)
      .execute()
    return { user_id, erased: true as const }
  },
})

/** Where somebody waits for something, erasing them would lose it. */
async function assertNothingOpen(tx: Tx, { id, email }: User): Promise<void> {
  const partnerId = await findSellerPartner(tx, id)
  const { rows } = await sql<{ domains: number; orders: number; cents: number }>`select
    (select count(*)::int from owned_domains where user_id = ${id}) as domains,
    (select count(*)::int from orders where lower(buyer->>'email') = ${email} and environment = 'live'
      and status in ('EXTERNALLY_PAID', 'PAID', 'TRANSFER_IN_PROGRESS')) as orders,
    (select coalesce(sum(balance_cents), 0)::bigint from commission_balances
      where partner_id = ${partnerId}) as cents`.execute(tx)
  const { domains = 0, orders = 0, cents = 0 } = rows[0] ?? {}
  if (domains === 0 && orders === 0 && cents === 0) return
  const open = [
    domains > 0 && (domains === 1 ? 'one domain' : `${domains} domains`),
    orders > 0 && (orders === 1 ? 'one order on its way' : `${orders} orders on their way`),
    cents !== 0 && 'a balance that is not paid out',
  ].filter(Boolean)
  throw conflict('not_allowed_now', `This account still has ${open.join(', ')}.`, {
    status: 'in_use',
  })
}

/** Invoices keep whom they are to; elsewhere the order's id is enough. */
async function replaceAddress(tx: Tx, email: string, erased: string): Promise<void> {
  const theirs = sql`lower(buyer->>'email') = ${email}`
  const buyer = sql`jsonb_build_object('email', ${erased}::text, 'name', null, 'country', buyer->'country')`
  await sql`update orders set buyer = ${buyer} where ${theirs}`.execute(tx)
  await sql`update offers set buyer = ${buyer} where ${theirs}`.execute(tx)
  await sql`update checkout_sessions set buyer = ${buyer}, registrant = null where ${theirs}
    or lower(registrant->>'email') = ${email}`.execute(tx)
  await sql`update payments set registrant = null where lower(registrant->>'email') = ${email}`.execute(
    tx,
  )
  await sql`update brokerage_cases set buyer_email = ${erased}, note = null
    where lower(buyer_email) = ${email}`.execute(tx)
  await sql`delete from mails where recipient = ${email}`.execute(tx)
  await sql`delete from promised_domains where email = ${email}`.execute(tx)
}

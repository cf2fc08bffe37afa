import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { conflict } from '../../core/errors.ts'
import { textField } from '../../core/fields.ts'
import { adminWrite, type Tx } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { after } from '../../lib/clock.ts'
import { confirmedEmail, lockUser, type User } from '../accounts/user.ts'
import { findSellerPartner, renameSeller } from '../partners/seller-partner.ts'
import { LONGEST_PAGE_MS } from '../payments/payment.ts'
import { eraseMethods } from '../payments/payment-method.ts'

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
    'The account cannot be used or restored. It is `conflict` while it has domains, an order on its way, a payment or ' +
    'refund under way, an accepted offer, a running brokerage case, or money to get. Of an account whose address nobody ' +
    'confirmed, what others bought or wrote with that address stays.',
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
    await assertNothingOpen(tx, now, user)
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
    await eraseMethods(tx, now, user_id)
    const email = confirmedEmail(user)
    await forgetWords(tx, user_id, email)
    if (email !== null) await replaceAddress(tx, email, erased)
    await renameSeller(tx, user_id, erased)
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
async function assertNothingOpen(tx: Tx, now: Date, user: User): Promise<void> {
  const { domains, orders, payments, offers, cases, cents } = await countOpen(tx, now, user)
  const open = [
    counted(domains, 'domain', 'domains'),
    counted(orders, 'order on its way', 'orders on their way'),
    counted(payments, 'payment or refund under way', 'payments or refunds under way'),
    counted(offers, 'accepted offer', 'accepted offers'),
    counted(cases, 'running brokerage case', 'running brokerage cases'),
    cents !== 0 && 'a balance that is not paid out',
  ].filter(Boolean)
  if (open.length === 0) return
  throw conflict('not_allowed_now', `This account still has ${open.join(', ')}.`, {
    status: 'in_use',
  })
}

function counted(count: number, one: string, many: string): string | false {
  if (count === 0) return false
  return count === 1 ? `one ${one}` : `${count} ${many}`
}

const NOTHING = { domains: 0, orders: 0, payments: 0, offers: 0, cases: 0, cents: 0 }

/**
 * A payment that the buyer has left counts as long as it can still be made: while its session is open, a page of the
 * provider's may be, or a job asks about it. Nothing is found by an address that nobody has confirmed.
 */
async function countOpen(tx: Tx, now: Date, user: User): Promise<typeof NOTHING> {
  const { id } = user
  const email = sql`${confirmedEmail(user)}::text`
  const partnerId = await findSellerPartner(tx, id)
  const { rows } = await sql<typeof NOTHING>`select
    (select count(*)::int from owned_domains where user_id = ${id})
      + (select count(*)::int from promised_domains where email = ${email}) as domains,
    (select count(*)::int from orders where lower(buyer->>'email') = ${email} and environment = 'live'
      and status in ('EXTERNALLY_PAID', 'PAID', 'TRANSFER_IN_PROGRESS')) as orders,
    (select count(*)::int from payments p join checkout_sessions s on s.id = p.session_id
      where p.environment = 'live'
        and (p.status in ('processing', 'refund_due', 'refund_failed')
          or p.status in ('started', 'action_required') and (p.due_at is not null
            or s.status = 'open' and s.expires_at > ${now}
            or p.created_at > ${after(now, -LONGEST_PAGE_MS)}))
        and (s.app_user_id = ${id} or ${email} in (lower(s.buyer->>'email'),
          lower(s.registrant->>'email'), lower(p.registrant->>'email')))) as payments,
    (select count(*)::int from offers o left join checkout_sessions s on s.id = o.session_id
      left join quotes q on q.id = o.quote_id
      where lower(o.buyer->>'email') = ${email} and o.environment = 'live'
        and o.status = 'accepted' and o.expires_at > ${now}
        and (s.status = 'open' or q.status = 'active')) as offers,
    (select count(*)::int from brokerage_cases where lower(buyer_email) = ${email}
      and environment = 'live' and ended_at is null) as cases,
    (select coalesce(sum(balance_cents), 0)::bigint from commission_balances
      where partner_id = ${partnerId}) as cents`.execute(tx)
  return rows[0] ?? NOTHING
}

/** What they wrote themselves as buyer or seller; what was written to them is the other side's. */
async function forgetWords(tx: Tx, id: string, email: string | null): Promise<void> {
  const forgetOffers = (side: 'buyer' | 'seller', theirs: RawBuilder<unknown>) =>
    sql`update offers set history = ${withoutWords('history', 'message', side)},
      closing_message = case when closed_by = ${side} then null else closing_message end
      where ${theirs}`.execute(tx)
  await forgetOffers('seller', sql`seller_id = ${id}`)
  if (email === null) return
  await forgetOffers('buyer', sql`lower(buyer->>'email') = ${email}`)
  const cases = sql`lower(buyer_email) = ${email}`
  await sql`update brokerage_offers set message = null where made_by = 'buyer'
    and case_id in (select case_id from brokerage_cases where ${cases})`.execute(tx)
  await sql`update brokerage_cases set timeline = ${withoutWords('timeline', 'note', 'buyer')}
    where ${cases}`.execute(tx)
}

/** The steps of a column, in their order, without the words of one side. */
function withoutWords(column: string, words: string, side: string): RawBuilder<unknown> {
  return sql`(select jsonb_agg(case when step->>'by' = ${side}
      then step || jsonb_build_object(${words}::text, null) else step end order by place)
    from jsonb_array_elements(${sql.ref(column)}) with ordinality as steps (step, place))`
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
  await sql`update payees set created_by = ${erased} where created_by = ${email}`.execute(tx)
  await sql`delete from mails where lower(recipient) = ${email}`.execute(tx)
  await sql`delete from partner_invitations where email = ${email}`.execute(tx)
}

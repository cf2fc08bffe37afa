import { sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'

/**
 * What somebody bought, offered and asked for with an address that was theirs goes on under their new one, and so does
 * what they are paying for: they see it on their account, and mails of it reach them. Invoices stay as they were issued.
 */
export async function moveAddress(tx: Tx, from: string, to: string): Promise<void> {
  const isTheirs = (column: string) => sql`lower(${sql.ref(column)}->>'email') = ${from}`
  const moved = (column: string) => sql`case when ${isTheirs(column)}
    then jsonb_set(${sql.ref(column)}::jsonb, '{email}', to_jsonb(${to}::text))
    else ${sql.ref(column)}::jsonb end`
  // Before the orders that payments become, and as a payment is settled: the session, then the payment.
  await sql`update checkout_sessions set buyer = ${moved('buyer')}, registrant = ${moved('registrant')}
    where ${isTheirs('buyer')} or ${isTheirs('registrant')}`.execute(tx)
  await sql`update payments set registrant = ${moved('registrant')}
    where ${isTheirs('registrant')}`.execute(tx)
  await sql`update orders set buyer = ${moved('buyer')}
    where ${isTheirs('buyer')} and payment_model = 'hosted_checkout'`.execute(tx)
  // Of what a partner sold, only what will be held here for its buyer is more than the partner's own record.
  await sql`update orders set buyer = ${moved('buyer')}
    where ${isTheirs('buyer')} and environment = 'live' and payment_model = 'partner_collected'
      and status in ('EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS')
      and delivery->>'method' = 'hold'`.execute(tx)
  await sql`update offers set buyer = ${moved('buyer')} where ${isTheirs('buyer')}`.execute(tx)
  await sql`update brokerage_cases set buyer_email = ${to} where lower(buyer_email) = ${from}`.execute(
    tx,
  )
  await sql`update promised_domains set email = ${to} where email = ${from}`.execute(tx)
}

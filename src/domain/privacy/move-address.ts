import { sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'

/**
 * What somebody bought, offered and asked for with an address that was theirs goes on under their new one: they see
 * it on their account, and mails of it reach them. Invoices stay as they were issued.
 */
export async function moveAddress(tx: Tx, from: string, to: string): Promise<void> {
  const theirs = sql`lower(buyer->>'email') = ${from}`
  const buyer = sql`json_build_object('email', ${to}::text, 'name', buyer->'name', 'country', buyer->'country')`
  await sql`update orders set buyer = ${buyer} where ${theirs} and payment_model = 'hosted_checkout'`.execute(
    tx,
  )
  await sql`update offers set buyer = ${buyer} where ${theirs}`.execute(tx)
  await sql`update brokerage_cases set buyer_email = ${to} where lower(buyer_email) = ${from}`.execute(
    tx,
  )
}

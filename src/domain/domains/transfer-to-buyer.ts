import { sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'
import { advisoryLock } from '../../db/advisory-lock.ts'
import type { Schema } from '../../db/schema.ts'
import { after } from '../../lib/clock.ts'
import { userByEmail } from '../accounts/user.ts'
import { FIRST_TERM_MS } from './owned-domain.ts'

/**
 * A domain that was bought here has arrived: it leaves whoever held it, and becomes its buyer's. An account
 * gets it once its address is confirmed, which may be later.
 */
export async function transferToBuyer(
  tx: Tx,
  now: Date,
  domain: string,
  email: string,
): Promise<void> {
  await lockPendingClaims(tx, email)
  const held = await tx
    .deleteFrom('owned_domains')
    .where('domain', '=', domain)
    .returning('expires_at')
    .executeTakeFirst()
  const pendingClaim = {
    domain,
    email: email.toLowerCase(),
    expires_at: held?.expires_at ?? after(now, FIRST_TERM_MS),
    created_at: now,
  }
  await tx
    .insertInto('promised_domains')
    .values(pendingClaim)
    .onConflict((known) => known.column('domain').doUpdateSet(pendingClaim))
    .execute()
  const user = await userByEmail(tx, email)
  if (user) await claimPending(tx, now, user)
}

/** A domain went to a partner's registrar: nobody here has it any more, whoever sold it. */
export async function removeOwner(tx: Tx, domain: string): Promise<void> {
  await tx.deleteFrom('owned_domains').where('domain', '=', domain).execute()
}

/** Gives a user what was bought with their address, once it is confirmed. */
export async function claimPending(
  tx: Tx,
  now: Date,
  { id, email, email_confirmed_at }: { id: string; email: string; email_confirmed_at: Date | null },
): Promise<void> {
  if (email_confirmed_at === null) return
  await lockPendingClaims(tx, email)
  await sql`
    with promised as (
      delete from promised_domains where email = ${email} returning domain, expires_at
    )
    insert into owned_domains
      (domain, user_id, locked, auto_renew, privacy, nameservers, expires_at, created_at, updated_at)
    select domain, ${id}, false, false, true, '{}', expires_at, ${now}, ${now}
    from promised order by domain
    on conflict (domain) do nothing`.execute(tx)
}

type PendingClaim = Pick<Schema['promised_domains'], 'domain' | 'expires_at'>

/** What waits for an address that was a slip waits no more: somebody else is to have it. */
export async function endPendingClaims(
  tx: Tx,
  email: string,
  domains: string[],
): Promise<PendingClaim[]> {
  await lockPendingClaims(tx, email)
  return await tx
    .deleteFrom('promised_domains')
    .where('email', '=', email.toLowerCase())
    .where('domain', '=', sql<string>`any(${domains}::text[])`)
    .returning(['domain', 'expires_at'])
    .execute()
}

/** Whoever has them now has them for as long as they were bought. */
export async function copyTerms(tx: Tx, bought: PendingClaim[]): Promise<void> {
  for (const { domain, expires_at } of bought) {
    await tx.updateTable('owned_domains').set({ expires_at }).where('domain', '=', domain).execute()
  }
}

/** Who promises to an address and who confirms it at the same time would not see each other. */
async function lockPendingClaims(tx: Tx, email: string): Promise<void> {
  await advisoryLock(tx, `promised:${email.toLowerCase()}`)
}

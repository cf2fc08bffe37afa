import { sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'
import { advisoryLock } from '../../db/advisory-lock.ts'
import type { Schema } from '../../db/schema.ts'
import { after } from '../../lib/clock.ts'
import { userByEmail } from '../accounts/user.ts'
import { endVerified, vouchFor } from '../claims/claim.ts'
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
  { isSimulated }: { isSimulated: boolean },
): Promise<void> {
  await lockPromises(tx, email)
  await endVerified(tx, [domain])
  const held = await tx
    .deleteFrom('owned_domains')
    .where('domain', '=', domain)
    .returning('expires_at')
    .executeTakeFirst()
  const promised = {
    domain,
    email: email.toLowerCase(),
    expires_at: held?.expires_at ?? (isSimulated ? after(now, FIRST_TERM_MS) : null),
    created_at: now,
  }
  await tx
    .insertInto('promised_domains')
    .values(promised)
    .onConflict((known) => known.column('domain').doUpdateSet(promised))
    .execute()
  const user = await userByEmail(tx, email)
  if (user) await givePromised(tx, now, user)
}

/** A domain went to a partner's registrar: nobody here has it any more, whoever sold it. */
export async function removeOwner(tx: Tx, domain: string): Promise<void> {
  await endVerified(tx, [domain])
  await tx.deleteFrom('owned_domains').where('domain', '=', domain).execute()
}

/** Gives a user what was bought with their address, once it is confirmed. */
export async function givePromised(
  tx: Tx,
  now: Date,
  { id, email, email_confirmed_at }: { id: string; email: string; email_confirmed_at: Date | null },
): Promise<void> {
  if (email_confirmed_at === null) return
  await lockPromises(tx, email)
  const { rows } = await sql<{ domain: string }>`
    with promised as (
      delete from promised_domains where email = ${email} returning domain, expires_at
    )
    insert into owned_domains
      (domain, user_id, locked, auto_renew, privacy, nameservers, expires_at, created_at, updated_at)
    select domain, ${id}, false, false, true, '{}', expires_at, ${now}, ${now}
    from promised order by domain
    on conflict (domain) do nothing
    returning domain`.execute(tx)
  await vouchFor(
    tx,
    now,
    id,
    rows.map(({ domain }) => domain),
  )
}

type PromisedDomain = Pick<Schema['promised_domains'], 'domain' | 'expires_at'>

/** What waits for an address that was a slip waits no more: somebody else is to have it. */
export async function endPromises(
  tx: Tx,
  email: string,
  domains: string[],
): Promise<PromisedDomain[]> {
  await lockPromises(tx, email)
  return await tx
    .deleteFrom('promised_domains')
    .where('email', '=', email.toLowerCase())
    .where('domain', '=', sql<string>`any(${domains}::text[])`)
    .returning(['domain', 'expires_at'])
    .execute()
}

/** Whoever has them now has them for as long as they were bought. */
export async function copyTerms(tx: Tx, bought: PromisedDomain[]): Promise<void> {
  for (const { domain, expires_at } of bought) {
    await tx.updateTable('owned_domains').set({ expires_at }).where('domain', '=', domain).execute()
  }
}

/** Who promises to an address and who confirms it at the same time would not see each other. */
async function lockPromises(tx: Tx, email: string): Promise<void> {
  await advisoryLock(tx, `promised:${email.toLowerCase()}`)
}

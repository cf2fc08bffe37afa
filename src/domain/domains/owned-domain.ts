import { sql } from 'kysely'
import { conflict } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { after, DAY } from '../../lib/clock.ts'
import type { Observer } from '../registrars/work-syncs.ts'

/** A registration starts with a year. */
export const FIRST_TERM_MS = 365 * DAY

/**
 * Gives domains to a user; those that are the user's own already stay as they are. One of somebody else
 * rejects them all, and so does one that was bought here and waits for its buyer's account. Answers how many
 * are new.
 */
export async function addOwnedDomains(
  tx: Tx,
  now: Date,
  userId: string,
  domains: string[],
): Promise<number> {
  if (domains.length === 0) return 0
  const given = await sql<{ domain: string }>`
    insert into owned_domains
      (domain, user_id, locked, auto_renew, privacy, nameservers, expires_at, created_at, updated_at)
    select domain, ${userId}, false, false, true, '{}', ${after(now, FIRST_TERM_MS)}, ${now}, ${now}
    from unnest(${domains}::text[]) as d (domain) order by domain
    on conflict (domain) do nothing
    returning domain`.execute(tx)
  const others = await tx
    .selectFrom('owned_domains')
    .select('domain')
    .where('domain', '=', sql<string>`any(${domains}::text[])`)
    .where('user_id', '!=', userId)
    .orderBy('domain')
    .limit(1)
    .executeTakeFirst()
  if (others) throw conflict('owned_by_other', `${others.domain} belongs to another user.`)
  const pendingClaim = await tx
    .selectFrom('promised_domains as p')
    .innerJoin('users as u', (join) => join.onRef('u.email', '<>', 'p.email'))
    .select('p.domain')
    .where('p.domain', '=', sql<string>`any(${domains}::text[])`)
    .where('u.id', '=', userId)
    .orderBy('p.domain')
    .limit(1)
    .executeTakeFirst()
  if (pendingClaim) {
    throw conflict(
      'owned_by_other',
      `${pendingClaim.domain} was bought here, and waits for its buyer. ` +
        'If that address was mistyped, send it as buyer_email.',
    )
  }
  return given.rows.length
}

/** Whether a user of ours holds the name. */
export async function isOwnedDomain(db: Database, domain: string): Promise<boolean> {
  const owned = await db
    .selectFrom('owned_domains')
    .select('domain')
    .where('domain', '=', domain)
    .executeTakeFirst()
  return owned !== undefined
}

/** Those of the names that are a user's. */
export async function ownedAmong(
  db: Database,
  userId: string,
  domains: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('owned_domains')
    .select('domain')
    .where('user_id', '=', userId)
    .where('domain', '=', sql<string>`any(${domains}::text[])`)
    .execute()
  return rows.map(({ domain }) => domain)
}

/** What a registrar says of a user's domain is so here, too, where it says it. */
export const observeOwnedDomain: Observer = async ({ tx, now }, domain, said) => {
  const { expiresAt, locked, privacy, nameservers } = said
  await tx
    .updateTable('owned_domains')
    .set({
      ...(expiresAt && { expires_at: expiresAt }),
      ...(locked !== null && { locked }),
      ...(privacy !== null && { privacy }),
      nameservers: [...nameservers],
      updated_at: now,
    })
    .where('domain', '=', domain)
    .execute()
}

import { sql } from 'kysely'
import type { Database } from '../../kernel/database/dialect.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Tx } from '../../kernel/operation.ts'
import { after, DAY } from '../../lib/clock.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    owned_domains: {
      domain: string
      user_id: string
      /** Against transfers to another registrar. */
      locked: boolean
      auto_renew: boolean
      /** Whether the registrant's data is withheld from WHOIS. */
      privacy: boolean
      nameservers: string[]
      expires_at: Date
      created_at: Date
      updated_at: Date
    }
    promised_domains: {
      domain: string
      email: string
      expires_at: Date
      created_at: Date
    }
  }
}

/** A registration starts with a year. */
export const FIRST_TERM_MS = 365 * DAY

/**
 * Gives domains to a user; those that are the user's own already stay as they are. One of somebody else
 * refuses them all, and so does one that was bought here and waits for its buyer's account. Answers how many
 * are new.
 */
export async function giveDomains(
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
  if (others) throw conflict(`${others.domain} belongs to another user.`)
  const promised = await tx
    .selectFrom('promised_domains as p')
    .innerJoin('users as u', (join) => join.onRef('u.email', '<>', 'p.email'))
    .select('p.domain')
    .where('p.domain', '=', sql<string>`any(${domains}::text[])`)
    .where('u.id', '=', userId)
    .orderBy('p.domain')
    .limit(1)
    .executeTakeFirst()
  if (promised) {
    throw conflict(
      `${promised.domain} was bought here, and waits for its buyer. ` +
        'Where the address that it waits for was a slip, send that as buyer_email.',
    )
  }
  return given.rows.length
}

/** Whether a user of ours holds the name. */
export async function isHeld(db: Database, domain: string): Promise<boolean> {
  const holding = await db
    .selectFrom('owned_domains')
    .select('domain')
    .where('domain', '=', domain)
    .executeTakeFirst()
  return holding !== undefined
}

import { sql } from 'kysely'
import { conflict } from '../../core/errors.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import { after, DAY } from '../../lib/clock.ts'
import { vouchFor } from '../claims/claim.ts'
import type { Observer } from '../registrars/work-syncs.ts'

type Context = Pick<WriteContext, 'tx' | 'now'> & { app: { settings: Pick<Settings, 'registry'> } }

/** How long a simulated registration runs at first. */
export const FIRST_TERM_MS = 365 * DAY

/**
 * Gives domains to a user; those that are the user's own already stay as they are. One of somebody else
 * rejects them all, and so does one that was bought here and waits for its buyer's account. Returns how many
 * are new.
 */
export async function addOwnedDomains(
  { tx, now, app }: Context,
  userId: string,
  domains: string[],
): Promise<number> {
  if (domains.length === 0) return 0
  const given = await insertOwned(tx, now, userId, domains, firstExpiry(app.settings, now))
  const others = await tx
    .selectFrom('owned_domains')
    .select('domain')
    .where('domain', '=', sql<string>`any(${domains}::text[])`)
    .where('user_id', '!=', userId)
    .orderBy('domain')
    .limit(1)
    .executeTakeFirst()
  if (others) throw conflict('owned_by_other', `${others.domain} belongs to another user.`)
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
      'owned_by_other',
      `${promised.domain} was bought here, and waits for its buyer. ` +
        'If that address was mistyped, send it as buyer_email.',
    )
  }
  await vouchFor(tx, now, userId, domains)
  return given.length
}

/** Gives a user a domain that they have proven to be theirs. Returns whether they have it: somebody else may. */
export async function giveDomain(
  { tx, now, app }: Context,
  userId: string,
  domain: string,
  expiresAt: Date | null,
): Promise<boolean> {
  const promised = await tx
    .selectFrom('promised_domains')
    .select('domain')
    .where('domain', '=', domain)
    .executeTakeFirst()
  if (promised) return false
  await insertOwned(tx, now, userId, [domain], expiresAt ?? firstExpiry(app.settings, now))
  const owned = await tx
    .selectFrom('owned_domains')
    .select('user_id')
    .where('domain', '=', domain)
    .executeTakeFirst()
  return owned?.user_id === userId
}

/** The first user to insert a domain has it: a second one waits here for the first, and gets nothing. */
async function insertOwned(
  tx: Tx,
  now: Date,
  userId: string,
  domains: string[],
  expiresAt: Date | null,
): Promise<{ domain: string }[]> {
  const { rows } = await sql<{ domain: string }>`
    insert into owned_domains
      (domain, user_id, locked, auto_renew, privacy, nameservers, expires_at, created_at, updated_at)
    select domain, ${userId}, false, false, true, '{}', ${expiresAt}, ${now}, ${now}
    from unnest(${domains}::text[]) as d (domain) order by domain
    on conflict (domain) do nothing
    returning domain`.execute(tx)
  return rows
}

/** A simulated registration starts with a year; when a real one expires, its registry or registrar says. */
function firstExpiry({ registry }: Pick<Settings, 'registry'>, now: Date): Date | null {
  return registry === 'simulated' ? after(now, FIRST_TERM_MS) : null
}

/** What a registry says of an expiry that was not known, or of a renewal elsewhere: a later one. */
export async function raiseExpiry(
  tx: Pick<Tx, 'updateTable'>,
  now: Date,
  domain: string,
  expiresAt: Date,
): Promise<void> {
  await tx
    .updateTable('owned_domains')
    .set({ expires_at: expiresAt, updated_at: now })
    .where('domain', '=', domain)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '<', expiresAt)]))
    .execute()
}

/** What registrars have said of expiries that were not known, or of renewals that were not made here. */
export async function copyExpiries(
  db: Database,
  now: Date,
  domains: readonly string[],
): Promise<void> {
  await sql`
    update owned_domains as o set expires_at = r.expires_at, updated_at = ${now}
    from registrar_domains r
    where r.domain = o.domain and (o.expires_at is null or o.expires_at < r.expires_at)
      and r.expires_at is not null and o.domain = any(${[...domains]}::text[])`.execute(db)
}

/** Those of the names that are a user's, held for this transaction: whatever moves them on waits. */
export async function lockOwned(
  tx: Tx,
  userId: string,
  domains: string[],
): Promise<Map<string, Schema['owned_domains']>> {
  const rows = await tx
    .selectFrom('owned_domains')
    .selectAll()
    .where('user_id', '=', userId)
    .where('domain', '=', sql<string>`any(${domains}::text[])`)
    .orderBy('domain')
    .forUpdate()
    .execute()
  return new Map(rows.map((row) => [row.domain, row]))
}

export async function removeOwned(tx: Tx, userId: string, domains: string[]): Promise<void> {
  await tx
    .deleteFrom('owned_domains')
    .where('user_id', '=', userId)
    .where('domain', '=', sql<string>`any(${domains}::text[])`)
    .execute()
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

import { sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'

/** Names that nobody may list or import. */

/** Returns how many were not blocked before. */
export async function block(tx: Tx, now: Date, domains: readonly string[]): Promise<number> {
  const { rows } = await sql`
    insert into blocked_domains (domain, blocked_at)
    select name, ${now} from unnest(${[...domains]}::text[]) as name
    on conflict do nothing returning domain`.execute(tx)
  return rows.length
}

/** Returns whether it was blocked. */
export async function unblock(tx: Tx, domain: string): Promise<boolean> {
  const removed = await tx
    .deleteFrom('blocked_domains')
    .where('domain', '=', domain)
    .returning('domain')
    .executeTakeFirst()
  return removed !== undefined
}

/** Which of these names are blocked. */
export async function blockedAmong(
  db: Pick<Tx, 'selectFrom'>,
  domains: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('blocked_domains')
    .select('domain')
    .where('domain', '=', sql<string>`any(${[...domains]}::text[])`)
    .execute()
  return new Set(rows.map(({ domain }) => domain))
}

/** All of them, for what reads a whole market. */
export async function allBlocked(db: Pick<Tx, 'selectFrom'>): Promise<Set<string>> {
  const rows = await db.selectFrom('blocked_domains').select('domain').execute()
  return new Set(rows.map(({ domain }) => domain))
}

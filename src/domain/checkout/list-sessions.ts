import { sql } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import { readPage } from '../../core/cursor.ts'
import type { Database } from '../../db/dialect.ts'
import { after } from '../../lib/clock.ts'
import { firstIdAt } from '../../lib/ids.ts'
import { SESSION_LIFETIME_MS, type Session, type SessionStatus } from './session.ts'

/** The partner's checkout sessions, newest first. */
export async function listSessions(
  db: Database,
  partner: Partner,
  now: Date,
  {
    limit,
    cursor,
    ...filter
  }: {
    domain?: string | undefined
    status?: SessionStatus | undefined
    limit: number
    cursor?: string | undefined
  },
): Promise<{ sessions: Session[]; next_cursor: string | null }> {
  let query = db
    .selectFrom('checkout_sessions')
    .selectAll()
    .where('partner_id', '=', partner.partnerId)
    .where('environment', '=', partner.environment)
  const { domain, status } = filter
  if (domain !== undefined) query = query.where('domain', '=', domain)
  if (status !== undefined) {
    query = query.where('status', '=', status === 'expired' ? 'open' : status)
    if (status === 'open') {
      // A sandbox's clock makes sessions older than their ids, never younger.
      const first = firstIdAt('cs', after(now, -SESSION_LIFETIME_MS))
      query = query.where('expires_at', '>', now).where('id', '>=', first)
    }
    if (status === 'expired') query = query.where('expires_at', '<=', now)
  }
  const bound = { list: 'checkout_sessions', ...partner, ...filter }
  const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
  return { sessions: rows, next_cursor }
}

/** More are not counted: an overview should not wait for a history. */
const MOST_COUNTED = 10_000

/** Of the partner's sessions since a moment, the newest 10,000 at most: how many there are, and were paid. */
export async function countSessions(
  db: Database,
  { partnerId, environment }: Partner,
  from: Date,
): Promise<{ made: number; paid: number }> {
  // By their ids, which are indexed; a sandbox's clock makes sessions older than these.
  const { rows } = await sql<{ made: number; paid: number }>`
    select count(*)::bigint as made, count(*) filter (where status = 'paid')::bigint as paid
    from (select status from checkout_sessions
      where partner_id = ${partnerId} and environment = ${environment}
        and id >= ${firstIdAt('cs', from)} and created_at >= ${from}
      order by id desc limit ${MOST_COUNTED}) as newest`.execute(db)
  return rows[0] ?? { made: 0, paid: 0 }
}

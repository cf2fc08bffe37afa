import type { Partner } from '../../core/caller.ts'
import { readPage } from '../../core/cursor.ts'
import { notFound } from '../../core/errors.ts'
import type { Database } from '../../db/dialect.ts'
import { firstIdAt } from '../../lib/ids.ts'
import type { LoggedRequest } from './request-log.ts'

export interface RequestFilter {
  /** Only those that were rejected, or that succeeded. */
  outcome?: 'rejected' | 'successful' | undefined
  code?: string | undefined
  route?: string | undefined
  key_id?: string | undefined
  /** At or after. */
  from?: Date | undefined
  /** Before. */
  to?: Date | undefined
}

/** The partner's requests, newest first. */
export async function listRequests(
  db: Database,
  partner: Partner,
  { limit, cursor, ...filter }: RequestFilter & { limit: number; cursor?: string | undefined },
): Promise<{ requests: LoggedRequest[]; next_cursor: string | null }> {
  const bound = { list: 'requests', ...partner, ...filter }
  let query = ownRequests(db, partner)
  if (filter.outcome === 'rejected') query = query.where('code', 'is not', null)
  if (filter.outcome === 'successful') query = query.where('code', 'is', null)
  for (const column of ['code', 'route', 'key_id'] as const) {
    const value = filter[column]
    if (value !== undefined) query = query.where(column, '=', value as never)
  }
  if (filter.from) query = query.where('id', '>=', firstIdAt('req', filter.from))
  if (filter.to) query = query.where('id', '<', firstIdAt('req', filter.to))
  const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
  return { requests: rows, next_cursor }
}

/** One of the partner's requests, or `not_found`. */
export async function findRequest(
  db: Database,
  partner: Partner,
  id: string,
): Promise<LoggedRequest> {
  const row = await ownRequests(db, partner).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('request in the log: it holds those of the last days')
  return row
}

function ownRequests(db: Database, { partnerId, environment }: Partner) {
  return db
    .selectFrom('request_log')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('environment', '=', environment)
}

import type { Partner } from '../../core/caller.ts'
import { readPage } from '../../core/cursor.ts'
import type { Database } from '../../db/dialect.ts'
import { firstRunning, type Quote, type QuoteStatus } from './quote.ts'

/** The partner's quotes, newest first. */
export async function listQuotes(
  db: Database,
  partner: Partner,
  now: Date,
  {
    limit,
    cursor,
    ...filter
  }: {
    domain?: string | undefined
    status?: QuoteStatus | undefined
    limit: number
    cursor?: string | undefined
  },
): Promise<{ quotes: Quote[]; next_cursor: string | null }> {
  let query = db
    .selectFrom('quotes')
    .selectAll()
    .where('partner_id', '=', partner.partnerId)
    .where('environment', '=', partner.environment)
  const { domain, status } = filter
  if (domain !== undefined) query = query.where('domain', '=', domain)
  if (status !== undefined) {
    query = query.where('status', '=', status === 'expired' ? 'active' : status)
    if (status === 'active') {
      query = query
        .where('expires_at', '>', now)
        .where((row) =>
          row.or([row('id', '>=', firstRunning(now)), row('offer_id', 'is not', null)]),
        )
    }
    if (status === 'expired') query = query.where('expires_at', '<=', now)
  }
  const bound = { list: 'quotes', ...partner, ...filter }
  const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
  return { quotes: rows, next_cursor }
}

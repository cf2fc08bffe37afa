import { sql } from 'kysely'
import { z } from 'zod'
import { readPage } from '../../kernel/cursor.ts'
import { iso, paging, timestamp } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'

export const listDeliveries = partnerRead({
  name: 'list_webhook_deliveries',
  summary: 'Delivery attempts, newest first',
  method: 'GET',
  path: '/webhooks/deliveries',
  unversioned: true,
  scope: 'webhook',
  input: z.object({
    event_id: z.string().optional(),
    /** Whether the receiver answered 2xx in time. */
    result: z.enum(['delivered', 'failed']).optional(),
    ...paging,
  }),
  output: z.object({
    deliveries: z.array(
      z.object({
        id: z.string(),
        event_id: z.string(),
        type: z.string(),
        attempt: z.int(),
        response_status: z.int().nullable(),
        /** How the receiver's answer begins, 1 KiB at most. */
        response_body: z.string().nullable(),
        error: z.string().nullable(),
        duration_ms: z.int(),
        at: timestamp,
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, partner }, { event_id, result, limit, cursor }) {
    const filters = { event_id, result }
    const bound = { list: 'deliveries', ...partner, ...filters }
    let query = db
      .selectFrom('webhook_attempts as a')
      .select(['a.id', 'a.event_id', 'a.type', 'a.attempt', 'a.response_status'])
      .select(['a.response_body', 'a.error', 'a.duration_ms', 'a.at'])
      .where('a.endpoint_id', '=', (own) =>
        own
          .selectFrom('webhook_endpoints')
          .select('id')
          .where('partner_id', '=', partner.partnerId)
          .where('environment', '=', partner.environment),
      )
    if (event_id !== undefined) {
      // By way of the deliveries, which have an index for it.
      const ofEvent = db.selectFrom('webhook_deliveries').select('id')
      const ids = ofEvent.where('event_id', '=', event_id)
      // As an array, or all that failed would be gone through for those of one event.
      query = query.where('a.delivery_id', '=', sql<string>`any(array(${ids}))`)
    }
    // Word for word as the index of failed attempts has it.
    const failed = sql<boolean>`(response_status is null or response_status not between 200 and 299)`
    if (result === 'failed') query = query.where(failed)
    if (result === 'delivered') query = query.where((row) => row.not(failed))
    const { rows, next_cursor } = await readPage(query, 'a.id', { cursor, limit, bound })
    return {
      deliveries: rows.map((row) => ({ ...row, at: iso(row.at) })),
      next_cursor,
    }
  },
})

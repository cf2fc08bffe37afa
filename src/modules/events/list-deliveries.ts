import { z } from 'zod'
import { page, readCursor } from '../../kernel/cursor.ts'
import { iso, limitField, timestamp } from '../../kernel/fields.ts'
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
    limit: limitField,
    cursor: z.string().optional(),
  }),
  output: z.object({
    deliveries: z.array(
      z.object({
        id: z.string(),
        event_id: z.string(),
        type: z.string(),
        attempt: z.int(),
        response_status: z.int().nullable(),
        error: z.string().nullable(),
        duration_ms: z.int(),
        at: timestamp,
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, partner }, { event_id, limit, cursor }) {
    const filters = { event_id }
    const bound = { list: 'deliveries', ...filters }
    const before = readCursor(cursor, bound)
    let query = db
      .selectFrom('webhook_attempts as a')
      .innerJoin('webhook_endpoints as w', 'w.id', 'a.endpoint_id')
      .selectAll('a')
      .where('w.partner_id', '=', partner.partnerId)
      .where('w.environment', '=', partner.environment)
      .orderBy('a.id', 'desc')
      .limit(limit + 1)
    if (event_id !== undefined) {
      // By way of the deliveries, which have an index for it.
      const ofEvent = db.selectFrom('webhook_deliveries').select('id')
      query = query.where('a.delivery_id', 'in', ofEvent.where('event_id', '=', event_id))
    }
    if (before) query = query.where('a.id', '<', before)
    const { items, next_cursor } = page(
      await query.execute(),
      limit,
      bound,
      (row) => row.id,
      ({ id, event_id, type, attempt, response_status, error, duration_ms, at }) => ({
        id,
        event_id,
        type,
        attempt,
        response_status,
        error,
        duration_ms,
        at: iso(at),
      }),
    )
    return { deliveries: items, next_cursor }
  },
})

import { sql } from 'kysely'
import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { idField, iso, nextCursor, paging, timestamp } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'

const DeliveryView = z
  .object({
    id: idField('att').describe('The id of the attempt.'),
    event_id: idField('evt').describe('The event that was sent.'),
    type: z.string().meta({ description: 'The type of the event.', example: 'order.recorded' }),
    attempt: z
      .int()
      .meta({ description: 'Which attempt of its delivery it was, from 1.', example: 1 }),
    response_status: z.int().nullable().meta({
      description: 'The HTTP status of the response; null when there was none.',
      example: 204,
    }),
    response_body: z.string().nullable().meta({
      description: 'The beginning of the response body, 1 KiB at most.',
      example: null,
    }),
    error: z.string().nullable().meta({
      description: 'Why the attempt failed; null when it succeeded.',
      example: null,
    }),
    duration_ms: z
      .int()
      .meta({ description: 'How long the attempt took, in milliseconds.', example: 84 }),
    at: timestamp.describe('When the attempt was made, in UTC.'),
  })
  .meta({ id: 'WebhookDelivery', description: 'One attempt to deliver an event.' })

export const listDeliveries = partnerRead({
  name: 'list_webhook_deliveries',
  tag: 'Events',
  summary: 'List webhook deliveries',
  description:
    'Returns the attempts to deliver events to your endpoint, newest first, with what it responded. Use it to find out ' +
    'why an event did not arrive. Attempts are kept for 30 days.',
  method: 'GET',
  path: '/webhooks/deliveries',
  unversioned: true,
  scope: 'webhook',
  input: z.object({
    event_id: idField('evt').optional().describe('Only attempts to deliver this event.'),
    result: z
      .enum(['delivered', 'failed'])
      .optional()
      .describe(
        'Only attempts to which your endpoint responded 2xx within five seconds, or did not.',
      ),
    ...paging,
  }),
  output: z.object({
    deliveries: z.array(DeliveryView).describe('The attempts, newest first.'),
    next_cursor: nextCursor,
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

import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import { ApiError } from '../../core/errors.ts'
import { idField, iso, limitField, nextCursor } from '../../core/fields.ts'
import { partnerRead, type ReadContext } from '../../core/operation.ts'
import { TEST_EVENT } from './event-types.ts'
import { HistoryEventView } from './event-view.ts'

/** As it was emitted, which its type says. */
type Event = z.output<typeof HistoryEventView>

/** The history, oldest first: replay it from the last id that you processed. */
export const listEvents = partnerRead({
  name: 'list_events',
  tag: 'Events',
  summary: 'List events',
  description:
    'Returns the history of your events, oldest first. Use it to catch up after your receiver was down, or instead of ' +
    'webhooks: keep the id of the last event that you handled, and send it as `after_id`. An id that is not one of ' +
    'your events gives `invalid_cursor`.',
  method: 'GET',
  path: '/events',
  scope: 'webhook',
  input: z.object({
    after_id: idField('evt')
      .optional()
      .describe(
        'The id of the last event that you handled: those after it are returned. Default: from the first on.',
      ),
    limit: limitField,
  }),
  output: z.object({
    events: z.array(HistoryEventView).describe('The events, oldest first.'),
    next_cursor: nextCursor.describe('The next `after_id`, or null when no event follows.'),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler(context, { after_id, limit }) {
    const { db, partner } = context
    const rows = await db
      .selectFrom('events')
      .select(['id', 'type', 'created_at', 'data'])
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
      .where('position', '>', await positionOf(context, after_id))
      .where('type', '<>', TEST_EVENT)
      .orderBy('position')
      .limit(limit + 1)
      .execute()
    const events = rows
      .slice(0, limit)
      .map((row) => ({ ...row, created_at: iso(row.created_at) }) as Event)
    return { events, next_cursor: rows.length > limit ? (events.at(-1)?.id ?? null) : null }
  },
})

async function positionOf(
  { db, partner }: ReadContext & { partner: Partner },
  eventId: string | undefined,
): Promise<number> {
  if (eventId === undefined) return 0
  const row = await db
    .selectFrom('events')
    .select('position')
    .where('id', '=', eventId)
    .where('partner_id', '=', partner.partnerId)
    .where('environment', '=', partner.environment)
    .executeTakeFirst()
  if (!row) throw new ApiError('invalid_cursor', 'after_id is not the id of one of your events.')
  return row.position
}

import { z } from 'zod'
import { Refusal } from '../../kernel/errors.ts'
import { iso, limitField } from '../../kernel/fields.ts'
import { type Partner, partnerRead, type ReadContext } from '../../kernel/operation.ts'
import { HistoryEventView } from './event-view.ts'
import { TEST_EVENT } from './tables.ts'

/** As it was emitted, which its type says. */
type Event = z.output<typeof HistoryEventView>

/** The history, oldest first: replay it from the last id that you processed. */
export const listEvents = partnerRead({
  name: 'list_events',
  summary: 'Event history, oldest first',
  method: 'GET',
  path: '/events',
  scope: 'webhook',
  input: z.object({ after_id: z.string().optional(), limit: limitField }),
  output: z.object({
    events: z.array(HistoryEventView),
    next_cursor: z.string().nullable(),
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
  if (!row) throw new Refusal('invalid_cursor', 'after_id is not the id of one of your events.')
  return row.position
}

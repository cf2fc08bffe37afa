import { sql } from 'kysely'
import { z } from 'zod'
import { conflict, invalid } from '../../core/errors.ts'
import { timestampField } from '../../core/fields.ts'
import { partnerWrite } from '../../core/operation.ts'
import { newId } from '../../lib/ids.ts'
import { HISTORY_EVENTS, TEST_EVENT } from './event-types.ts'
import { historySpan } from './history-span.ts'
import { ReplayView, viewReplay } from './replay.ts'
import { findActiveEndpoint } from './webhook-endpoint.ts'

/** Sends the events of a span of time again, behind whatever is new; one replay of an endpoint runs at a time. */
export const createReplay = partnerWrite({
  name: 'create_webhook_replay',
  tag: 'Events',
  summary: 'Create a replay',
  description:
    'Delivers the events of a span of time to your endpoint again, behind any new ones. Use it after an outage or a fault of ' +
    'your receiver; handle each event id once. One replay runs at a time: another one gives `conflict`, as does an ' +
    'endpoint that is switched off.',
  method: 'POST',
  path: '/webhooks/replays',
  unversioned: true,
  scope: 'webhook',
  input: z.object({
    from: timestampField.meta({
      description:
        'Send events created at or after this time: a date (midnight UTC) or an RFC 3339 time.',
      example: '2026-01-01T00:00:00.000Z',
    }),
    to: timestampField
      .nullish()
      .describe(
        'Send events created before this time: a date (midnight UTC) or an RFC 3339 time. Default: now.',
      ),
    types: z
      .array(z.enum(HISTORY_EVENTS))
      .min(1)
      .nullish()
      .meta({ description: 'Send events of these types only. Default: all.', example: null }),
  }),
  output: ReplayView,
  status: 202,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now, partner }, input) {
    const { from } = input
    const to = input.to && input.to < now ? input.to : now
    if (from >= to) throw invalid({ field: 'from', issue: 'must be before to, and in the past' })
    const types = input.types ? [...new Set(input.types)] : null
    const endpoint = await findActiveEndpoint(tx, partner)
    const { above, last } = await historySpan(tx, partner, { from, to })
    const {
      rows: [counted],
    } = await sql<{ count: number }>`
      select count(*)::bigint as count from events
      where partner_id = ${partner.partnerId} and environment = ${partner.environment}
        and position > ${above} and position <= ${last} and type <> ${TEST_EVENT}
        and created_at >= ${from} and created_at < ${to}
        and (${types}::text[] is null or type = any (${types}::text[]))`.execute(tx)
    const replay = await tx
      .insertInto('webhook_replays')
      .values({
        id: newId('rpl', now),
        endpoint_id: endpoint.id,
        partner_id: partner.partnerId,
        environment: partner.environment,
        from_at: from,
        to_at: to,
        types,
        status: 'running',
        position: above,
        last_position: last,
        event_count: counted?.count ?? 0,
        queued_count: 0,
        created_at: now,
        ended_at: null,
      })
      .onConflict((clash) => clash.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!replay) {
      throw conflict(
        'limit_reached',
        'A replay to this endpoint is running: wait for its end, or cancel it.',
      )
    }
    return await viewReplay(tx, replay)
  },
})

import { sql } from 'kysely'
import { z } from 'zod'
import { conflict, invalid } from '../../kernel/errors.ts'
import { momentField } from '../../kernel/fields.ts'
import { partnerWrite } from '../../kernel/operation.ts'
import { newId } from '../../lib/ids.ts'
import { historySpan } from './history-span.ts'
import { ReplayView, viewReplay } from './replay.ts'
import { HISTORY_EVENTS, TEST_EVENT } from './tables.ts'
import { findActiveEndpoint } from './webhook-endpoint.ts'

/** Sends the events of a span of time again, behind whatever is new; one replay of an endpoint runs at a time. */
export const createReplay = partnerWrite({
  name: 'create_webhook_replay',
  summary: 'Send the events of a span of time again',
  method: 'POST',
  path: '/webhooks/replays',
  unversioned: true,
  scope: 'webhook',
  input: z.object({
    /** Created at or after. */
    from: momentField,
    /** Created before; absent: until now. */
    to: momentField.nullish(),
    /** Absent: events of every type. */
    types: z.array(z.enum(HISTORY_EVENTS)).min(1).nullish(),
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
      throw conflict('A replay to this endpoint is running: wait for its end, or cancel it.')
    }
    return await viewReplay(tx, replay)
  },
})

import { sql } from 'kysely'
import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { page, readCursor } from '../../core/cursor.ts'
import { notFound } from '../../core/errors.ts'
import { iso, paging, timestamp } from '../../core/fields.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { ADMINS, READERS } from '../../core/roles.ts'
import { dropWaiting } from './drop-waiting.ts'
import { EndpointView, viewEndpoint, type WebhookEndpoint } from './webhook-endpoint.ts'

/** How many of the last attempts tell how an endpoint does, and how far what waits is counted. */
const RECENT_ATTEMPTS = 100
const COUNTED = 1_000

const AdminEndpointView = EndpointView.extend({
  endpoint_id: z.string(),
  partner_id: z.string(),
  environment: z.enum(ENVIRONMENTS),
  /** Since when nothing arrived; null while it does. */
  failing_since: timestamp.nullable(),
})

function viewForOperator(row: WebhookEndpoint): z.output<typeof AdminEndpointView> {
  return {
    ...viewEndpoint(row),
    endpoint_id: row.id,
    partner_id: row.partner_id,
    environment: row.environment,
    failing_since: iso(row.failing_since),
  }
}

interface Health {
  recent_attempts: number
  recent_failures: number
  pending_count: number
  last_attempt_at: Date | null
}

/** How the receivers of all partners do. */
export const listEndpoints = adminRead({
  name: 'list_webhook_endpoints',
  roles: READERS,
  summary: 'List webhook endpoints of all partners, newest first, and how they do',
  method: 'GET',
  path: '/webhook-endpoints',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).optional(),
    partner_id: z.string().optional(),
    active: z.boolean().optional().describe('Whether deliveries are switched on.'),
    failing: z.boolean().optional(),
    ...paging,
  }),
  output: z.object({
    endpoints: z.array(
      AdminEndpointView.extend({
        /** Of the last hundred attempts: how many there were, and how many failed. */
        recent_attempts: z.int(),
        recent_failures: z.int(),
        /** Events that wait to be delivered; 1,000 stands for as many or more. */
        pending_count: z.int(),
        last_attempt_at: timestamp.nullable(),
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, ...filters }) {
    const bound = { list: 'webhook_endpoints', ...filters }
    const before = readCursor(cursor, bound)
    const { environment, partner_id, active, failing } = filters
    const none = sql`true`
    const { rows } = await sql<WebhookEndpoint & Health>`
      select w.*, a.recent_attempts, a.recent_failures, a.last_attempt_at, p.pending_count
      from (
        select * from webhook_endpoints
        where ${environment === undefined ? none : sql`environment = ${environment}`}
          and ${partner_id === undefined ? none : sql`partner_id = ${partner_id}`}
          and ${active === undefined ? none : active ? sql`active` : sql`not active`}
          and ${failing === undefined ? none : failing ? sql`failing_since is not null` : sql`failing_since is null`}
          and ${before === null ? none : sql`id < ${before}`}
        order by id desc limit ${limit + 1}
      ) as w,
      lateral (
        select count(*)::int as recent_attempts, max(at) as last_attempt_at,
          (count(*) filter (where response_status is null or response_status not between 200 and 299))::int
            as recent_failures
        from (
          select response_status, at from webhook_attempts where endpoint_id = w.id
          order by id desc limit ${RECENT_ATTEMPTS}
        ) as recent
      ) as a,
      lateral (
        select count(*)::int as pending_count from (
          select 1 from webhook_deliveries where endpoint_id = w.id and status = 'pending'
          limit ${COUNTED}
        ) as waiting
      ) as p
      order by w.id desc`.execute(db)
    const { items, next_cursor } = page(
      rows,
      limit,
      bound,
      ({ id }) => id,
      ({ recent_attempts, recent_failures, pending_count, last_attempt_at, ...row }) => ({
        ...viewForOperator(row),
        recent_attempts,
        recent_failures,
        pending_count,
        last_attempt_at: iso(last_attempt_at),
      }),
    )
    return { endpoints: items, next_cursor }
  },
})

/** Switches deliveries off, or on again: a receiver that was given up on starts afresh. */
export const switchEndpoint = adminWrite({
  name: 'switch_webhook_endpoint',
  roles: ADMINS,
  summary: 'Switch deliveries to an endpoint off, or on again',
  method: 'POST',
  path: '/webhook-endpoints/{endpoint_id}/{to}',
  input: z.object({ endpoint_id: z.string(), to: z.enum(['on', 'off']) }),
  output: AdminEndpointView,
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler({ tx, now }, { endpoint_id, to }) {
    const row = await tx
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('id', '=', endpoint_id)
      .forUpdate()
      .executeTakeFirst()
    if (!row) throw notFound('webhook endpoint')
    const active = to === 'on'
    if (row.active === active) return viewForOperator(row)
    const changed = await tx
      .updateTable('webhook_endpoints')
      .set({
        active,
        inactive_reason: active ? null : 'switched off by the operator',
        failing_since: null,
        updated_at: now,
      })
      .where('id', '=', endpoint_id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (!active) await dropWaiting(tx, endpoint_id)
    return viewForOperator(changed)
  },
})

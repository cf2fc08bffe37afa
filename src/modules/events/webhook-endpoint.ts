import { z } from 'zod'
import { conflict, notFound } from '../../kernel/errors.ts'
import { iso, timestamp } from '../../kernel/fields.ts'
import type { House } from '../../kernel/house.ts'
import type { Environment, Partner, Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import type { AddressPolicy } from '../../lib/guarded-http.ts'
import { isLoopbackUrl } from '../../lib/loopback.ts'

export type WebhookEndpoint = Schema['webhook_endpoints']

export const EndpointView = z.object({
  url: z.string(),
  active: z.boolean(),
  /** Why deliveries are off: the receiver said 410, or failed for five days, or an operator did it. */
  inactive_reason: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
})

export function viewEndpoint(row: WebhookEndpoint): z.output<typeof EndpointView> {
  return {
    url: row.url,
    active: row.active,
    inactive_reason: row.inactive_reason,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }
}

/** What an endpoint's secret is sealed for. */
export function purposeOf({ partnerId, environment }: Partner): string {
  return `webhook ${partnerId} ${environment}`
}

/**
 * Where deliveries may go: to https on a public address, but a sandbox on a laptop (the service itself
 * on a loopback address) may also use http and loopback.
 */
export function addressPolicy(
  { settings }: Pick<House, 'settings'>,
  environment: Environment,
): AddressPolicy {
  const relaxed = environment === 'sandbox' && isLoopbackUrl(settings.baseUrl)
  return { allowHttp: relaxed, allowLoopback: relaxed }
}

export async function findEndpoint(
  db: Pick<Tx, 'selectFrom'>,
  { partnerId, environment }: Partner,
): Promise<WebhookEndpoint> {
  const row = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('environment', '=', environment)
    .executeTakeFirst()
  if (!row) throw notFound('webhook endpoint: register one with PUT /api/partner/webhooks')
  return row
}

export async function findActiveEndpoint(tx: Tx, partner: Partner): Promise<WebhookEndpoint> {
  const row = await findEndpoint(tx, partner)
  if (!row.active) {
    throw conflict(
      'The webhook endpoint is switched off. PUT /api/partner/webhooks switches it on.',
    )
  }
  return row
}

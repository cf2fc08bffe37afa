import { type AddressPolicy, isLoopbackUrl } from 'domain-marketplace-safe-fetch'
import { z } from 'zod'
import type { Environment, Partner } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { createdAt, iso, updatedAt } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'

export type WebhookEndpoint = Schema['webhook_endpoints']

/** The address of the endpoint in every example. */
export const EXAMPLE_URL = 'https://partner.example/webhooks'

export const EndpointView = z
  .object({
    url: z.string().meta({ description: 'The URL that events are sent to.', example: EXAMPLE_URL }),
    active: z.boolean().meta({ description: 'Whether events are sent to it.', example: true }),
    inactive_reason: z.string().nullable().meta({
      description:
        'Why it was switched off: it responded 410, failed for five days, or an operator did it. Otherwise null.',
      example: null,
    }),
    created_at: createdAt,
    updated_at: updatedAt,
  })
  .meta({ id: 'WebhookEndpoint' })

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
export function webhookPurpose({ partnerId, environment }: Partner): string {
  return `webhook ${partnerId} ${environment}`
}

/**
 * Where deliveries may go: to https on a public address, but a sandbox on a laptop (the service itself
 * on a loopback address) may also use http and loopback.
 */
export function addressPolicy(
  { settings }: Pick<AppContext, 'settings'>,
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
      'not_allowed_now',
      'The webhook endpoint is switched off. PUT /api/partner/webhooks switches it on.',
      { status: 'disabled' },
    )
  }
  return row
}

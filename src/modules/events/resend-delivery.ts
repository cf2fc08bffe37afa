import { z } from 'zod'
import { notFound } from '../../kernel/errors.ts'
import { partnerWrite } from '../../kernel/operation.ts'
import { newId } from '../../lib/ids.ts'
import { findActiveEndpoint } from './webhook-endpoint.ts'

/** Sends the event of an earlier attempt again, at once and with the usual retries. */
export const resendDelivery = partnerWrite({
  name: 'resend_webhook_delivery',
  summary: 'Send the event of a delivery again',
  method: 'POST',
  path: '/webhooks/deliveries/{id}/resend',
  unversioned: true,
  scope: 'webhook',
  input: z.object({ id: z.string() }),
  output: z.object({ event_id: z.string(), type: z.string() }),
  status: 202,
  errors: ['not_found', 'conflict'],
  async handler({ tx, now, partner }, { id }) {
    const attempt = await tx
      .selectFrom('webhook_attempts as a')
      .innerJoin('webhook_endpoints as w', 'w.id', 'a.endpoint_id')
      .select(['a.event_id', 'a.type'])
      .where('a.id', '=', id)
      .where('w.partner_id', '=', partner.partnerId)
      .where('w.environment', '=', partner.environment)
      .executeTakeFirst()
    if (!attempt) throw notFound('delivery')
    const endpoint = await findActiveEndpoint(tx, partner)
    await tx
      .insertInto('webhook_deliveries')
      .values({
        id: newId('del', now),
        endpoint_id: endpoint.id,
        event_id: attempt.event_id,
        status: 'pending',
        attempts: 0,
        due_at: now,
        leased_until: null,
        lease: null,
        created_at: now,
      })
      .execute()
    return attempt
  },
})

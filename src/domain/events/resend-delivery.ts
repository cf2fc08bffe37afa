import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { partnerWrite } from '../../core/operation.ts'
import { newId } from '../../lib/ids.ts'
import { findActiveEndpoint } from './webhook-endpoint.ts'

/** Sends the event of an earlier attempt again, at once and with the usual retries. */
export const resendDelivery = partnerWrite({
  name: 'resend_webhook_delivery',
  tag: 'Events',
  summary: 'Resend a delivery',
  description:
    'Delivers the event of an earlier attempt again, at once and with the usual retries, whether or not it was received ' +
    'before. An endpoint that is switched off gives `conflict`.',
  method: 'POST',
  path: '/webhooks/deliveries/{id}/resend',
  unversioned: true,
  scope: 'webhook',
  input: z.object({ id: idField('att').describe('The attempt whose event is sent again.') }),
  output: z.object({
    event_id: idField('evt').describe('The event that is sent again.'),
    type: z.string().meta({ description: 'The type of the event.', example: 'order.recorded' }),
  }),
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

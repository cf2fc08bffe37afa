import { targetProblem } from 'domain-marketplace-safe-fetch'
import { z } from 'zod'
import { invalid } from '../../core/errors.ts'
import { textField } from '../../core/fields.ts'
import { partnerWrite } from '../../core/operation.ts'
import { newId } from '../../lib/ids.ts'
import {
  addressPolicy,
  EndpointView,
  EXAMPLE_URL,
  viewEndpoint,
  webhookPurpose,
} from './webhook-endpoint.ts'
import { isUsableSecret } from './webhook-signature.ts'

/** Registers the endpoint of the credential's environment, or changes it; either way it is on again. */
export const registerWebhook = partnerWrite({
  name: 'register_webhook',
  tag: 'Events',
  summary: 'Register the webhook endpoint',
  description:
    'Sets the URL that events are sent to, and the secret that they are signed with. There is one endpoint for each ' +
    'environment: calling it again replaces URL and secret, and switches an endpoint that was switched off on again. ' +
    'Events from then on are delivered; for earlier ones create a replay.',
  method: 'PUT',
  path: '/webhooks',
  unversioned: true,
  scope: 'webhook',
  input: z.object({
    url: textField(2048).meta({
      description:
        'An https URL on a public address. The sandbox of a service on your own machine accepts http and loopback, ' +
        'too.',
      example: EXAMPLE_URL,
    }),
    secret: textField(128)
      .min(16, 'must have 16 characters or more')
      .refine(isUsableSecret, 'must be base64 behind whsec_, or not start with whsec_')
      .meta({
        description:
          'The secret to sign deliveries with, 16 to 128 characters. Behind `whsec_` it is base64.',
        example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      }),
  }),
  output: EndpointView,
  status: 200,
  errors: ['validation_error'],
  async handler({ tx, now, app, partner }, { url, secret }) {
    const issue = targetProblem(url, addressPolicy(app, partner.environment))
    if (issue) throw invalid({ field: 'url', issue })
    const id = newId('wh', now)
    const row = await tx
      .insertInto('webhook_endpoints')
      .values({
        id,
        partner_id: partner.partnerId,
        environment: partner.environment,
        url,
        secret_sealed: app.secrets.seal(secret, webhookPurpose(partner)),
        active: true,
        inactive_reason: null,
        failing_since: null,
        created_at: now,
        updated_at: now,
      })
      .onConflict((known) =>
        known.columns(['partner_id', 'environment']).doUpdateSet((row) => ({
          url: row.ref('excluded.url'),
          secret_sealed: row.ref('excluded.secret_sealed'),
          active: true,
          inactive_reason: null,
          failing_since: null,
          updated_at: row.ref('excluded.updated_at'),
        })),
      )
      .returningAll()
      .executeTakeFirstOrThrow()
    return viewEndpoint(row)
  },
})

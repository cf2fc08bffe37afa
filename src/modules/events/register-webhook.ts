import { z } from 'zod'
import { invalid } from '../../kernel/errors.ts'
import { textField } from '../../kernel/fields.ts'
import { partnerWrite } from '../../kernel/operation.ts'
import { targetProblem } from '../../lib/guarded-http.ts'
import { newId } from '../../lib/ids.ts'
import { addressPolicy, EndpointView, purposeOf, viewEndpoint } from './webhook-endpoint.ts'
import { isUsableSecret } from './webhook-signature.ts'

/** Registers the endpoint of the credential's environment, or changes it; either way it is on again. */
export const registerWebhook = partnerWrite({
  name: 'register_webhook',
  summary: 'Register or update the webhook endpoint',
  method: 'PUT',
  path: '/webhooks',
  unversioned: true,
  scope: 'webhook',
  input: z.object({
    url: textField(2048),
    secret: textField(128)
      .min(16, 'must have 16 characters or more')
      .refine(isUsableSecret, 'must be base64 behind whsec_, or not start with whsec_'),
  }),
  output: EndpointView,
  status: 200,
  errors: ['validation_error'],
  async handler({ tx, now, house, partner }, { url, secret }) {
    const issue = targetProblem(url, addressPolicy(house, partner.environment))
    if (issue) throw invalid({ field: 'url', issue })
    const id = newId('wh', now)
    const row = await tx
      .insertInto('webhook_endpoints')
      .values({
        id,
        partner_id: partner.partnerId,
        environment: partner.environment,
        url,
        secret_sealed: house.secrets.seal(secret, purposeOf(partner)),
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

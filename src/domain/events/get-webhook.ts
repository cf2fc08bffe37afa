import { z } from 'zod'
import { partnerRead } from '../../core/operation.ts'
import { EndpointView, findEndpoint, viewEndpoint } from './webhook-endpoint.ts'

export const getWebhook = partnerRead({
  name: 'get_webhook',
  tag: 'Events',
  summary: 'Get the webhook endpoint',
  description:
    'Returns the endpoint that is registered for the environment of the credential, and whether events are sent to it. ' +
    'The secret is never shown. Without an endpoint the call gives `not_found`.',
  method: 'GET',
  path: '/webhooks',
  unversioned: true,
  scope: 'webhook',
  input: z.object({}),
  output: EndpointView,
  status: 200,
  errors: ['not_found'],
  handler: async ({ db, partner }) => viewEndpoint(await findEndpoint(db, partner)),
})

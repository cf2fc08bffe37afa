import { z } from 'zod'
import { partnerRead } from '../../kernel/operation.ts'
import { EndpointView, findEndpoint, viewEndpoint } from './webhook-endpoint.ts'

export const getWebhook = partnerRead({
  name: 'get_webhook',
  summary: 'The registered webhook endpoint',
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

import { DeliveredEventView } from '../../domain/events/event-view.ts'
import type { OperationObject, Parameter } from './document.ts'
import { exampleOf, inlined, schemaOf } from './schema.ts'

const HEADERS: Record<string, [description: string, example: string]> = {
  'X-Service-Signature': [
    'Lower-case hex HMAC-SHA256 of the raw body, keyed with your secret.',
    '5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  ],
  'webhook-id': [
    'The id of the event, the same on every attempt.',
    'evt_01k8zd6y3vj5r2m4n6p8q0s1t3',
  ],
  'webhook-timestamp': ['Unix time of this attempt in seconds.', '1767605400'],
  'webhook-signature': [
    '`v1,` and the base64 HMAC-SHA256 of id, timestamp and raw body with dots between ' +
      '(Standard Webhooks), keyed with your secret, or with what follows `whsec_` in it decoded from base64.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
}

/** What the service sends to the endpoint of a partner: one request for every event. */
export function deliveries(): Record<string, { post: OperationObject }> {
  const schema = schemaOf(DeliveredEventView, 'output')
  const samples = inlined(schema).oneOf?.map((one) => exampleOf(one) as { type: string })
  const parameters = Object.entries(HEADERS).map(
    ([name, [description, example]]): Parameter => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
      example,
    }),
  )
  return {
    event: {
      post: {
        operationId: 'deliver_event',
        summary: 'An event is delivered to your endpoint',
        description:
          'Check a signature over the raw body first, respond within five seconds, and keep the ids that ' +
          'you have handled: an event may come more than once. `type` says what `data` holds; more types ' +
          'may be added.',
        tags: ['Events'],
        // Signed by the service, not for it.
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema,
              examples: Object.fromEntries(samples?.map((value) => [value.type, { value }]) ?? []),
            },
          },
        },
        responses: {
          '2XX': { description: 'Received. Anything else brings the event again, later.' },
          '410': { description: 'Switches the endpoint off, until you register it again.' },
        },
      },
    },
  }
}

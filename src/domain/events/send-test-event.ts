import { z } from 'zod'
import { partnerWrite } from '../../core/operation.ts'
import { newId } from '../../lib/ids.ts'
import { emit } from './emit.ts'
import { TEST_EVENT } from './event-types.ts'
import { EXAMPLE_URL, findActiveEndpoint } from './webhook-endpoint.ts'

export const sendTestEvent = partnerWrite({
  name: 'send_test_event',
  tag: 'Events',
  summary: 'Send a test event',
  description:
    'Sends an event of the type `webhook.test` to your endpoint, signed and retried like any other. Use it to try your ' +
    'receiver out. The history does not list it. An endpoint that is switched off gives `conflict`.',
  method: 'POST',
  path: '/webhooks/test',
  unversioned: true,
  scope: 'webhook',
  input: z.object({}),
  output: z.object({
    event_id: z.string().meta({
      description: 'The id of the event, by which the list of deliveries shows its attempts.',
      example: 'evt_01k8zd6y3vj5r2m4n6p8q0s1t3',
    }),
    type: z.literal(TEST_EVENT).describe('The type of the event.'),
    url: z.string().meta({ description: 'The URL that it is sent to.', example: EXAMPLE_URL }),
  }),
  status: 202,
  errors: ['not_found', 'conflict'],
  async handler({ tx, now, partner, defer }) {
    const { url } = await findActiveEndpoint(tx, partner)
    const event_id = newId('evt', now)
    const data = { message: 'A test: nothing has happened.' }
    defer(emit(now, partner, [{ id: event_id, type: TEST_EVENT, data }]))
    return { event_id, type: TEST_EVENT, url } as const
  },
})

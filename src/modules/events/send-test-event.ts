import { z } from 'zod'
import { partnerWrite } from '../../kernel/operation.ts'
import { emit } from './emit.ts'
import { TEST_EVENT } from './tables.ts'
import { findActiveEndpoint } from './webhook-endpoint.ts'

export const sendTestEvent = partnerWrite({
  name: 'send_test_event',
  summary: 'Send a test event to the webhook endpoint',
  method: 'POST',
  path: '/webhooks/test',
  unversioned: true,
  scope: 'webhook',
  input: z.object({}),
  output: z.object({ type: z.literal(TEST_EVENT), url: z.string() }),
  status: 202,
  errors: ['not_found', 'conflict'],
  async handler({ tx, now, partner, defer }) {
    const { url } = await findActiveEndpoint(tx, partner)
    defer(
      emit(now, partner, [
        { type: TEST_EVENT, data: { message: 'A test: nothing has happened.' } },
      ]),
    )
    return { type: TEST_EVENT, url } as const
  },
})

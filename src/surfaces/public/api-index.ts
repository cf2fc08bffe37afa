import { z } from 'zod'
import { tokenNeeded } from '../../kernel/errors.ts'
import type { PublicContract, PublicRead } from '../../kernel/operation.ts'
import type { Call } from './run.ts'

const operationView = z.object({
  op: z.string(),
  method: z.enum(['GET', 'POST']),
  path: z.string(),
  summary: z.string(),
})

/** Where a client finds out how to get a token (service.md, OAuth endpoints), and then what there is. */
export const apiIndex = {
  name: 'get_api_index',
  summary: 'What this API offers',
  description:
    'Answers 401 with a challenge that names the metadata of the authorization server when no token is ' +
    'sent, and an index of the operations when a valid one is.',
  method: 'GET',
  path: '/api',
  rate: 'public',
  cacheSeconds: 0,
  input: z.object({}),
  output: z.object({
    operations: z.array(operationView),
    batch_url: z.url(),
    openapi_url: z.url(),
    documentation_url: z.url(),
  }),
  status: 200,
  errors: ['unauthorized'],
  example: {
    input: {},
    output: {
      operations: [
        {
          op: 'whois_lookup',
          method: 'POST',
          path: '/api/tools/whois',
          summary: 'Who registered a domain, when, and where',
        },
      ],
      batch_url: 'https://market.example/api/batch',
      openapi_url: 'https://market.example/openapi.json',
      documentation_url: 'https://market.example/docs',
    },
  },
} as const satisfies PublicContract

export function readIndex(
  operations: readonly PublicRead[],
  baseUrl: string,
  { caller }: Call,
): z.output<typeof apiIndex.output> {
  if (caller.kind === 'anonymous') {
    throw tokenNeeded(
      'Send an access token. Reading needs none: every operation answers at its own path without one.',
    )
  }
  return {
    operations: operations.map(({ name, method, path, summary }) => ({
      op: name,
      method,
      path,
      summary,
    })),
    batch_url: `${baseUrl}/api/batch`,
    openapi_url: `${baseUrl}/openapi.json`,
    documentation_url: `${baseUrl}/docs`,
  }
}

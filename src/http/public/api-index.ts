import { z } from 'zod'
import { tokenNeeded } from '../../core/errors.ts'
import { type PublicRead, publicContract, publicRead } from '../../core/operation.ts'

const operationView = z.object({
  op: z.string().describe('The name of the operation.'),
  method: z.enum(['GET', 'POST']).describe('Its method.'),
  path: z.string().describe('Its path.'),
  summary: z.string().describe('What it does, in one line.'),
})

/** Where a client finds out how to get a token (service.md, OAuth endpoints), and then what there is. */
export const apiIndex = publicContract({
  name: 'get_api_index',
  summary: 'What this API offers',
  description:
    'Responds with 401 and a challenge that names the metadata of the authorization server when no token is ' +
    'sent, and an index of the operations when a valid one is.',
  method: 'GET',
  path: '/api',
  rate: 'public',
  cacheSeconds: 0,
  input: z.object({}),
  output: z.object({
    operations: z.array(operationView).describe('What can be called.'),
    batch_url: z.url().describe('Where several operations run in one request.'),
    openapi_url: z.url().describe('The OpenAPI document of this API.'),
    documentation_url: z.url().describe('The documentation for people.'),
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
})

export function apiIndexOf(operations: readonly PublicRead[]): PublicRead {
  return publicRead({
    ...apiIndex,
    async handler({ caller, app }) {
      if (caller.kind === 'anonymous') {
        throw tokenNeeded(
          'Send an access token. Reading needs none: every operation responds at its own path without one.',
        )
      }
      const { baseUrl } = app.settings
      return {
        operations: operations.map(({ name, tool, method, path, summary }) => ({
          op: tool ?? name,
          method,
          path,
          summary,
        })),
        batch_url: `${baseUrl}/api/batch`,
        openapi_url: `${baseUrl}/openapi.json`,
        documentation_url: `${baseUrl}/docs`,
      }
    },
  })
}

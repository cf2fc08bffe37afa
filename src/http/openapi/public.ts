import type { AppScope } from '../../core/caller.ts'
import type { PublicContract } from '../../core/contract.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { PublicRead } from '../../core/operation.ts'
import { apiIndex } from '../public/api-index.ts'
import { listBatchOperations, runBatch } from '../public/batch.ts'
import { USER_OPERATIONS } from '../public/operations.ts'
import { ownCookie } from '../session-cookie.ts'
import { type Described, documentOf, IDEMPOTENCY_KEY, type OpenApiDocument } from './document.ts'

/** Grows with every field that is added; a removal would need a new API (service.md, Versioning 3). */
const VERSION = '1.0.0'

const EVERY: ErrorCode[] = [
  'validation_error',
  'invalid_token',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'unavailable',
]
const EVERY_POST: ErrorCode[] = ['conflict', 'payload_too_large']

/** `/openapi.json`: everything that anyone can call, from the definitions that serve it. */
export function publicDocument(
  operations: readonly PublicRead[],
  baseUrl: string,
): OpenApiDocument {
  const all = [
    ...operations.map((operation) => describe(operation, tagOf(operation), operation)),
    describe(runBatch, 'Batch'),
    describe(listBatchOperations, 'Batch'),
    ...USER_OPERATIONS.map((operation) => describe(operation, tagOf(operation))),
    { ...describe(apiIndex, 'Index'), security: [{ oauth: ['pricing:read'] }] },
  ]
  return documentOf(
    {
      info: {
        title: 'Domain Marketplace: public read API',
        version: VERSION,
        summary: 'Availability, WHOIS, prices and listings of domain names, for anyone.',
        description:
          'No account and no key is needed. Without an access token marketplace prices are `null` with ' +
          '`price_masked: true`; with one they are real. Fields are added over time and never removed ' +
          'or renamed, so ignore those that you do not know.',
        license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      },
      tags: [
        { name: 'Reads', description: 'The operations, each at a path of its own.' },
        { name: 'Batch', description: 'Several operations in one request.' },
        { name: 'Owned domains', description: 'Changes to domains that you own.' },
        {
          name: 'Agents',
          description: 'Purchases that an app makes for its user, within a mandate.',
        },
        { name: 'Index', description: 'Where clients find out how to get a token.' },
      ],
      security: [{}, { oauth: ['pricing:read'] }],
    },
    baseUrl,
    all,
    {
      personal_token: {
        type: 'http',
        scheme: 'bearer',
        description: 'A personal access token, made by the user in their account.',
      },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: ownCookie(baseUrl, 'session').name,
        description: 'The session of the pages; requests of the same origin only.',
      },
      oauth: {
        type: 'oauth2',
        description: 'OAuth 2.1 for public clients, with PKCE (S256). Optional.',
        flows: {
          authorizationCode: {
            authorizationUrl: `${baseUrl}/oauth/authorize`,
            tokenUrl: `${baseUrl}/api/oauth/token`,
            refreshUrl: `${baseUrl}/api/oauth/token`,
            scopes: {
              'pricing:read': 'See marketplace prices.',
              'orders:create': 'Buy within the limits that the user sets, and make offers.',
              'domains:manage': "Change the user's domains.",
            } satisfies Record<AppScope, string>,
          },
        },
      },
    },
  )
}

function tagOf({ path, scope }: PublicContract): string {
  if (path.startsWith('/api/agent/')) return 'Agents'
  return scope === 'domains:manage' ? 'Owned domains' : 'Reads'
}

/** Who may call it: users by all that they have, and their apps by what they were let do; only apps buy here. */
function securityOf({ scope, path }: PublicContract): Described['security'] {
  if (scope === undefined) return undefined
  if (scope === 'orders:create') return [{ oauth: [scope] }]
  const session = path.startsWith('/api/agent/') ? [] : [{ session: [] }]
  return [{ oauth: [scope] }, { personal_token: [] }, ...session]
}

function describe(contract: PublicContract, tag: string, operation?: PublicRead): Described {
  const isPost = contract.method === 'POST'
  const { path, description, deprecated, example, doneStatus } = contract
  const security = securityOf(contract)
  return {
    contract,
    path,
    tag,
    description,
    deprecated,
    example,
    errors: [...contract.errors, ...(isPost ? EVERY_POST : []), ...EVERY],
    replayable: isPost,
    ...(isPost && { parameters: [IDEMPOTENCY_KEY] }),
    ...(security && { security }),
    ...(doneStatus && { doneStatus }),
    ...(operation?.rows && { rows: operation.rows.output }),
  }
}

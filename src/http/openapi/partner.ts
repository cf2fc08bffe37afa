import type { ErrorCode } from '../../core/errors.ts'
import { type PartnerOperation, scopesOf } from '../../core/operation.ts'
import { PARTNER_TAGS } from '../../core/partner-tags.ts'
import { FAULT_HEADER } from '../partner/fault.ts'
import { PARTNER_OPERATIONS } from '../partner/operations.ts'
import { baseOf } from '../partner/serve.ts'
import { type Described, documentOf, IDEMPOTENCY_KEY, type OpenApiDocument } from './document.ts'
import { exampleOf, inlined, schemaOf } from './schema.ts'
import { deliveries } from './webhooks.ts'

const VERSION = '1.0.0'

const EVERY: ErrorCode[] = [
  'validation_error',
  'unsupported_media_type',
  'missing_credentials',
  'missing_signature_headers',
  'invalid_timestamp',
  'invalid_signature',
  'replay_detected',
  'credential_not_active',
  'partner_not_active',
  'forbidden',
  'rate_limited',
  'internal_error',
  'unavailable',
]
const EVERY_WITH_BODY: ErrorCode[] = ['payload_too_large']

const SIGNING = {
  keyId: ['X-Service-Key-Id', 'The public identifier of the credential.'],
  timestamp: ['X-Service-Timestamp', 'Unix time in seconds.'],
  nonce: ['X-Service-Nonce', 'A new value for every request, such as a UUID.'],
  signature: ['X-Service-Signature', '`v1=` and the HMAC-SHA256 of the canonical string in hex.'],
} as const

/** `/openapi-partner.json`: every signed operation, from the definitions that serve it. */
export function partnerDocument(baseUrl: string): OpenApiDocument {
  return documentOf(
    {
      info: {
        title: 'Domain Marketplace: partner API',
        version: VERSION,
        summary: 'Sell the domains of this marketplace.',
        description:
          'Every request is signed with HMAC-SHA256 over six lines: method, path, canonical query, ' +
          'timestamp, nonce, and the SHA-256 of the body; `/docs/start` has a program that does it. The ' +
          'credential decides whether the sandbox or the live market responds. ' +
          `A sandbox request may ask for a fault by the header ${FAULT_HEADER}: \`429\`, \`503\`, ` +
          '`delay=2s` or `drop_after_commit`, and `; times=3` for more than the first.',
        license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      },
      tags: Object.entries(PARTNER_TAGS).map(([name, description]) => ({ name, description })),
      security: [Object.fromEntries(Object.keys(SIGNING).map((name) => [name, []]))],
      webhooks: deliveries(),
    },
    baseUrl,
    PARTNER_OPERATIONS.map(describe),
    Object.fromEntries(
      Object.entries(SIGNING).map(([name, [header, description]]) => [
        name,
        { type: 'apiKey', in: 'header', name: header, description },
      ]),
    ),
  )
}

function describe(operation: PartnerOperation): Described {
  const isPost = operation.method === 'POST'
  const takesBody = isPost || operation.method === 'PUT'
  const scopes = scopesOf(operation)
  const required = operation.kind === 'partner_write' && operation.idempotency === 'required'
  return {
    contract: operation,
    path: baseOf(operation) + operation.path,
    tag: operation.tag,
    description:
      `${operation.description} Requires the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.` +
      (operation.sandboxOnly ? ' Available to sandbox credentials only.' : ''),
    example: {
      input: exampleInput(operation),
      output: {
        ...(exampleOf(inlined(schemaOf(operation.output, 'output'))) as object),
        ...operation.example?.output,
      },
    },
    errors: [
      ...operation.errors,
      // To a live credential the path is not there.
      ...(operation.sandboxOnly ? (['not_found'] as const) : []),
      ...(required ? (['missing_idempotency_key'] as const) : []),
      ...(isPost ? (['conflict'] as const) : []),
      ...(takesBody ? EVERY_WITH_BODY : []),
      ...EVERY,
    ],
    replayable: isPost,
    ...(isPost && { parameters: [{ ...IDEMPOTENCY_KEY, required }] }),
  }
}

/** Of a query what must be there: a made-up place or span would find nothing. */
function exampleInput({ input, method, example: own }: PartnerOperation): Record<string, unknown> {
  const schema = inlined(schemaOf(input, 'input'))
  const example = { ...(exampleOf(schema) as object), ...own?.input }
  if (method === 'POST' || method === 'PUT') return example
  return Object.fromEntries(
    Object.entries(example).filter(([name]) => schema.required?.includes(name)),
  )
}

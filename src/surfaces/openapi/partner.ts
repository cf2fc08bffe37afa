import type { ErrorCode } from '../../kernel/errors.ts'
import { type PartnerOperation, scopesOf } from '../../kernel/operation.ts'
import { FAULT_HEADER } from '../partner/fault.ts'
import { PARTNER_OPERATIONS } from '../partner/operations.ts'
import { baseOf } from '../partner/serve.ts'
import {
  type Described,
  documentOf,
  IDEMPOTENCY_KEY,
  type OpenApiDocument,
  schemaOf,
} from './document.ts'
import { sampleOf } from './sample.ts'
import { deliveries } from './webhooks.ts'
import { explain } from './words.ts'

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

const TAGS: Record<string, string> = {
  Search: 'What is for sale, and for how much.',
  Quotes: 'Firm prices that reserve a domain for ten minutes.',
  Orders: 'Sales that the partner collected, and taking them back.',
  Checkout: 'Links on which the house collects, for a commission.',
  Brokerage: 'Asking the owners of domains that are not for sale.',
  Settlements: 'Statements, transactions and payouts, with the lines behind them.',
  Referral: 'Tracked links, and what they brought: clicks, sales and commissions.',
  Events: 'Webhooks and the history of what they told.',
  Sandbox: 'Playing the operator; for sandbox credentials.',
}

/** `/openapi-partner.json`: every signed operation, from the definitions that serve it. */
export function partnerDocument(baseUrl: string): OpenApiDocument {
  const document = documentOf(
    {
      info: {
        title: 'Domain Marketplace: partner API',
        version: VERSION,
        summary: 'Sell the domains of this marketplace.',
        description:
          'Every request is signed with HMAC-SHA256 over six lines: method, path, canonical query, ' +
          'timestamp, nonce, and the SHA-256 of the body; `/docs/start` has a program that does it. The ' +
          'credential decides whether the sandbox or the live market answers. ' +
          `A sandbox request may ask for a fault by the header ${FAULT_HEADER}: \`429\`, \`503\`, ` +
          '`delay=2s` or `drop_after_commit`, and `; times=3` for more than the first.',
        license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      },
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
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
  return explain(document)
}

function describe(operation: PartnerOperation): Described {
  const isPost = operation.method === 'POST'
  const takesBody = isPost || operation.method === 'PUT'
  const scopes = scopesOf(operation)
  const thing = thingOf(operation)
  const required = operation.kind === 'partner_write' && operation.idempotency === 'required'
  return {
    contract: operation,
    path: baseOf(operation) + operation.path,
    tag: tagOf(operation),
    description:
      `Needs the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.` +
      (operation.sandboxOnly ? ' There for sandbox credentials only.' : ''),
    example: {
      input: sampleInput(operation, thing),
      output: sampleOf(schemaOf(operation.output, 'output'), thing),
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
function sampleInput({ input, method }: PartnerOperation, thing: string): Record<string, unknown> {
  const schema = schemaOf(input, 'input')
  const sample = sampleOf(schema, thing) as Record<string, unknown>
  if (method === 'POST' || method === 'PUT') return sample
  return Object.fromEntries(
    Object.entries(sample).filter(([name]) => schema.required?.includes(name)),
  )
}

/** What the `id` of an operation is an id of: the word before it, or the last of the path. */
function thingOf({ path }: PartnerOperation): string {
  return /([\w-]+)(?:\/\{id\}.*)?$/.exec(path)?.[1] ?? ''
}

const BY_PATH: [RegExp, string][] = [
  [/^\/sandbox/, 'Sandbox'],
  [/^\/(?:domains|availability|pricing)/, 'Search'],
  [/^\/quotes/, 'Quotes'],
  [/^\/(?:orders|refunds)/, 'Orders'],
  [/^\/checkout-session/, 'Checkout'],
  [/^\/brokerage/, 'Brokerage'],
  [/^\/(?:settlements|transactions|payouts)/, 'Settlements'],
  [/^\/(?:links|me|analytics)/, 'Referral'],
  [/^\/(?:events|webhooks)/, 'Events'],
]

function tagOf({ path }: PartnerOperation): string {
  const [, tag] = BY_PATH.find(([pattern]) => pattern.test(path)) ?? []
  if (!tag) throw new Error(`${path} stands under no tag`)
  return tag
}

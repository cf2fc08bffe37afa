import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Deprecation, PublicContract } from '../../kernel/operation.ts'
import { SECOND } from '../../lib/clock.ts'

/** What pages of other origins may read of our answers. */
const EXPOSED = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'Idempotent-Replayed',
  'Deprecation',
  'Sunset',
  'Link',
].join(', ')
const ALLOWED =
  'Authorization, Content-Type, Idempotency-Key, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name'
const PREFLIGHT_SECONDS = 7_200

/** The partner's and the operator's keys do not belong in a browser. */
function isPublic(url: string): boolean {
  return /^\/(?:api|openapi[\w-]*\.json|\.well-known\/oauth-[\w-]+)(?=[/?]|$)(?!\/(?:partner|admin)(?:[/?]|$))/.test(
    url,
  )
}

/** Any origin may call the public API, without cookies (Fetch standard, CORS protocol). */
export function allowOrigins(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => void reply.headers(originHeaders(request)))
}

export function originHeaders({ raw }: FastifyRequest): Record<string, string> {
  if (!isPublic(raw.url ?? '')) return {}
  return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED }
}

export function answerPreflight(reply: FastifyReply, methods: string): FastifyReply {
  return reply
    .code(204)
    .header('allow', methods)
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', ALLOWED)
    .header('access-control-max-age', String(PREFLIGHT_SECONDS))
    .send()
}

/**
 * Who may keep the answer. An anonymous one says nothing that is not for everybody; a user's has real
 * prices, and is for that user alone.
 */
export function cacheHeaders(contract: PublicContract, caller: Caller): Record<string, string> {
  const vary = { vary: 'Authorization, Accept' }
  if (caller.kind === 'user') return { ...vary, 'cache-control': 'private, no-store' }
  const isKept = contract.method === 'GET' && contract.cacheSeconds > 0
  return {
    ...vary,
    'cache-control': isKept ? `public, max-age=${contract.cacheSeconds}` : 'no-store',
  }
}

/** RFC 9745 and RFC 8594. */
export function deprecationHeaders(deprecated: Deprecation | undefined): Record<string, string> {
  if (!deprecated) return {}
  const { since, sunset, link } = deprecated
  return {
    deprecation: `@${new Date(since).getTime() / SECOND}`,
    sunset: new Date(sunset).toUTCString(),
    ...(link !== undefined && { link: `<${link}>; rel="deprecation"; type="text/html"` }),
  }
}

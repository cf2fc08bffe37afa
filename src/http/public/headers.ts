import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PublicCaller } from '../../core/caller.ts'
import type { Deprecation, PublicContract } from '../../core/contract.ts'
import { SECOND } from '../../lib/clock.ts'

/** What pages of other origins may read of our responses. */
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

/** Any origin may call what this scope serves, without cookies (Fetch standard, CORS protocol). */
export function allowOrigins(scope: FastifyInstance): void {
  scope.addHook('onSend', async (_request, reply) => void reply.headers(ANY_ORIGIN))
}

const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
}

/** The same for what the router could not read, and so gave to no scope. */
export function originHeaders({ raw }: FastifyRequest): Record<string, string> {
  return isPublic(raw.url ?? '') ? ANY_ORIGIN : {}
}

export function handlePreflight(reply: FastifyReply, methods: string): FastifyReply {
  return reply
    .code(204)
    .header('allow', methods)
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', ALLOWED)
    .header('access-control-max-age', String(PREFLIGHT_SECONDS))
    .send()
}

/**
 * Who may keep the response. An anonymous one says nothing that is not for everybody; a user's has real
 * prices, and is for that user alone.
 */
export function cacheHeaders(
  contract: PublicContract,
  caller: PublicCaller,
): Record<string, string> {
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

import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { allowOrigins, handlePreflight } from '../public/headers.ts'
import type { Web } from '../web.ts'
import { SERVER } from './server.ts'

/** What a server may say of itself has 100 characters. */
const DESCRIPTION =
  'Finds, prices and buys domain names: availability, WHOIS, names for sale, offers and purchases.'
const CARD_TYPE = 'application/mcp-server-card+json'
const REGISTRY_SCHEMA =
  'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'
const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'

/**
 * What is read of the MCP server before anybody connects to it: its server card (SEP-2127) at the path that the
 * extension reserves and at the one of its earlier drafts, which tools still probe; the catalog that leads to it; and
 * the entry for the MCP Registry, which its operator publishes under the market's own domain.
 */
export function serveServerCard(
  fastify: FastifyInstance,
  { clock, settings: { baseUrl } }: AppContext,
  web: Web,
): void {
  const { hostname } = new URL(baseUrl)
  const { version, title } = SERVER
  const described = {
    name: `${hostname
      .replace(/[[\]:]/g, '')
      .split('.')
      .toReversed()
      .join('.')}/${SERVER.name}`,
    title,
    description: DESCRIPTION,
    version,
    websiteUrl: `${baseUrl}/docs`,
    remotes: [{ type: 'streamable-http', url: `${baseUrl}/mcp` }],
  }
  const card = { $schema: CARD_SCHEMA, ...described }
  const entry = {
    identifier: `urn:air:${hostname}:${SERVER.name}`,
    displayName: title,
    type: CARD_TYPE,
    url: `${baseUrl}/mcp/server-card`,
  }

  fastify.register(async (scope) => {
    allowOrigins(scope)
    serve(scope, '/mcp/server-card', CARD_TYPE, card)
    serve(scope, '/.well-known/mcp/server-card.json', CARD_TYPE, card)
    serve(scope, '/.well-known/mcp/catalog.json', 'application/json', {
      specVersion: 'draft',
      entries: [entry],
    })
    serve(scope, '/server.json', 'application/json', { $schema: REGISTRY_SCHEMA, ...described })
  })

  function serve(scope: FastifyInstance, path: string, type: string, document: object): void {
    scope.options(path, async (_request, reply) => handlePreflight(reply, 'GET, HEAD'))
    scope.get(path, async (request, reply) => {
      await web.countUnauthenticated(request, clock.now())
      return reply
        .headers({ 'content-type': type, 'cache-control': 'public, max-age=3600' })
        .send(JSON.stringify(document))
    })
  }
}

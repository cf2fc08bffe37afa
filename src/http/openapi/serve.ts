import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import type { PublicRead } from '../../core/operation.ts'
import { once } from '../../lib/once.ts'
import { allowOrigins } from '../public/headers.ts'
import type { Web } from '../web.ts'
import type { OpenApiDocument } from './document.ts'
import { partnerDocument } from './partner.ts'
import { publicDocument } from './public.ts'

const PATHS = ['/openapi.json', '/openapi-partner.json'] as const

/**
 * The machine-readable contracts, which change with a release only, so that they are written once.
 * @returns what gives them, by their paths
 */
export function serveOpenApi(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  operations: readonly PublicRead[],
): () => Record<(typeof PATHS)[number], OpenApiDocument> {
  const { settings, clock } = app
  const documents = once(() => ({
    '/openapi.json': publicDocument(operations, settings.baseUrl),
    '/openapi-partner.json': partnerDocument(settings.baseUrl),
  }))
  fastify.register(async (scope) => {
    allowOrigins(scope)
    for (const path of PATHS) {
      const text = once(() => JSON.stringify(documents()[path]))
      scope.get(path, async (request, reply) => {
        await web.countUnauthenticated(request, clock.now())
        return reply
          .header('content-type', 'application/json; charset=utf-8')
          .header('cache-control', 'public, max-age=300')
          .send(text())
      })
    }
  })
  return documents
}

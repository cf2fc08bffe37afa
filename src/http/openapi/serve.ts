import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import type { PublicRead } from '../../core/operation.ts'
import { allowOrigins } from '../public/headers.ts'
import type { Web } from '../web.ts'
import type { OpenApiDocument } from './document.ts'
import { partnerDocument } from './partner.ts'
import { publicDocument } from './public.ts'

/** The machine-readable contracts, by their paths. They change with a release only, so each is written once. */
export function serveOpenApi(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  operations: readonly PublicRead[],
): Record<'/openapi.json' | '/openapi-partner.json', OpenApiDocument> {
  const { settings, clock } = app
  const documents = {
    '/openapi.json': publicDocument(operations, settings.baseUrl),
    '/openapi-partner.json': partnerDocument(settings.baseUrl),
  }
  fastify.register(async (scope) => {
    allowOrigins(scope)
    for (const [path, document] of Object.entries(documents)) {
      const text = JSON.stringify(document)
      scope.get(path, async (request, reply) => {
        await web.countUnauthenticated(request, clock.now())
        return reply
          .header('content-type', 'application/json; charset=utf-8')
          .header('cache-control', 'public, max-age=300')
          .send(text)
      })
    }
  })
  return documents
}

import type { FastifyInstance } from 'fastify'
import type { House } from '../../kernel/house.ts'
import type { PublicRead } from '../../kernel/operation.ts'
import { serveDocs } from '../docs/serve.tsx'
import type { Web } from '../web.ts'
import { partnerDocument } from './partner.ts'
import { publicDocument } from './public.ts'

/** The machine-readable contracts. They change with a release only, so each is written once, and again for people. */
export function serveOpenApi(
  app: FastifyInstance,
  house: House,
  web: Web,
  operations: readonly PublicRead[],
): void {
  const { settings, clock } = house
  const documents = {
    '/openapi.json': publicDocument(operations, settings.baseUrl),
    '/openapi-partner.json': partnerDocument(settings.baseUrl),
  }
  for (const [path, document] of Object.entries(documents)) {
    const text = JSON.stringify(document)
    app.get(path, async (request, reply) => {
      await web.countUnauthenticated(request, clock.now())
      return reply
        .header('content-type', 'application/json; charset=utf-8')
        .header('cache-control', 'public, max-age=300')
        .send(text)
    })
  }
  serveDocs(app, house, web, documents)
}

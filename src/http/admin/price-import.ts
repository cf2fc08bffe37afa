import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { importTldPrices } from '../../domain/registry/import-tld-prices.ts'
import { bodyOf, parseInput } from '../input.ts'
import type { Web } from '../web.ts'
import { actorOf } from './listing-import.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** `POST /tld-prices/import` with a CSV file as the body; the response is the report. */
export function servePriceImport(
  scope: FastifyInstance,
  app: AppContext,
  web: Web,
  base: string,
): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  const path = base + importTldPrices.path
  web.route(scope, importTldPrices, path, async (request, reply) => {
    const executed = await web.execute(importTldPrices, {
      caller: { kind: 'operator', actor: actorOf(request) },
      now: app.clock.now(),
      requestId: request.id,
      input: () => priceFile(bodyOf(request)),
    })
    return web.send(importTldPrices, request, reply, executed)
  })
}

/** The input of the import, from the file's bytes. */
export function priceFile(bytes: Uint8Array) {
  return parseInput(importTldPrices, { csv: readText(bytes) })
}

function readText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid({ field: 'body', issue: 'is not text in UTF-8' })
  }
}

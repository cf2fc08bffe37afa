import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { importTldPrices } from '../../modules/registry/import-tld-prices.ts'

const MAX_BYTES = 4 * 1024 ** 2
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** POST /tld-prices/import with a CSV file as the body; the answer is the report. */
export function servePriceImport(
  scope: FastifyInstance,
  house: House,
  base: string,
  authorize: (request: FastifyRequest) => Promise<void>,
): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  scope.post(
    `${base}/tld-prices/import`,
    {
      bodyLimit: MAX_BYTES,
      onRequest: authorize,
      config: { operation: 'import_tld_prices' },
    },
    async (request) => await importTldPrices(house, readText(request.body)),
  )
}

function readText(body: unknown): string {
  try {
    return body instanceof Uint8Array ? utf8.decode(body) : ''
  } catch {
    throw invalid({ field: 'body', issue: 'is not text in UTF-8' })
  }
}

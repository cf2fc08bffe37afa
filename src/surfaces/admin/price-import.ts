import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import type { Actor } from '../../kernel/operation.ts'
import { auditEntry, type Origin } from '../../modules/audit/entry.ts'
import {
  importTldPrices,
  type PriceImportReport,
} from '../../modules/registry/import-tld-prices.ts'
import { bodyOf } from '../input.ts'
import { performWrite } from '../perform.ts'
import { actorOf } from './listing-import.ts'

export const MAX_PRICES_BYTES = 4 * 1024 ** 2
const OPERATION = 'import_tld_prices'
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** POST /tld-prices/import with a CSV file as the body; the answer is the report. */
export function servePriceImport(
  scope: FastifyInstance,
  house: House,
  base: string,
  authorize: (request: FastifyRequest) => Promise<Actor>,
): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  scope.decorateRequest('actor', null)
  scope.post(
    `${base}/tld-prices/import`,
    {
      bodyLimit: MAX_PRICES_BYTES,
      onRequest: async (request) => {
        request.actor = await authorize(request)
      },
      config: { operation: OPERATION },
    },
    async (request) => {
      const body = bodyOf(request)
      return await importPrices(house, body, { actor: actorOf(request), requestId: request.id })
    },
  )
}

/** Takes a file of prices in, with its entry in the audit log. */
export async function importPrices(
  house: House,
  csv: Uint8Array,
  { actor, requestId }: Origin,
): Promise<PriceImportReport> {
  const text = readText(csv)
  const now = house.clock.now()
  const { body } = await performWrite(house, { status: 200 }, now, null, async (context) => {
    const report = await importTldPrices(context, text)
    const { rows, changed, rejected_count } = report
    const input = { rows, changed, rejected_count }
    context.defer(
      auditEntry(context.tx, now, { actor, requestId, operation: OPERATION, subject: null, input }),
    )
    return report
  })
  return JSON.parse(body) as PriceImportReport
}

function readText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid({ field: 'body', issue: 'is not text in UTF-8' })
  }
}

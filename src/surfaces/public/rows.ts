import type { FastifyRequest } from 'fastify'
import { errorBody } from '../../kernel/errors.ts'
import type { PublicRead } from '../../kernel/operation.ts'
import { prefersOverJson } from '../accept.ts'
import { asRefusal } from '../refusals.ts'

export const NDJSON = 'application/x-ndjson'

/** Whether the caller would rather have rows than one object. */
export function prefersRows(operation: PublicRead, accept: string | undefined): boolean {
  return operation.rows !== undefined && prefersOverJson(NDJSON, accept)
}

/**
 * The rows as lines of JSON. The first one is awaited before anything is sent, so that an answer that
 * fails at once is an error like any other; later the status has gone out, and the error is a line.
 */
export async function rowLines(
  rows: AsyncIterable<object>,
  request: FastifyRequest,
): Promise<AsyncGenerator<string>> {
  const iterator = rows[Symbol.asyncIterator]()
  const first = await iterator.next()
  return lines()

  async function* lines(): AsyncGenerator<string> {
    try {
      for (let next = first; !next.done; next = await iterator.next()) yield line(next.value)
    } catch (error) {
      request.log.error({ err: error }, 'rows: they broke off')
      yield line({ kind: 'error', ...errorBody(asRefusal(error), request.id) })
    } finally {
      await iterator.return?.()
    }
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`
}

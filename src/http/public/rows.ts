import type { FastifyRequest } from 'fastify'
import { errorBody } from '../../core/errors.ts'
import type { PublicRead } from '../../core/operation.ts'
import { prefersOverJson } from '../accept.ts'
import { toApiError } from '../api-errors.ts'

export const NDJSON = 'application/x-ndjson'

/** Whether the caller would rather have rows than one object. */
export function prefersRows(operation: PublicRead, accept: string | undefined): boolean {
  return operation.rows !== undefined && prefersOverJson(NDJSON, accept)
}

/**
 * The rows as lines of JSON. The first one is awaited before anything is sent, so that a response that
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
      yield line({ kind: 'error', ...errorBody(toApiError(error), request.id) })
    } finally {
      await iterator.return?.()
    }
  }
}

/** All rows as one body, for a call whose repeat gets all of them. */
export async function collectRows(rows: AsyncIterable<object>) {
  const lines: string[] = []
  for await (const row of rows) lines.push(line(row))
  return { body: lines.join(''), mediaType: NDJSON }
}

/**
 * One document of JSON, with each row of it on a line of its own: who reads the lines one by one finds the rows, whatever
 * else they skip, and who reads the document finds it whole.
 */
export function onLines(document: object): string {
  const fields = Object.entries(document).map(([name, value]: [string, unknown]) => {
    if (!Array.isArray(value) || value.length === 0)
      return `${JSON.stringify(name)}:${JSON.stringify(value)}`
    const rows = value.map((row) => JSON.stringify(row)).join('\n,\n')
    return `${JSON.stringify(name)}:[\n${rows}\n]`
  })
  return `{${fields.join(',')}}`
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`
}

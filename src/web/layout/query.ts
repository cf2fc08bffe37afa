import type { FastifyRequest } from 'fastify'
import { rejectUnstorable } from '../../http/input.ts'

/** What is set of an address's query; the first of a repeated field. */
export type Query = Record<string, string | undefined>

/** The query of a page's address, which anybody may have typed. */
export function queryOf(request: FastifyRequest): Query {
  const query = Object.fromEntries(
    Object.entries(request.query as Record<string, string | string[]>).map(([name, value]) => [
      name,
      (Array.isArray(value) ? value[0] : value)?.trim() || undefined,
    ]),
  )
  rejectUnstorable(query, '')
  return query
}

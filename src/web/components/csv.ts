import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { stringify } from '../../lib/csv.ts'

/** Responds with a file to be taken away. */
export function sendCsv(reply: FastifyReply, name: string, body: string | Readable): FastifyReply {
  return reply
    .headers({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}.csv"`,
      'cache-control': 'no-store',
    })
    .send(body)
}

interface ListPage<Column extends string> {
  rows: Record<Column, string | number | null>[]
  next_cursor: string | null
}

/**
 * Responds with all pages of a list as one file, each as soon as it is read. The first is read before
 * anything is sent: a wrong filter is an error page, and no broken file.
 */
export async function sendCsvList<Column extends string>(
  reply: FastifyReply,
  name: string,
  columns: readonly Column[],
  read: (cursor?: string) => Promise<ListPage<Column>>,
): Promise<FastifyReply> {
  const first = await read()
  return sendCsv(reply, name, Readable.from(text()))

  async function* text(): AsyncGenerator<string> {
    let page = first
    yield stringify(columns, page.rows)
    while (page.next_cursor !== null) {
      page = await read(page.next_cursor)
      const withHeader = stringify(columns, page.rows)
      yield withHeader.slice(withHeader.indexOf('\n') + 1)
    }
  }
}

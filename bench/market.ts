import {
  type Contender,
  ROOT,
  startBareServer,
  startService,
  withContenders,
} from './contenders.ts'
import { measureInTurn, type Series } from './measure.ts'
import { linesOf, report } from './report.ts'
import type { Suite } from './suite.ts'

const PATH = '/api/market/listings'
const PAGE = 20
const ENTRIES = 20
/** Different places around nine tenths of the way down. */
const DEEP_PLACES = 50

/** The market's first page, pages at depth, and twenty pages in one batch, over few and many listings. */
export const listings: Suite = async ({ field, load, options, against }) => {
  const starting = options.sizes.flatMap((size) => {
    const sized = { ...field, listings: size }
    const environment = { CONNECTIONS: String(options.connections) }
    return [
      startBareServer('bare', 'bare-market.ts', environment, sized),
      startService('ours', ROOT, sized),
      ...against.map((root) => startService('against', root, sized)),
    ]
  })
  await withContenders(starting, async (contenders) => {
    const series: Series[] = []
    for (const [index, contender] of contenders.entries()) {
      const size = options.sizes[Math.floor(index / (2 + against.length))] ?? 0
      const depth = Math.floor(size * 0.9)
      const of = (workload: string, requests: string[], units = 1): Series => ({
        workload,
        who: contender.name,
        size,
        contender,
        batch: () => ({
          kind: 'verbatim',
          count: Math.ceil(options.requests / 2 / units),
          requests,
        }),
        expect: 200,
        units,
      })
      const cursors = await cursorsFrom(contender, depth)
      series.push(
        of('first page', [get('')]),
        of(
          'page at depth',
          cursors.map((cursor) => get(`?${new URLSearchParams({ cursor })}`)),
        ),
      )
      if (contender.name !== 'bare') {
        series.push(of(`pages by ${ENTRIES} in a batch`, [batchOf(ENTRIES)], ENTRIES))
      }
    }
    const lines = linesOf(await measureInTurn(load, series, options))
    report('listings', `GET ${PATH}: bare is one pipelined statement by keyset`, lines)
  })
}

function get(query: string): string {
  return `GET ${PATH}${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`
}

function batchOf(count: number): string {
  const operations = Array.from({ length: count }, (_, index) => ({
    id: String(index),
    op: 'list_listings',
    params: {},
  }))
  const body = JSON.stringify({ operations })
  const head = [
    'POST /api/batch HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** A walk of so many pages from a row; an offset page tells where it stands, so nobody walks there. */
async function cursorsFrom({ name, port, database }: Contender, depth: number): Promise<string[]> {
  const cursors: string[] = []
  let next = name === 'bare' ? await plainCursorAt(database, depth) : undefined
  while (cursors.length < DEEP_PLACES) {
    const query = next === undefined ? { offset: String(depth - PAGE) } : { cursor: next }
    const response = await fetch(`http://127.0.0.1:${port}${PATH}?${new URLSearchParams(query)}`)
    const { page } = (await response.json()) as { page: { next_cursor: string | null } }
    if (page.next_cursor === null) break
    next = page.next_cursor
    cursors.push(next)
  }
  return cursors
}

async function plainCursorAt(database: Contender['database'], depth: number): Promise<string> {
  const { rows } = await database.client.query(
    `select (extract(epoch from listed_at) * 1000000)::bigint::text as time, domain from listings
    where environment = 'live' and status = 'listed'
    order by listed_at desc, domain desc offset $1 limit 1`,
    [depth - 1],
  )
  return JSON.stringify([depth, Number(rows[0]?.time), rows[0]?.domain])
}

import { type Contender, type Field, ROOT, startBareMarket, startService } from './contenders.ts'
import { dropDatabases } from './databases.ts'
import type { LoadResult } from './load.ts'
import { type Batch, median } from './workload.ts'

const PATH = '/api/market/listings'
const ENTRIES = 20

interface Series {
  name: string
  contender: Contender
  requests: string[]
  /** Pages that one request answers. */
  pages: number
  perSecond: number[]
  medianMs: number[]
  p99Ms: number[]
}

export interface MarketOptions {
  rounds: number
  pages: number
  depth: number
  connections: number
  send(contender: Contender, batch: Batch): Promise<LoadResult>
}

/** The market's first page, a page at depth, and twenty pages in one batch, round by round in turn. */
export async function runMarket(field: Field, options: MarketOptions): Promise<void> {
  const starts = await Promise.allSettled([
    startBareMarket('bare', options.connections, field),
    startService('ours', ROOT, field),
  ])
  const contenders = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  try {
    for (const start of starts) if (start.status === 'rejected') throw start.reason
    const [bare, ours] = contenders as [Contender, Contender]
    const deep = new URLSearchParams({ cursor: await cursorAt(ours, options.depth) })
    const plain = new URLSearchParams({ cursor: await plainCursorAt(bare, options.depth) })
    const all = [
      series('bare, first page', bare, [get(PATH)]),
      series('ours, first page', ours, [get(PATH)]),
      series(`bare, page at ${options.depth}`, bare, [get(`${PATH}?${plain}`)]),
      series(`ours, page at ${options.depth}`, ours, [get(`${PATH}?${deep}`)]),
      series(`ours, batch of ${ENTRIES}`, ours, [batchOf(ENTRIES)], ENTRIES),
    ]
    for (let round = 0; round <= options.rounds; round++) {
      const turn = round % all.length
      for (const one of [...all.slice(turn), ...all.slice(0, turn)]) {
        const count = Math.ceil(options.pages / one.pages)
        const batch: Batch = { kind: 'verbatim', count, requests: one.requests }
        const { seconds, medianMs, p99Ms } = await options.send(one.contender, batch)
        // The first round warms up.
        if (round === 0) continue
        one.perSecond.push((count * one.pages) / seconds)
        one.medianMs.push(medianMs)
        one.p99Ms.push(p99Ms)
      }
    }
    print(all, `GET ${PATH}, ${field.listings} listings`)
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()))
    await dropDatabases()
  }
}

function series(name: string, contender: Contender, requests: string[], pages = 1): Series {
  return { name, contender, requests, pages, perSecond: [], medianMs: [], p99Ms: [] }
}

function get(target: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`
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

/** Where a walk stands after so many rows: an offset page tells, so nobody has to walk. */
async function cursorAt({ port }: Contender, depth: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${PATH}?offset=${depth - 20}`)
  const { page } = (await answer.json()) as { page: { next_cursor: string } }
  return page.next_cursor
}

async function plainCursorAt({ database }: Contender, depth: number): Promise<string> {
  const { rows } = await database.client.query(
    `select (extract(epoch from listed_at) * 1000000)::bigint::text as time, domain from listings
    where environment = 'live' and status = 'listed'
    order by listed_at desc, domain desc limit 1 offset $1`,
    [depth - 1],
  )
  return JSON.stringify([depth, Number(rows[0].time), rows[0].domain])
}

function print(all: Series[], title: string): void {
  console.log(`\n${title}`)
  const head = ['', 'pages/s', 'p50 ms', 'p99 ms', 'of bare', 'of first']
  const rows = all.map((one) => {
    const first = all.find(
      ({ name, contender }) => contender === one.contender && name.endsWith('first page'),
    )
    const bare = all.find(
      ({ name }) => name === one.name.replace('ours', 'bare').replace(/batch.*/, 'first page'),
    )
    const ratio = (other: Series | undefined) =>
      median(one.perSecond.map((value, round) => value / (other?.perSecond[round] ?? 0))).toFixed(2)
    return [
      one.name,
      median(one.perSecond).toFixed(0),
      median(one.medianMs).toFixed(1),
      median(one.p99Ms).toFixed(1),
      ratio(bare),
      ratio(first),
    ]
  })
  for (const line of [head, ...rows]) {
    console.log(
      line.map((cell, index) => (index === 0 ? cell.padEnd(24) : cell.padStart(11))).join(''),
    )
  }
}

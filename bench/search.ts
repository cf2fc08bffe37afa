import { execFileSync } from 'node:child_process'
import { createReadStream, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import {
  type Contender,
  ROOT,
  startBareServer,
  startInstance,
  startService,
  withContenders,
} from './contenders.ts'
import type { BenchDatabase } from './databases.ts'
import { send } from './import.ts'
import { measureInTurn, type Series } from './measure.ts'
import { linesOf, report } from './report.ts'
import { readJudged } from './search/judged.ts'
import type { Suite } from './suite.ts'

const POLL_MS = 20

/**
 * The judged queries, for one caller and for many, among few and among many names: PostgreSQL's own search by
 * trigrams, and the service that finds candidates in rows and in its memory. Also how long the names take to
 * import, how long an instance takes until it is ready, and what it holds then.
 */
export const search: Suite = async ({ field, load, options }) => {
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-names-'))
  const queries = (['tuning', 'held-back'] as const)
    .flatMap(readJudged)
    .map(({ query }) => query.replace(/[^a-z0-9 -]/gi, ' '))
  const count = Math.ceil(options.requests / 40)
  const empty = { ...field, listings: 0 }
  const starting = options.sizes.flatMap(() => [
    startBareServer('bare', 'bare-market.ts', {}, empty),
    startService('ours, in rows', ROOT, empty, { SEARCH_INDEX: 'postgres' }),
  ])
  const inMemory: Contender[] = []
  const notes: string[] = []
  try {
    await withContenders(starting, async (contenders) => {
      const series: Series[] = []
      for (const [index, size] of options.sizes.entries()) {
        const [bare, inRows] = contenders.slice(index * 2) as [Contender, Contender]
        const seconds = await send(inRows, createReadStream(makeNames(folder, size)), size)
        await copyNames(inRows, bare)
        const rows = await timeStart('ours, in rows', inRows.database, 'postgres')
        await rows.contender.stop()
        const memory = await timeStart('ours, in memory', inRows.database, 'memory')
        inMemory.push(memory.contender)
        notes.push(
          `${size.toLocaleString('en')} names are imported in ${seconds.toFixed(0)} s. An instance is ready after ` +
            `${rows.said} with rows, and after ${memory.said} with the names in memory.`,
        )
        const of = (workload: string, contender: Contender, inFlight: number): Series => ({
          workload,
          who: contender.name,
          size,
          contender,
          batch: () =>
            contender === bare
              ? { kind: 'verbatim', count: Math.ceil(count / 10), requests: queries.map(plain) }
              : { kind: 'search', count, queries, credentials: field.credentials },
          expect: 200,
          inFlight,
        })
        for (const contender of [bare, inRows, memory.contender]) {
          series.push(of('search, one caller', contender, 1))
          series.push(of(`search, ${options.inFlight} callers`, contender, options.inFlight))
        }
      }
      const lines = linesOf(await measureInTurn(load, series, options))
      report('search', "GET /domains/search: bare is PostgreSQL's search by trigrams", lines, notes)
    })
  } finally {
    await Promise.all(inMemory.map((contender) => contender.stop()))
    await rm(folder, { recursive: true })
  }
}

function plain(query: string): string {
  return `GET /search?${new URLSearchParams({ q: query })} HTTP/1.1\r\nHost: localhost\r\n\r\n`
}

function makeNames(folder: string, names: number): string {
  const file = join(folder, `${names}.csv`)
  const script = join(ROOT, 'bench/search/make-names.ts')
  const options = ['--count', String(names), '--out', file, '--csv', '--seed', '7']
  execFileSync(process.execPath, ['--import', 'tsx', script, ...options])
  return file
}

/** The names that one contender has, as a plain table of the other. */
async function copyNames(from: Contender, to: Contender): Promise<void> {
  const read = from.database.client.query(copyTo('copy listings to stdout'))
  await pipeline(read, to.database.client.query(copyFrom('copy listings from stdin')))
  for (const { database } of [from, to]) await database.client.query('vacuum analyze')
}

/** Another instance on the same database: how long it takes until it is ready, and what it holds then. */
async function timeStart(name: string, database: BenchDatabase, index: 'memory' | 'postgres') {
  const start = performance.now()
  const contender = await startInstance(name, ROOT, database, { SEARCH_INDEX: index })
  while (!(await fetch(`http://127.0.0.1:${contender.port}/health/ready`)).ok) await sleep(POLL_MS)
  const seconds = (performance.now() - start) / 1000
  const status = readFileSync(`/proc/${contender.pid}/status`, 'utf8')
  const megabytes = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
  return { contender, said: `${seconds.toFixed(1)} s and holds ${megabytes} MB` }
}

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import {
  type Contender,
  ROOT,
  startBareServer,
  startService,
  withContenders,
} from './contenders.ts'
import { SECRETS_KEY } from './databases.ts'
import { send } from './import.ts'
import { measureInTurn, type Series } from './measure.ts'
import { linesOf, report } from './report.ts'
import { readJudged } from './search/judged.ts'
import type { Suite } from './suite.ts'

const POLL_MS = 20

/**
 * The judged queries, for one caller and for many, among few and among many names, beside PostgreSQL's own
 * search by trigrams; then how long a second instance takes to read the names, and what it holds.
 */
export const search: Suite = async ({ field, load, options }) => {
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-names-'))
  const queries = (['tuning', 'held-back'] as const)
    .flatMap(readJudged)
    .map(({ query }) => query.replace(/[^a-z0-9 -]/gi, ' '))
  const count = Math.ceil(options.requests / 40)
  const starting = options.sizes.flatMap(() => [
    startBareServer('bare', 'bare-market.ts', {}, { ...field, listings: 0 }),
    startService('ours', ROOT, { ...field, listings: 0 }),
  ])
  try {
    await withContenders(starting, async (contenders) => {
      const series: Series[] = []
      for (const [index, size] of options.sizes.entries()) {
        const [bare, ours] = contenders.slice(index * 2) as [Contender, Contender]
        await send(ours, await readFile(makeNames(folder, size), 'utf8'), size)
        await copyNames(ours, bare)
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
        for (const contender of [bare, ours]) {
          series.push(of('search, one caller', contender, 1))
          series.push(of(`search, ${options.inFlight} callers`, contender, options.inFlight))
        }
      }
      const lines = linesOf(await measureInTurn(load, series, options))
      report('search', "GET /domains/search: bare is PostgreSQL's search by trigrams", lines)
      const [last] = contenders.slice(-1) as [Contender]
      await measureStart(last, folder)
    })
  } finally {
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

/** A second instance on the same database: how long it reads the names, and what it holds then. */
async function measureStart({ database }: Contender, folder: string): Promise<void> {
  const start = performance.now()
  const dataDir = join(folder, 'second')
  const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'src/main.ts')], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      SECRETS_KEY,
      HOST: '127.0.0.1',
      PORT: '0',
      DEMO_PARTNER: 'off',
      LOG_LEVEL: 'error',
    },
    stdio: 'ignore',
  })
  try {
    for (;;) {
      const address = read(join(dataDir, 'address'))
      if (address && (await fetch(`${address}/health/ready`)).ok) break
      await sleep(POLL_MS)
    }
    const seconds = (performance.now() - start) / 1000
    const resident = /VmRSS:\s+(\d+)/.exec(read(`/proc/${child.pid}/status`))?.[1]
    const megabytes = resident ? `${Math.round(Number(resident) / 1024)} MB resident` : ''
    console.log(`A second instance is ready after ${seconds.toFixed(1)} s, ${megabytes}`)
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

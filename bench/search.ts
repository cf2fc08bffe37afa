import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ADMIN_TOKEN,
  type Contender,
  type Field,
  ROOT,
  startBare,
  startService,
} from './contenders.ts'
import { dropDatabases, SECRETS_KEY } from './databases.ts'
import type { LoadResult } from './load.ts'
import { readJudged } from './search/judged.ts'
import { type Batch, median } from './workload.ts'

const IN_FLIGHT = 32
const SEARCHES = 2_000
const POLL_MS = 20

export interface SearchOptions {
  rounds: number
  names: number
  reads: number
  connections: number
  send(contender: Contender, batch: Batch, inFlight: number): Promise<LoadResult>
}

/**
 * Imports names as an operator would, then searches among them with the judged queries: for one caller,
 * and for 32 beside signed reads of the service and of the bare server, round by round in turn.
 */
export async function runSearch(field: Field, options: SearchOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-names-'))
  try {
    const ours = await startService('ours', ROOT, field)
    const bare = await startBare('bare', 'single', options.connections, field)
    try {
      await importNames(ours, makeNames(folder, options.names), options.names)
      await measure(field, options, ours, bare)
      await ours.database.client.query('vacuum analyze')
      await measureStart(ours, folder)
    } finally {
      await Promise.all([ours.stop(), bare.stop()])
      await dropDatabases()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function makeNames(folder: string, names: number): string {
  const file = join(folder, 'names.csv')
  const script = join(ROOT, 'bench/search/make-names.ts')
  const options = ['--count', String(names), '--out', file, '--csv', '--seed', '7']
  execFileSync(process.execPath, ['--import', 'tsx', script, ...options])
  return file
}

async function importNames({ port, database }: Contender, file: string, names: number) {
  const start = performance.now()
  const answer = await fetch(
    `http://127.0.0.1:${port}/api/admin/v1/listings/import?environment=live`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' },
      body: Readable.toWeb(createReadStream(file)) as ReadableStream,
      duplex: 'half',
    } as RequestInit,
  )
  const last = (await answer.text()).trim().split('\n').at(-1) ?? ''
  const seconds = (performance.now() - start) / 1000
  if (!last.includes(`"imported":${names}`)) throw new Error(`not all imported: ${last}`)
  console.log(`\nImport of ${names} names with indexing: ${seconds.toFixed(1)} s`)
  await database.client.query('vacuum analyze')
}

async function measure(
  { credentials, listings }: Field,
  { rounds, reads, send }: SearchOptions,
  ours: Contender,
  bare: Contender,
): Promise<void> {
  const queries = (['tuning', 'held-back'] as const)
    .flatMap(readJudged)
    .map(({ query }) => query.replace(/[^a-z0-9 -]/gi, ' '))
  const search: Batch = { kind: 'search', count: SEARCHES, queries, credentials }
  const read: Batch = { kind: 'read', count: reads, listings, credentials }
  const series = [
    { name: 'search, one caller', contender: ours, batch: search, inFlight: 1 },
    { name: `search, ${IN_FLIGHT} callers`, contender: ours, batch: search, inFlight: IN_FLIGHT },
    { name: 'signed read, ours', contender: ours, batch: read, inFlight: IN_FLIGHT },
    { name: 'signed read, bare', contender: bare, batch: read, inFlight: IN_FLIGHT },
  ].map((one) => ({ ...one, results: [] as LoadResult[] }))
  for (let round = 0; round <= rounds; round += 1) {
    const turn = round % series.length
    for (const one of [...series.slice(turn), ...series.slice(0, turn)]) {
      const result = await send(one.contender, one.batch, one.inFlight)
      if (result.statuses[200] !== one.batch.count) {
        throw new Error(`${one.name} answered ${JSON.stringify(result.statuses)}: ${result.sample}`)
      }
      // The first round warms up.
      if (round > 0) one.results.push(result)
    }
  }
  const perSecond = (results: LoadResult[], count: number) =>
    median(results.map(({ seconds }) => count / seconds))
  const last = series.at(-1)
  const baseline = last ? perSecond(last.results, last.batch.count) : 0
  console.log(`${''.padEnd(22)}   p50 ms   p95 ms    req/s  of bare read`)
  for (const { name, batch, results } of series) {
    const rate = perSecond(results, batch.count)
    const cells = [
      median(results.map(({ medianMs }) => medianMs)).toFixed(1),
      median(results.map(({ p95Ms }) => p95Ms)).toFixed(1),
      rate.toFixed(0),
      (rate / baseline).toFixed(2),
    ]
    console.log(name.padEnd(22) + cells.map((cell) => cell.padStart(9)).join(''))
  }
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

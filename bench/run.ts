import { fork } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  answerOf,
  type Contender,
  type Field,
  ROOT,
  startBare,
  startService,
} from './contenders.ts'
import {
  countSales,
  databaseCpu,
  dropDatabases,
  makeCredentials,
  prepareSales,
} from './databases.ts'
import type { LoadCommand, LoadResult } from './load.ts'
import { runMarket } from './market.ts'
import { runSearch } from './search.ts'
import { type Batch, type BenchCredential, median } from './workload.ts'

const USAGE = `npm run bench -- [options]

Measures the service against a bare node:http server that keeps the same promises with one statement
per request. DATABASE_URL names a PostgreSQL server; databases are made on it and dropped again.

  --only <name>       reads, orders, orders-one-partner, listings or search; default the first three
  --rounds <n>        rounds, each with every contender in turn; default 5
  --listings <n>      listings that reads choose from; default 10000, for --only listings 1000000
  --names <n>         names that --only search imports; default 1000000
  --depth <n>         how far down the deep page of listings is; default 900000
  --pages <n>         pages of listings in a round; default 10000
  --in-flight <n>     requests under way at once; default 32
  --reads <n>         reads of a contender in a round; default 20000
  --orders <n>        orders of a contender in a round; default 3000
  --partners <n>      partners that share the load; default 8
  --connections <n>   pipelined connections of the bare server for reads; default 8
  --sale-connections <n>  the same for orders; default 32
  --against <folder>  another checkout of the service, measured alongside`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    listings: { type: 'string' },
    names: { type: 'string', default: '1000000' },
    depth: { type: 'string', default: '900000' },
    pages: { type: 'string', default: '10000' },
    'in-flight': { type: 'string', default: '32' },
    reads: { type: 'string', default: '20000' },
    orders: { type: 'string', default: '3000' },
    partners: { type: 'string', default: '8' },
    connections: { type: 'string', default: '8' },
    'sale-connections': { type: 'string', default: '32' },
    against: { type: 'string' },
    help: { type: 'boolean' },
  },
})

/** What one contender did in one round. */
interface Sample {
  perSecond: number
  medianMs: number
  p99Ms: number
  /** Microseconds per request. */
  serverCpu: number
  databaseCpu: number | null
}

interface Workload {
  name: string
  title: string
  contenders: (field: Field) => Promise<Contender>[]
  batch(name: string, count: number): Batch
  count: number
  expect: number
}

const credentials = makeCredentials(Number(values.partners))
const field: Field = {
  serverUrl: process.env.DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres',
  listings: Number(values.listings ?? (values.only === 'listings' ? 1_000_000 : 10_000)),
  credentials,
}
const services = () => [
  startService('ours', ROOT, field),
  ...(values.against ? [startService('against', resolve(values.against), field)] : []),
]
const orders = (name: string, title: string, partners: BenchCredential[]): Workload => ({
  name,
  title,
  contenders: () => [
    startBare('bare', 'single', Number(values['sale-connections']), field),
    ...services(),
  ],
  batch: (batch, count) => ({ kind: 'order', name: batch, count, credentials: partners }),
  count: Number(values.orders),
  expect: 201,
})
const WORKLOADS: Workload[] = [
  {
    name: 'reads',
    title: `GET /domains/{name}, ${field.listings} listings`,
    contenders: () => [
      startBare('bare', 'single', Number(values.connections), field),
      startBare('bare, grouped', 'grouped', Number(values.connections), field),
      ...services(),
    ],
    batch: (_, count) => ({ kind: 'read', count, listings: field.listings, credentials }),
    count: Number(values.reads),
    expect: 200,
  },
  orders('orders', `POST /orders, ${values.partners} partners`, credentials),
  orders('orders-one-partner', 'POST /orders, one partner', credentials.slice(0, 1)),
]

const load = fork(new URL('load.ts', import.meta.url))

async function tell(command: LoadCommand): Promise<unknown> {
  const answer = answerOf(load)
  load.send(command)
  return await answer
}

async function sendBatch(
  contender: Contender,
  batch: Batch,
  expected: number,
): Promise<LoadResult> {
  await prepareSales(contender.database, batch)
  await tell({ prepare: batch })
  return await sendPrepared(contender, batch, expected)
}

async function sendPrepared(
  { name, port }: Contender,
  batch: Batch,
  expected: number,
): Promise<LoadResult> {
  const go = { port, inFlight: Number(values['in-flight']) }
  const result = (await tell({ go })) as LoadResult
  if (result.statuses[expected] !== batch.count) {
    throw new Error(`${name} answered ${JSON.stringify(result.statuses)}: ${result.sample}`)
  }
  return result
}

async function measure(contender: Contender, batch: Batch, expected: number): Promise<Sample> {
  const { database } = contender
  await prepareSales(database, batch)
  await tell({ prepare: batch })
  // Else one contender would pay for what the one before it left to be written.
  await database.client.query('checkpoint')
  const [cpu, databaseTime] = [await contender.cpu(), await databaseCpu(database)]
  const result = await sendPrepared(contender, batch, expected)
  const [cpuAfter, databaseAfter] = [await contender.cpu(), await databaseCpu(database)]
  return {
    perSecond: batch.count / result.seconds,
    medianMs: result.medianMs,
    p99Ms: result.p99Ms,
    serverCpu: ((cpuAfter - cpu) * 1000) / batch.count,
    databaseCpu:
      databaseAfter === null || databaseTime === null
        ? null
        : ((databaseAfter - databaseTime) * 1000) / batch.count,
  }
}

async function runWorkload(workload: Workload): Promise<void> {
  const starts = await Promise.allSettled(workload.contenders(field))
  const contenders = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  try {
    for (const start of starts) if (start.status === 'rejected') throw start.reason
    const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]))
    const answers: string[] = []
    for (const contender of contenders) {
      const batch = workload.batch('warm', Math.ceil(workload.count / 2))
      answers.push((await sendBatch(contender, batch, workload.expect)).sample)
    }
    refuseDifferent(answers)
    for (let round = 0; round < Number(values.rounds); round++) {
      // Whoever starts a round is another one each time.
      const turn = round % contenders.length
      for (const contender of [...contenders.slice(turn), ...contenders.slice(0, turn)]) {
        const batch = workload.batch(String(round), workload.count)
        samples.get(contender.name)?.push(await measure(contender, batch, workload.expect))
      }
    }
    if (workload.expect === 201) await refuseIncomplete(workload, contenders)
    print(workload.title, samples)
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()))
    await dropDatabases()
  }
}

/** All contenders answer with the same fields, or they do not do the same. */
function refuseDifferent(answers: string[]): void {
  const shapes = answers.map((answer) => Object.keys(JSON.parse(answer)).join())
  if (new Set(shapes).size > 1) throw new Error(`the answers differ: ${answers.join('\n')}`)
}

async function refuseIncomplete(workload: Workload, contenders: Contender[]): Promise<void> {
  const expected = Number(values.rounds) * workload.count + Math.ceil(workload.count / 2)
  for (const { name, database } of contenders) {
    const counts = await countSales(database)
    if (counts.some((count) => count !== expected)) {
      throw new Error(`${name} left ${counts.join(', ')} records of ${expected} sales`)
    }
  }
}

function print(title: string, samples: Map<string, Sample[]>): void {
  const bare = samples.get('bare') ?? []
  const lines = [...samples].map(([name, own]) => {
    const of = (value: (sample: Sample) => number) => median(own.map(value))
    const ratio = median(
      own.map((sample, index) => sample.perSecond / (bare[index]?.perSecond ?? 0)),
    )
    return [
      name,
      of((sample) => sample.perSecond).toFixed(0),
      of((sample) => sample.medianMs).toFixed(1),
      of((sample) => sample.p99Ms).toFixed(1),
      of((sample) => sample.serverCpu).toFixed(0),
      own.some((sample) => sample.databaseCpu === null)
        ? '-'
        : of((sample) => sample.databaseCpu ?? 0).toFixed(0),
      ratio.toFixed(2),
    ]
  })
  const head = ['', 'req/s', 'p50 ms', 'p99 ms', 'server us', 'database us', 'of bare']
  console.log(`\n${title}`)
  for (const line of [head, ...lines]) {
    console.log(
      line.map((cell, index) => (index === 0 ? cell.padEnd(16) : cell.padStart(13))).join(''),
    )
  }
}

if (values.help) {
  console.log(USAGE)
  load.kill()
} else if (values.only === 'listings') {
  try {
    await runMarket(field, {
      rounds: Number(values.rounds),
      pages: Number(values.pages),
      depth: Number(values.depth),
      connections: Number(values.connections),
      send: (contender, batch) => sendBatch(contender, batch, 200),
    })
  } finally {
    load.kill()
  }
} else if (values.only === 'search') {
  try {
    await runSearch(field, {
      rounds: Number(values.rounds),
      names: Number(values.names),
      reads: Number(values.reads),
      connections: Number(values.connections),
      async send(contender, batch, inFlight) {
        await tell({ prepare: batch })
        return (await tell({ go: { port: contender.port, inFlight } })) as LoadResult
      },
    })
  } finally {
    load.kill()
  }
} else {
  const chosen = WORKLOADS.filter(({ name }) => !values.only || name === values.only)
  if (chosen.length === 0) throw new Error(USAGE)
  console.log(
    `Median of ${values.rounds} rounds, ${values['in-flight']} requests in flight; CPU time per request in microseconds`,
  )
  try {
    for (const workload of chosen) await runWorkload(workload)
  } finally {
    load.kill()
  }
}

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bulk } from './bulk.ts'
import { commissions } from './commissions.ts'
import { makeCredentials } from './databases.ts'
import { deliveries } from './deliveries.ts'
import { imports } from './import.ts'
import { landers } from './landers.ts'
import { listings } from './market.ts'
import { Load } from './measure.ts'
import { ownership } from './ownership.ts'
import { pages } from './pages.ts'
import { orders, reads } from './partner.ts'
import { search } from './search.ts'
import type { Suite } from './suite.ts'
import { tokens } from './tokens.ts'

const SUITES: Record<string, Suite> = {
  reads,
  listings,
  orders,
  search,
  tokens,
  deliveries,
  imports,
  commissions,
  bulk,
  pages,
  ownership,
  landers,
}

const USAGE = `npm run bench -- [options]

Measures the service beside bare servers that do the same work with the least code, round by round in
turn, prints what it found and keeps it in bench/results/. DATABASE_URL names a PostgreSQL server, on this
machine if the database's CPU is to be counted; databases are made on it and dropped again.

  --only <names>      some of ${Object.keys(SUITES).join(', ')}; default all
  --rounds <n>        rounds, each with every contender in turn; default 5
  --sizes <n,n>       listings that reads are measured over; default 10000,1000000
  --requests <n>      requests to a contender in a round, fewer of what costs more; default 20000
  --in-flight <n>     requests under way at once; default 32
  --partners <n>      partners that share the load; default 8
  --connections <n>   pipelined connections of the bare servers for reads; default 8
  --sale-connections <n>  the same for orders; default 32
  --against <folder>  another checkout of the service with the same migrations, measured alongside`

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(SUITES).join() },
    rounds: { type: 'string', default: '5' },
    sizes: { type: 'string', default: '10000,1000000' },
    requests: { type: 'string', default: '20000' },
    'in-flight': { type: 'string', default: '32' },
    partners: { type: 'string', default: '8' },
    connections: { type: 'string', default: '8' },
    'sale-connections': { type: 'string', default: '32' },
    against: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean' },
  },
})

const chosen = values.only.split(',').map((name) => SUITES[name])
if (values.help || chosen.includes(undefined)) {
  console.log(USAGE)
} else {
  const sizes = values.sizes.split(',').map(Number)
  const bench = {
    field: {
      serverUrl: process.env.DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres',
      listings: sizes[0] ?? 0,
      credentials: makeCredentials(Number(values.partners)),
    },
    load: new Load(),
    options: {
      rounds: Number(values.rounds),
      inFlight: Number(values['in-flight']),
      requests: Number(values.requests),
      sizes,
      connections: Number(values.connections),
      saleConnections: Number(values['sale-connections']),
    },
    against: values.against.map((folder) => resolve(folder)),
  }
  try {
    for (const suite of chosen) await suite?.(bench)
  } finally {
    bench.load.stop()
  }
}

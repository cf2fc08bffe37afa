import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { request } from 'undici'
import {
  ADMIN_TOKEN,
  type Contender,
  ROOT,
  startBareServer,
  startService,
  withContenders,
} from './contenders.ts'
import { databaseCpu } from './databases.ts'
import type { Measured } from './measure.ts'
import { linesOf, report } from './report.ts'
import type { Suite } from './suite.ts'

/** An operator's import of names, as a file, beside COPY into the same table with the same indexes. */
export const imports: Suite = async ({ field, options }) => {
  const count = options.requests * 2
  const files = await csvFiles(options.rounds + 1, count)
  const starting = [
    startBareServer('bare', 'bare-market.ts', {}, field),
    startService('ours', ROOT, field),
  ]
  await withContenders(starting, async (contenders) => {
    const measured = contenders.map(
      (contender): Measured => ({
        workload: 'import of a name',
        who: contender.name,
        size: count,
        contender,
        batch: () => ({ kind: 'verbatim', count, requests: [] }),
        expect: 200,
        samples: [],
      }),
    )
    for (const [round, file] of files.entries()) {
      for (const { contender, samples } of round % 2 === 0 ? measured : measured.toReversed()) {
        const { database } = contender
        await database.client.query('checkpoint')
        const cpu = await contender.cpu()
        const databaseTime = await databaseCpu(database, true)
        const start = performance.now()
        await (contender.name === 'bare' ? copy(contender, file) : send(contender, file, count))
        const seconds = (performance.now() - start) / 1000
        const databaseAfter = await databaseCpu(database, true)
        if (round === 0) continue
        samples.push({
          perSecond: count / seconds,
          medianMs: seconds * 1000,
          p99Ms: seconds * 1000,
          serverCpu: (((await contender.cpu()) - cpu) * 1000) / count,
          // An import of ours has a connection of its own, which is gone when it could be asked.
          databaseCpu:
            contender.name === 'ours' || databaseTime === null || databaseAfter === null
              ? null
              : ((databaseAfter - databaseTime) * 1000) / count,
        })
      }
    }
    const title = `Import of ${count} names, which are split into words and searchable after it: bare is \\copy`
    report('import', title, linesOf(measured))
  })
}

/** Header and lines, for each round other names. */
async function csvFiles(rounds: number, count: number): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-names-'))
  const file = join(folder, 'names.csv')
  const script = join(ROOT, 'bench/search/make-names.ts')
  const options = ['--count', String(rounds * count), '--out', file, '--csv', '--seed', '7']
  execFileSync(process.execPath, ['--import', 'tsx', script, ...options])
  const [head = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n')
  await rm(folder, { recursive: true })
  return Array.from(
    { length: rounds },
    (_, round) => `${[head, ...lines.slice(round * count, (round + 1) * count)].join('\n')}\n`,
  )
}

/** Imports a file of names through the admin API, and returns how many seconds that took. */
export async function send(
  { port }: Contender,
  file: string | Readable,
  count: number,
): Promise<number> {
  const start = performance.now()
  const response = await request(
    `http://127.0.0.1:${port}/api/admin/v1/listings/import?environment=live`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' },
      body: file,
      headersTimeout: 0,
      bodyTimeout: 0,
    },
  )
  const last = (await response.body.text()).trim().split('\n').at(-1) ?? ''
  if (!last.includes(`"imported":${count}`)) throw new Error(`not all imported: ${last}`)
  return (performance.now() - start) / 1000
}

async function copy({ database }: Contender, file: string): Promise<void> {
  const [, ...lines] = file.trim().split('\n')
  const listedAt = new Date().toISOString()
  const rows = lines.map((line) => {
    const [domain = '', price, floor, currency] = line.split(',')
    const [label = '', ...tld] = domain.split('.')
    const values = ['live', domain, label, tld.join('.'), price, floor || price, currency || 'USD']
    return `${[...values, 'listed', '{}', listedAt, listedAt].join('\t')}\n`
  })
  const into = `copy listings (environment, domain, label, tld, price_cents, floor_price_cents, currency,
    status, metadata, listed_at, updated_at) from stdin`
  await pipeline(Readable.from([rows.join('')]), database.client.query(copyFrom(into)))
}

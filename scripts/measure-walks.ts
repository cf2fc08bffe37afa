import { Session } from 'node:inspector/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { prepareTemplate } from '../test/support/database.ts'
import { freshName, must } from '../test/support/market.ts'
import { Operator } from '../test/support/operator.ts'
import { orderBody, quote } from '../test/support/sale.ts'
import { startService } from '../test/support/service.ts'

/**
 * Prints which files of `src` a request enters: those with a function that V8 counts during the walk, less those
 * that are entered while the service idles. `npm run walks`; with `--files` it lists them.
 */

const SOURCE = fileURLToPath(new URL('../src/', import.meta.url))
const IDLE_MS = 6_000

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** The files entered since this was last asked. */
async function entered(): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const files = result
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => (url.startsWith('file:') ? fileURLToPath(url) : ''))
  return new Set(
    files.filter((file) => file.startsWith(SOURCE)).map((file) => file.slice(SOURCE.length)),
  )
}

await prepareTemplate()
const service = await startService()
const partner = await service.partner()
const operator = await Operator.enter(service)
let order = {}

const post = (target: string, body: object) =>
  service.send({
    method: 'POST',
    target,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

interface Walk {
  name: string
  before?(): Promise<void>
  run(): Promise<unknown>
}

const WALKS: Walk[] = [
  { name: 'signed GET', run: async () => must(await partner.get('/domains/petpantry.test'), 200) },
  {
    name: 'POST /orders',
    async before() {
      order = orderBody(await quote(partner, await freshName(service)))
    },
    run: async () => must(await partner.post('/orders', order), 201),
  },
  { name: 'public search', run: () => post('/api/domain/search', { q: 'petpantry.com' }) },
  { name: 'console list', run: () => operator.visit('/operator/orders?environment=sandbox') },
]

for (const { name, before, run } of WALKS) {
  // Once to fill what is kept between requests.
  await before?.()
  await run()
  await before?.()
  await sleep(1_000)
  await entered()
  await sleep(IDLE_MS)
  const idle = await entered()
  await run()
  const files = [...(await entered())].filter((file) => !idle.has(file)).toSorted()
  process.stdout.write(`${name}: ${files.length} files\n`)
  if (process.argv.includes('--files'))
    for (const file of files) process.stdout.write(`  ${file}\n`)
}
await service.stop()
process.exit()

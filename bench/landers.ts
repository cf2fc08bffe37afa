import { Agent, request } from 'node:http'
import { mean, quantile } from 'd3-array'
import { type Contender, ROOT, startService, withContenders } from './contenders.ts'
import { send } from './import.ts'
import { type Line, report } from './report.ts'
import type { Suite } from './suite.ts'
import { median } from './workload.ts'

const HOSTS = 10_000
const AT_ONCE = 8

/** Landers at ten thousand hosts, each asked once a round in turn with the page that the market has of the name. */
export const landers: Suite = async ({ field, options: { rounds } }) => {
  const names = Array.from({ length: HOSTS }, (_, index) => `lander-${index}.com`)
  const rows = names.map((name, index) => `${name},${10_000 + index},10000,USD\n`)
  const csv = `domain,price_cents,floor_price_cents,currency\n${rows.join('')}`
  await withContenders([startService('ours', ROOT, { ...field, listings: 0 })], async ([ours]) => {
    if (!ours) throw new Error('no service')
    await send(ours, csv, HOSTS)
    await ours.database.client.query('vacuum analyze')
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
    const kinds = {
      'page of a name': (name: string) => read(ours, agent, `/d/${name}`, 'localhost'),
      lander: (name: string) => read(ours, agent, '/', name),
    }
    const took: Record<string, number[]> = {}
    for (let round = 0; round <= rounds; round += 1) {
      for (let from = 0; from < HOSTS; from += 500) {
        for (const [kind, ask] of Object.entries(kinds)) {
          const times = await timed(names.slice(from, from + 500), ask)
          // The first round warms up.
          if (round > 0) (took[kind] ??= []).push(...times)
        }
      }
    }
    agent.destroy()
    report('landers', `Landers at ${HOSTS} hosts, ${AT_ONCE} at once`, lines(took))
  })
}

/** Milliseconds of each, so many under way at once. */
async function timed(names: string[], ask: (name: string) => Promise<void>): Promise<number[]> {
  const waiting = [...names]
  const times: number[] = []
  const work = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const start = performance.now()
      await ask(name)
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return times
}

async function read({ port }: Contender, agent: Agent, path: string, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const asked = request(
      { port, agent, path, host: '127.0.0.1', headers: { host } },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`${host}${path}: ${response.statusCode}`))
        response.resume().on('end', resolve)
      },
    )
    asked.on('error', reject).end()
  })
}

/** `growth` is the time of a lander, of that of the page. */
function lines(took: Record<string, number[]>): Line[] {
  const page = median(took['page of a name'] ?? [])
  return Object.entries(took).map(([workload, times]) => ({
    workload,
    who: 'ours',
    rows: HOSTS,
    perSecond: (AT_ONCE * 1000) / (mean(times) ?? 1),
    medianMs: median(times),
    p99Ms: quantile(times, 0.99) ?? null,
    serverUs: null,
    databaseUs: null,
    ofBare: null,
    ofBareByCpu: null,
    growth: workload === 'lander' ? median(times) / page : null,
  }))
}

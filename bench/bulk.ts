import pLimit from 'p-limit'
import { ADMIN_TOKEN, type Contender, ROOT, startService, withContenders } from './contenders.ts'
import { type Line, report } from './report.ts'
import type { Suite } from './suite.ts'
import { median } from './workload.ts'

const NAMES = 1_000
const EMAIL = 'owner@example.com'

/** Operations in the order in which a round makes them, so that each finds something to do. */
const OPS: [op: string, params: object][] = [
  ['lock', {}],
  ['set_auto_renew', { enabled: true }],
  ['set_nameservers', { nameservers: ['ns1.example.com', 'ns2.example.com'] }],
  ['list_for_sale', { price_cents: 10_000 }],
  ['set_price', { price_cents: 20_000 }],
  ['delist', {}],
]

/** 1,000 names of one owner: changed in one call, and in a call a name, so many of them at once. */
export const bulk: Suite = async ({ field, options: { rounds, inFlight } }) => {
  await withContenders([startService('ours', ROOT, field)], async ([service]) => {
    if (!service) return
    const domains = Array.from({ length: NAMES }, (_, index) => `bench-${index}.com`)
    const token = await makeOwner(service, domains)
    const limit = pLimit(inFlight)
    const lines: Line[] = []
    for (const [op, params] of OPS) {
      const whole: number[] = []
      const single: number[] = []
      const relist = async () => {
        if (op === 'delist') {
          await change(service, token, 'list_for_sale', domains, { price_cents: 1 })
        }
      }
      for (let round = 0; round < rounds; round++) {
        whole.push(await timed(() => change(service, token, op, domains, params)))
        await relist()
        single.push(
          await timed(() =>
            Promise.all(
              domains.map((domain) => limit(() => change(service, token, op, [domain], params))),
            ),
          ),
        )
        await relist()
      }
      lines.push(lineOf(op, 'one call', whole), lineOf(op, 'a call a name', single))
    }
    report('bulk', `POST /api/domains/bulk/{op}: p50 and p99 are for all ${NAMES} names`, lines)
  })
}

function lineOf(workload: string, who: string, seconds: number[]): Line {
  return {
    workload,
    who,
    rows: NAMES,
    perSecond: NAMES / median(seconds),
    medianMs: median(seconds) * 1000,
    p99Ms: Math.max(...seconds) * 1000,
    serverUs: null,
    databaseUs: null,
    ofBare: null,
    ofBareByCpu: null,
    growth: null,
  }
}

async function makeOwner(service: Contender, domains: string[]): Promise<string> {
  await admin(service, '/users', { email: EMAIL, password: 'long enough', domains })
  const { token } = await admin(service, '/user-tokens', { email: EMAIL })
  return String(token)
}

async function admin({ port }: Contender, path: string, body: object) {
  const response = await fetch(`http://127.0.0.1:${port}/api/admin/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) throw new Error(await response.text())
  return (await response.json()) as Record<string, unknown>
}

async function change(
  { port }: Contender,
  token: string,
  op: string,
  domains: string[],
  params: object,
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/domains/bulk/${op}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ domains, params }),
  })
  const text = await response.text()
  if (response.status !== 200 || !text.includes(`"succeeded":${domains.length},`)) {
    throw new Error(text.slice(0, 500))
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}

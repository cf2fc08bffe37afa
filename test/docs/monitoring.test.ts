import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { kindsOf } from '../../src/http/admin/overview.ts'
import { freshName, operate } from '../support/market.ts'
import { sold } from '../support/sale.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

const FOLDER = new URL('../../deploy/monitoring/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8')

/** Each expression of the alert rules and of the dashboard, with where it is. */
const EXPRESSIONS: [string, string][] = [
  ...parse(read('alerts.yaml')).groups.flatMap(({ rules }: { rules: Rule[] }) =>
    rules.map(({ alert, record, expr }): [string, string] => [alert ?? record ?? '', expr]),
  ),
  ...JSON.parse(read('dashboard.json')).panels.flatMap(({ title, targets }: Panel) =>
    targets.map(({ expr }) => [title, expr]),
  ),
]

interface Rule {
  alert?: string
  record?: string
  expr: string
}

interface Panel {
  title: string
  targets: { expr: string }[]
}

/** What PromQL itself has, and what Prometheus adds. */
const NOT_OURS =
  /^(?:absent|up|max|sum|by|and|or|le|rate|increase|delta|last_over_time|topk|histogram_quantile|job|instance|status|state|kind|result|operation|environment)$/
/** What a rule records for others. */
const RECORDED = 'job:operator_tasks:max'

let service: TestService
let metrics: string
beforeAll(async () => {
  service = await startService()
  metrics = await figures()
})
afterAll(() => service.stop())

test.each(EXPRESSIONS)('%s: %s names metrics that the service has', (_where, expr) => {
  const bare = bareOf(expr).replaceAll(RECORDED, '')
  const names = (bare.match(/[a-z]\w*/g) ?? []).filter((name) => !NOT_OURS.test(name))
  for (const name of names) {
    const family = name.replace(/_(?:bucket|count|sum)$/, '')
    expect(metrics).toMatch(new RegExp(`^# TYPE (?:${name}|${family}) `, 'm'))
  }
})

/** Without the values of labels, and without spans of time. */
function bareOf(expr: string): string {
  return expr.replace(/"[^"]*"/g, '""').replace(/\[\w+\]/g, '')
}

test.each(EXPRESSIONS)('%s: %s is about the instances of one installation', (_where, expr) => {
  const selected = expr.match(/\{job="(?:marketplace|\$job)"/g) ?? []
  const series = bareOf(expr).match(/\b(?:up|\w+_\w+|job:[\w:]+)\b(?=\{| |\)|$)/g) ?? []
  const named = series.filter((name) => name === 'up' || !NOT_OURS.test(name))
  expect(selected.length).toBeGreaterThan(0)
  expect(selected).toHaveLength(named.length)
})

async function figures(): Promise<string> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  return (await service.send({ method: 'GET', target: '/metrics', headers })).text
}

test('alerts are about kinds of tasks that are counted', () => {
  const kinds = EXPRESSIONS.flatMap(([, expr]) => [...expr.matchAll(/kind="(\w+)"/g)])
  expect(kinds.length).toBeGreaterThan(5)
  for (const [, kind] of kinds) expect(metrics).toContain(`kind="${kind}"`)
})

test('each kind is explained, with the rule that there is for it, or with why there is none', () => {
  const operating = readFileSync(new URL('../../docs/OPERATING.md', import.meta.url), 'utf8')
  const [, table = ''] = /\| kind \|(.*?)\n\n/s.exec(operating) ?? []
  const rows = [...table.matchAll(/^\| `(\w+)`( \*)? \| [^|]+ \| (?:`(\w+)`|none)[^|]*\|$/gm)]
  const ruled = new Map(
    EXPRESSIONS.flatMap(([alert, expr]) =>
      [...expr.matchAll(/kind="(\w+)"/g)].map(([, kind]) => [kind, alert] as const),
    ),
  )
  const kinds = kindsOf('live')
  expect(new Set(rows.map(([, kind]) => kind))).toEqual(new Set(kinds))
  expect(rows).toHaveLength(kinds.length)
  const sandbox = kindsOf('sandbox')
  for (const [, kind, ofBoth, rule] of rows) {
    expect(ruled.get(kind), kind).toBe(rule)
    expect(ofBoth === undefined, kind).toBe(sandbox.some((other) => other === kind))
  }
})

test('an alert tells of a paid order whose transfer nobody has started, and of none that waits for its buyer', async () => {
  const kinds = parse(read('alerts.yaml')).groups.flatMap(({ rules }: { rules: Rule[] }) =>
    rules.map(({ expr }) => /kind="(\w+)"/.exec(expr)?.[1]),
  )
  const alerting = async () => {
    const waiting = /^operator_tasks\{environment="sandbox",kind="(\w+)"\} [^0]/gm
    const found = [...(await figures()).matchAll(waiting)].map(([, kind]) => kind)
    return found.filter((kind) => kinds.includes(kind))
  }
  const client = await service.partner()
  const { public_id } = await sold(client, await freshName(service))
  expect(await alerting()).toEqual(['to_start'])
  await operate(service, public_id, 'start')
  expect(await alerting()).toEqual([])
  await operate(service, public_id, 'action-required')
  expect(await alerting()).toEqual([])
})

test('Prometheus takes the rules', ({ skip }) => {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' })
  } catch {
    skip('promtool is not installed')
  }
  const file = fileURLToPath(new URL('alerts.yaml', FOLDER))
  expect(execFileSync('promtool', ['check', 'rules', file]).toString()).toContain('SUCCESS')
})

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { freshName, operate } from '../support/market.ts'
import { sold } from '../support/sale.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

const FOLDER = new URL('../../deploy/monitoring/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8')

/** Each expression of the alert rules and of the dashboard, with where it is. */
const EXPRESSIONS: [string, string][] = [
  ...parse(read('alerts.yaml')).groups.flatMap(({ rules }: { rules: Rule[] }) =>
    rules.map(({ alert, expr }) => [alert, expr]),
  ),
  ...JSON.parse(read('dashboard.json')).panels.flatMap(({ title, targets }: Panel) =>
    targets.map(({ expr }) => [title, expr]),
  ),
]

interface Rule {
  alert: string
  expr: string
}

interface Panel {
  title: string
  targets: { expr: string }[]
}

/** What PromQL itself has, and what Prometheus adds. */
const NOT_OURS =
  /^(?:absent|up|min|max|sum|by|le|rate|topk|histogram_quantile|job|instance|status|kind|result|operation|environment)$/

let service: TestService
let metrics: string
beforeAll(async () => {
  service = await startService()
  metrics = await figures()
})
afterAll(() => service.stop())

test.each(EXPRESSIONS)('%s: %s names metrics that the service has', (_where, expr) => {
  const bare = expr.replace(/"[^"]*"/g, '').replace(/\[\w+\]/g, '')
  const names = (bare.match(/[a-z]\w*/g) ?? []).filter((name) => !NOT_OURS.test(name))
  for (const name of names) {
    const family = name.replace(/_(?:bucket|count|sum)$/, '')
    expect(metrics).toMatch(new RegExp(`^# TYPE (?:${name}|${family}) `, 'm'))
  }
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

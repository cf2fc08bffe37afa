import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { CronJob } from 'kubernetes-models/batch/v1/CronJob'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Service } from 'kubernetes-models/v1/Service'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readSettings } from '../../src/core/settings.ts'
import { helm } from './tools.ts'

const run = promisify(execFile)
const CHART = fileURLToPath(new URL('../../deploy/helm', import.meta.url))
/** What an installation has to set. */
const NEEDED = [
  '--set',
  'settings.BASE_URL=https://market.example',
  '--set',
  'settings.TRUSTED_PROXIES=192.0.2.0/28',
]
const ALL = [
  'monitoring.enabled=true',
  'networkPolicy.enabled=true',
  'backup.enabled=true',
  'files.configMap=files',
]

interface Manifest {
  kind: string
  metadata: { name: string; labels?: Record<string, string> }
  spec: any
  data?: Record<string, string>
}

type Named = { name: string }

let program: string
beforeAll(async () => {
  program = await helm()
}, 120_000)

async function template(...values: string[]): Promise<Manifest[]> {
  const sets = values.flatMap((value) => ['--set', value])
  const { stdout } = await run(program, ['template', 'market', CHART, ...NEEDED, ...sets])
  return parseAllDocuments(stdout).map((document) => document.toJS())
}

const only = (manifests: Manifest[], kind: string, name = 'market') => {
  const found = manifests.filter((one) => one.kind === kind && one.metadata.name === name)
  expect(found.length, `${kind} ${name}`).toBe(1)
  return found[0] as Manifest
}

describe('deploy/helm', () => {
  test('is without fault to helm lint', async () => {
    const { stdout } = await run(program, ['lint', '--strict', CHART, ...NEEDED])
    expect(stdout).toContain('0 chart(s) failed')
  })

  test('has the kinds of an installation, and more where they are asked for', async () => {
    const kinds = (manifests: Manifest[]) =>
      [...new Set(manifests.map(({ kind }) => kind))].toSorted()
    const standard = [
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'PodDisruptionBudget',
      'Service',
    ]
    expect(kinds(await template())).toEqual(standard)
    const more = ['ConfigMap', 'CronJob', 'NetworkPolicy', 'PrometheusRule', 'ServiceMonitor']
    expect(kinds(await template(...ALL))).toEqual([...standard, ...more].toSorted())
    const least = await template('autoscaling.enabled=false', 'ingress.enabled=false')
    expect(kinds(least)).toEqual(['Deployment', 'PodDisruptionBudget', 'Service'])
    expect(only(least, 'Deployment').spec.replicas).toBe(2)
  })

  test.each(
    Object.entries({
      ConfigMap,
      CronJob,
      Deployment,
      HorizontalPodAutoscaler,
      Ingress,
      NetworkPolicy,
      PodDisruptionBudget,
      Service,
    }),
  )('has a %s that its schema allows', async (kind, Model) => {
    const manifests = (await template(...ALL)).filter((one) => one.kind === kind)
    expect(manifests.length).toBeGreaterThan(0)
    for (const manifest of manifests) {
      expect(() => new Model(manifest as never).validate()).not.toThrow()
      const wrong = kind === 'ConfigMap' ? { data: 'nothing' } : { spec: 'nothing' }
      expect(() => new Model({ ...manifest, ...wrong } as never).validate()).toThrow()
    }
  })

  test('sets what the service takes, on the port that it exposes', async () => {
    const { containers } = only(await template(), 'Deployment').spec.template.spec
    const [{ env, envFrom, ports }] = containers
    const settings = Object.fromEntries(
      env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    )
    const admin = { port: 3001, host: 'localhost' }
    expect(readSettings(settings)).toMatchObject({ port: 3000, drainMs: 5000, admin })
    expect(envFrom).toEqual([{ secretRef: { name: 'marketplace' } }])
    expect(ports[0].containerPort).toBe(3000)
  })

  test('takes numbers and booleans, as --set and YAML read them', async () => {
    const given = [
      'REVIEW_OVER_CENTS=5000000',
      'OTEL_TRACES_SAMPLER_ARG=0.25',
      'PAGE_PRICES=masked',
      'ALERT_SANDBOX=true',
      'DEMO_PARTNER=false',
    ]
    const manifests = await template(...given.map((one) => `settings.${one}`))
    const { env } = only(manifests, 'Deployment').spec.template.spec.containers[0]
    const settings = Object.fromEntries(
      env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    )
    expect(settings).toMatchObject({
      REVIEW_OVER_CENTS: '5000000',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      PAGE_PRICES: 'masked',
      ALERT_SANDBOX: 'on',
      DEMO_PARTNER: 'off',
    })
    // From a file, numbers come as floating point ones.
    const number = ['--set-json', 'settings.REVIEW_OVER_CENTS=5000000']
    const { stdout } = await run(program, ['template', CHART, ...NEEDED, ...number])
    expect(stdout).toContain('{ name: REVIEW_OVER_CENTS, value: "5000000" }')
  })

  test('ends a backup that hangs, with resources and a way to restore one', async () => {
    const { spec } = only(await template(...ALL), 'CronJob', 'market-backup').spec.jobTemplate
    expect(spec.activeDeadlineSeconds).toBe(21_600)
    const [container] = spec.template.spec.containers
    expect(container.resources).toMatchObject({
      requests: { memory: '128Mi' },
      limits: { memory: '512Mi' },
    })
    const operating = await readFile(new URL('../../docs/OPERATING.md', import.meta.url), 'utf8')
    const [, filter = ''] = /^ {2}jq '([^']+)'/m.exec(operating) ?? []
    // What the documented filter changes.
    expect(filter).toContain('.command = ["sh", "/scripts/restore.sh", "/backups/FILE"]')
    expect(filter).toContain('.envFrom[0].secretRef.name = ')
    expect(container.command).toEqual(['sh', '/scripts/backup.sh'])
    expect(container.envFrom).toEqual([{ secretRef: { name: 'marketplace-backup' } }])
  })

  test('lets imports through ingress-nginx', async () => {
    const { annotations } = only(await template(), 'Ingress').metadata as Manifest['metadata'] & {
      annotations: Record<string, string>
    }
    const prefix = 'nginx.ingress.kubernetes.io/proxy'
    expect(Number.parseInt(annotations[`${prefix}-body-size`] ?? '', 10)).toBeGreaterThan(256)
    expect(Number(annotations[`${prefix}-read-timeout`])).toBe(600)
  })

  test('mounts the files that settings name, where a ConfigMap or a Secret has them', async () => {
    const mounted = async (...values: string[]) => {
      const { containers, volumes } = only(await template(...values), 'Deployment').spec.template
        .spec
      const mount = containers[0].volumeMounts.find(({ name }: Named) => name === 'files')
      return { mount, volume: volumes.find(({ name }: Named) => name === 'files') }
    }
    expect(await mounted()).toEqual({ mount: undefined, volume: undefined })
    const [configMap, secret] = [{ name: 'pages' }, { name: 'database-ca' }]
    const mount = { name: 'files', mountPath: '/files', readOnly: true }
    expect(await mounted('files.configMap=pages', 'files.secret=database-ca')).toEqual({
      mount,
      volume: { name: 'files', projected: { sources: [{ configMap }, { secret }] } },
    })
    expect(await mounted('files.secret=database-ca')).toEqual({
      mount,
      volume: { name: 'files', projected: { sources: [{ secret }] } },
    })
  })

  test('publishes all but what is for operators, which goes to a Service of no pods', async () => {
    const manifests = await template('settings.BASE_URL=https://shop.example:8443')
    const ingress = only(manifests, 'Ingress').spec
    expect(ingress.tls[0].hosts).toEqual(['shop.example'])
    const { host, http } = ingress.rules[0]
    expect(host).toBe('shop.example')
    const backends = Object.fromEntries(
      http.paths.map((one: { path: string; backend: { service: { name: string } } }) => [
        one.path,
        only(manifests, 'Service', one.backend.service.name).spec.selector,
      ]),
    )
    expect(backends).toEqual({ '/': expect.anything(), '/metrics': undefined })
  })

  test('selects its pods, and no others', async () => {
    const manifests = await template(...ALL)
    const { labels } = only(manifests, 'Deployment').spec.template.metadata
    const selectors = [
      only(manifests, 'Deployment').spec.selector.matchLabels,
      only(manifests, 'Service').spec.selector,
      only(manifests, 'PodDisruptionBudget').spec.selector.matchLabels,
      only(manifests, 'NetworkPolicy').spec.podSelector.matchLabels,
    ]
    for (const selector of selectors) expect(labels).toMatchObject(selector)
    const backup = only(manifests, 'CronJob', 'market-backup').spec.jobTemplate.spec.template
    expect(backup.metadata?.labels).toBeUndefined()
    const monitored = only(manifests, 'ServiceMonitor').spec.selector.matchLabels
    const services = manifests.filter(({ kind }) => kind === 'Service')
    const seen = services.filter(({ metadata }) =>
      Object.entries(monitored).every(([name, value]) => metadata.labels?.[name] === value),
    )
    expect(seen.map(({ metadata }) => metadata.name)).toEqual(['market'])
  })

  test('ships the alert rules, for this release alone, and the backup that Compose has', async () => {
    const shipped = (file: string) =>
      readFile(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')
    const manifests = await template(...ALL)
    const rules = (await shipped('monitoring/alerts.yaml')).replaceAll(
      'job="marketplace"',
      'job="default/market"',
    )
    expect(only(manifests, 'PrometheusRule').spec).toEqual(parse(rules))
    const [{ relabelings }] = only(manifests, 'ServiceMonitor').spec.endpoints
    expect(relabelings).toEqual([{ targetLabel: 'job', replacement: 'default/market' }])
    const { data } = only(manifests, 'ConfigMap', 'market-backup')
    expect(data?.['backup.sh']).toBe(await shipped('backup/backup.sh'))
    expect(data?.['restore.sh']).toBe(await shipped('backup/restore.sh'))
  })

  test.each([
    'settings.BASE_ULR=x',
    'settings.BASE_URL=shop.example',
    'replicas=0',
    'secrets=x',
    // From nowhere would be from everywhere to Kubernetes.
    'networkPolicy.namespaces=null',
    'networkPolicy.namespaces=[]',
  ])('rejects %s', async (value) => {
    const kind = value.endsWith('[]') ? '--set-json' : '--set'
    const { stderr } = await run(program, ['template', CHART, ...NEEDED, kind, value]).catch(
      (error) => error,
    )
    expect(stderr).toContain("values don't meet the specifications of the schema")
  })

  test.each([
    ['PORT=8080', 'left to the chart'],
    ['HOST=0.0.0.0', 'left to the chart'],
    ['DATA_DIR=/tmp', 'left to the chart'],
    ['ADMIN_TOKEN=a', 'in the Secret that `secret` names'],
    ['SECRETS_KEY=a', 'in the Secret that `secret` names'],
    ['DATABASE_URL=postgres://a', 'in the Secret that `secret` names'],
  ])('says where else settings.%s belongs', async (value, place) => {
    const args = ['template', CHART, ...NEEDED, '--set', `settings.${value}`]
    const { stderr } = await run(program, args).catch((error) => error)
    expect(stderr).toContain(`at '/settings/${value.split('=')[0]}': value must be '${place}'`)
  })

  test('needs its address and its proxies', async () => {
    const { stderr } = await run(program, ['template', CHART]).catch((error) => error)
    expect(stderr).toContain("missing properties 'BASE_URL', 'TRUSTED_PROXIES'")
  })
})

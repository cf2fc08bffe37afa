import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../../src/core/contract.ts'
import { ERROR_STATUS } from '../../src/core/errors.ts'
import type { OpenApiDocument, OperationObject } from '../../src/http/openapi/document.ts'
import { inlined, type JsonSchema } from '../../src/http/openapi/schema.ts'
import { PARTNER_OPERATIONS } from '../../src/http/partner/operations.ts'
import { PUBLIC_OPERATIONS } from '../../src/http/public/operations.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const read = (target: string) => service.send({ method: 'GET', target })

const PARTNER_NAMES = [
  'Availability',
  'BrokerageCase',
  'BrokerageCaseSummary',
  'CheckoutSession',
  'DomainDetail',
  'Event',
  'Order',
  'Payout',
  'Quote',
  'ReferralLink',
  'Refund',
  'SearchResult',
  'Settlement',
  'SettlementLine',
  'Transaction',
  'WebhookDelivery',
  'WebhookEndpoint',
  'WebhookEvent',
]
const PUBLIC_NAMES = [
  'DomainResult',
  'Error',
  'Listing',
  'Page',
  'TldPrice',
  'TldRequirements',
  'WhoisRecord',
]

const operationsIn = (document: OpenApiDocument): OperationObject[] =>
  Object.values(inlined(document).paths).flatMap((methods) => Object.values(methods))

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

  test('says of every field what it means', async () => {
    const { body } = await read(path)
    const silent: string[] = []
    const look = (schema: JsonSchema | undefined, place: string): void => {
      for (const [name, field] of Object.entries(schema?.properties ?? {})) {
        if (!field.description) silent.push(`${place}.${name}`)
        look(field, `${place}.${name}`)
      }
      for (const part of [schema?.items, ...(schema?.anyOf ?? []), ...(schema?.oneOf ?? [])]) {
        if (part) look(part, place)
      }
    }
    for (const { operationId, parameters = [], requestBody, responses } of operationsIn(body)) {
      for (const { name, description } of parameters) {
        if (!description) silent.push(`${operationId} ${name}`)
      }
      look(requestBody?.content['application/json']?.schema, operationId)
      for (const { content } of Object.values(responses)) {
        look(content?.['application/json']?.schema, operationId)
      }
    }
    expect([...new Set(silent)]).toEqual([])
  })

  test('shows examples that the service itself would accept, and that agree with each other', async () => {
    const { body } = await read(path)
    const contracts = new Map<string, Contract>(
      (path.includes('partner') ? PARTNER_OPERATIONS : PUBLIC_OPERATIONS).map((one) => [
        one.name,
        one,
      ]),
    )
    for (const { operationId, parameters = [], requestBody, responses } of operationsIn(body)) {
      const contract = contracts.get(operationId)
      if (!contract) continue
      const sent: Record<string, unknown> = {
        ...Object.fromEntries(parameters.map(({ name, example }) => [name, example])),
        ...(requestBody?.content['application/json']?.example as object | undefined),
      }
      const returned = responses[contract.status]?.content?.['application/json']?.example
      expect(
        contract.input.safeParse(sent).error,
        `${operationId} ${JSON.stringify(sent)}`,
      ).toBeUndefined()
      expect(contract.output.safeParse(returned).error, operationId).toBeUndefined()
      // A case has no price yet when an offer is made.
      const echoed = Object.entries(returned as object).filter(
        ([name, value]) => value !== null && sent[name] !== undefined,
      )
      for (const [name, value] of echoed) {
        expect(value, `${operationId} ${name}`).toEqual(sent[name])
      }
      JSON.stringify(returned, (_, value) => {
        if (value?.amount_owed_cents !== undefined) {
          const { sale_price_cents, gross_sold_cents, commission_cents } = value
          const kept = commission_cents ?? value.commission_retained_cents
          expect(value.amount_owed_cents, operationId).toBe(
            (sale_price_cents ?? gross_sold_cents) - kept,
          )
        }
        return value
      })
    }
  })

  test('names what its operations return', async () => {
    const { body, text } = await read(path)
    for (const name of path.includes('partner') ? PARTNER_NAMES : PUBLIC_NAMES) {
      expect(body.components.schemas, name).toHaveProperty(name)
      expect(text).toContain(`{"$ref":"#/components/schemas/${name}"}`)
    }
    expect(text).not.toContain('$defs')
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

test('declares the challenge that comes with a missing scope', async () => {
  const { body } = await read('/openapi.json')
  const { headers } = body.paths['/api/agent/domains'].get.responses['403']
  expect(Object.keys(headers)).toContain('WWW-Authenticate')
})

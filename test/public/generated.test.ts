import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonSchema, OpenApiDocument } from '../../src/surfaces/openapi/document.ts'
import type { Answer } from '../support/client.ts'
import { startService, type TestService } from '../support/service.ts'

const REQUESTS = 5_000
const AT_ONCE = 16

let service: TestService
let document: OpenApiDocument
const validators = new Map<JsonSchema, ValidateFunction>()
beforeAll(async () => {
  service = await startService({ tokens: { good: 'usr_1' } })
  await service.list('live', 'petpantry.com,129900,,USD\ndogs.net,5000,,USD')
  const answer = await service.send({ method: 'GET', target: '/openapi.json' })
  document = answer.body
})
afterAll(() => service.stop())

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

function validatorOf(schema: JsonSchema): ValidateFunction {
  const known = validators.get(schema)
  if (known) return known
  const made = ajv.compile({ ...schema, components: document.components })
  validators.set(schema, made)
  return made
}

const text = fc.oneof(
  fc.constantFrom('petpantry.com', 'dogs', 'bücher.de', 'register', 'com', 'co.uk', '', ' ', '..'),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '\u0000',
    '\ud800',
    '%',
    '%zz',
    "'; drop table",
    '{}',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
)

/** Values of a schema. */
function valid(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valid))
  switch (schema.type) {
    case 'integer':
      return fc.integer({
        min: schema.minimum ?? -10,
        max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1),
      })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(valid(schema.items ?? {}), {
        minLength: Number(schema.minItems ?? 0),
        maxLength: Math.min(Number(schema.maxItems ?? 3), 4),
      })
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, part]) => [
            name,
            name === 'op' ? fc.oneof(fc.constantFrom(...names()), text) : valid(part),
          ]),
        ),
        { requiredKeys: schema.required ?? [] },
      )
    case 'string':
      return text
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

const names = () =>
  Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )

/** The same with something wrong in it, or something more. */
function mutated(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const odd = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text, fc.constantFrom(-0, 1e308, 1e-7, null))
  return fc.oneof(
    { weight: 3, arbitrary: value },
    { weight: 1, arbitrary: odd },
    {
      weight: 3,
      arbitrary: fc
        .tuple(value, fc.nat(5), odd, fc.boolean())
        .map(([whole, place, other, isRemoved]) => {
          if (typeof whole !== 'object' || whole === null) return other
          const keys = Object.keys(whole)
          const key = keys[place % Math.max(1, keys.length)] ?? 'more'
          const rest = Object.entries(whole).filter(([name]) => name !== key)
          return Object.fromEntries(isRemoved ? rest : [...rest, [key, other]])
        }),
    },
  )
}

interface Generated {
  path: string
  method: string
  target: string
  headers: Record<string, string>
  body: string | undefined
}

const headersOf = fc.record(
  {
    authorization: fc.constantFrom('Bearer good', 'Bearer good', 'Bearer bad', '', 'Basic eA=='),
    accept: fc.constantFrom('application/x-ndjson', 'text/csv', '*/*', 'application/json', ';;,'),
    'content-type': fc.constantFrom('application/json', 'text/plain', 'application/x+json', ';'),
    'idempotency-key': fc.constantFrom('one', 'two', 'three', '', 'not one'),
    origin: fc.constantFrom('https://page.example', 'null'),
  },
  { requiredKeys: [] },
)

function requests(): fc.Arbitrary<Generated> {
  const each = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { parameters = [], requestBody } = operation
      const inQuery = parameters.filter((parameter) => parameter.in === 'query')
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      const schema = requestBody?.content['application/json']?.schema
      const query = fc.record(
        Object.fromEntries(
          inQuery.map(({ name, schema }) => [name, fc.oneof(valid(schema), text)]),
        ),
        { requiredKeys: [] },
      )
      return fc
        .record({
          query,
          junk: fc.oneof({ weight: 9, arbitrary: fc.constant('') }, text),
          names: fc.array(text, { minLength: inPath.length, maxLength: inPath.length }),
          headers: fc.oneof(fc.constant({}), headersOf),
          body: schema
            ? fc.oneof(
                {
                  weight: 9,
                  arbitrary: mutated(valid(schema)).map((value) => JSON.stringify(value)),
                },
                { weight: 1, arbitrary: text },
              )
            : fc.constant(undefined),
        })
        .map(({ query, junk, names, headers, body }): Generated => {
          let filled = path
          for (const [index, { name }] of inPath.entries()) {
            filled = filled.replace(`{${name}}`, encoded(names[index] ?? ''))
          }
          const pairs = Object.entries(query).map(
            ([key, value]) => `${key}=${encoded(String(value))}`,
          )
          if (junk !== '') pairs.push(encoded(junk))
          const target = pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`
          return { path, method, target, headers, body }
        })
    }),
  )
  return fc.oneof(...each)
}

const encoded = (value: string) => encodeURIComponent(value.toWellFormed())

/** What is wrong with an answer; nothing, if it is one of those that the document declares. */
function objection({ path, method }: Generated, answer: Answer): string | null {
  const { status, headers, text: body } = answer
  if (status >= 500) return 'an error of ours'
  const operation = document.paths[path]?.[method]
  // An empty parameter makes another path, which nobody declared.
  if (status === 404 && answer.body?.error?.code === 'not_found') return null
  const declared = operation?.responses[status]
  if (!declared) return `an undeclared status ${status}`
  const type = headers['content-type']?.split(';')[0] ?? ''
  const schema = declared.content?.[type]?.schema
  if (!schema) return `an undeclared type ${type}`
  const values = type === 'application/x-ndjson' ? body.trim().split('\n') : [body]
  for (const value of values) {
    const validate = validatorOf(schema)
    if (!validate(JSON.parse(value))) return ajv.errorsText(validate.errors)
  }
  for (const name of ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining']) {
    if (headers[name] === undefined) return `no ${name}`
  }
  return null
}

test(`${REQUESTS} requests are answered as the document says`, { timeout: 180_000 }, async () => {
  const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31))
  const all = fc.sample(requests(), { numRuns: REQUESTS, seed })
  const statuses = new Map<number, number>()
  let next = 0
  const work = async () => {
    for (let request = all[next++]; request; request = all[next++]) {
      const answer = await service.send({
        method: request.method.toUpperCase(),
        target: request.target,
        headers: {
          ...(request.body !== undefined && { 'content-type': 'application/json' }),
          ...request.headers,
        },
        ...(request.body !== undefined && { body: request.body }),
      })
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      const wrong = objection(request, answer)
      expect(wrong, `seed ${seed}: ${JSON.stringify(request)} → ${answer.text}`).toBeNull()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  // Neither all good nor all bad, or it would show little.
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 10)
  expect(statuses.get(400)).toBeGreaterThan(REQUESTS / 10)
})

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenApiDocument } from '../../src/http/openapi/document.ts'
import type { JsonSchema } from '../../src/http/openapi/schema.ts'
import type { Result } from '../support/client.ts'
import { type Generated, requestsOf } from '../support/generated.ts'
import { startService, type TestService } from '../support/service.ts'

const REQUESTS = 5_000
const AT_ONCE = 16

let service: TestService
let document: OpenApiDocument
const validators = new Map<JsonSchema, ValidateFunction>()
beforeAll(async () => {
  service = await startService({ tokens: { good: 'usr_1' } })
  await service.list('live', 'petpantry.com,129900,,USD\ndogs.net,5000,,USD')
  const response = await service.send({ method: 'GET', target: '/openapi.json' })
  document = response.body
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

/** What is wrong with a response; nothing, if it is one of those that the document declares. */
function objection({ path, method }: Generated, response: Result): string | null {
  const { status, headers, text: body } = response
  if (status >= 500) return 'an error of ours'
  const operation = document.paths[path]?.[method.toLowerCase()]
  // An empty parameter makes another path, which nobody declared.
  if (status === 404 && response.body?.error?.code === 'not_found') return null
  const declared = operation?.responses[status]
  if (!declared) return `an undeclared status ${status}`
  const type = headers['content-type']?.split(';')[0] ?? ''
  const schema = declared.content?.[type]?.schema
  if (!schema) return `an undeclared type ${type}`
  const values = type === 'application/x-ndjson' ? body.trim().split('\n') : [body]
  for (const value of values) {
    const validate = validatorOf(schema)
    const read = type === 'text/csv' ? value : JSON.parse(value)
    if (!validate(read)) return ajv.errorsText(validate.errors)
  }
  for (const name of ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining']) {
    if (headers[name] === undefined) return `no ${name}`
  }
  return null
}

test(`${REQUESTS} requests get responses as the document has them`, {
  timeout: 180_000,
}, async () => {
  const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31))
  const all = fc.sample(requestsOf(document), { numRuns: REQUESTS, seed })
  const statuses = new Map<number, number>()
  let next = 0
  const work = async () => {
    for (let request = all[next++]; request; request = all[next++]) {
      const response = await service.send({
        method: request.method,
        target: request.target,
        headers: {
          ...(request.body !== undefined && { 'content-type': 'application/json' }),
          ...request.headers,
        },
        ...(request.body !== undefined && { body: request.body }),
      })
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      const wrong = objection(request, response)
      expect(wrong, `seed ${seed}: ${JSON.stringify(request)} → ${response.text}`).toBeNull()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  // Neither all good nor all bad, or it would show little; much of it is for users, and has no token.
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 20)
  expect(statuses.get(400)).toBeGreaterThan(REQUESTS / 10)
})

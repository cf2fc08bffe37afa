import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PUBLIC_OPERATIONS, TOOL_WRITES } from '../../src/http/public/operations.ts'
import { readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let client: Client
const anyone = readerOf(() => service)
beforeAll(async () => {
  service = await startService({ tokens: { good: 'usr_1' } })
  client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', service.baseUrl), {
      requestInit: { headers: { authorization: 'Bearer good' } },
    }),
  )
})
afterAll(async () => {
  await client.close()
  await service.stop()
})

interface Outcome {
  failed: boolean
  body: any
}

async function callTool(name: string, given: Record<string, unknown>): Promise<Outcome> {
  const { isError, content } = await client.callTool({ name, arguments: given })
  const [first] = content as { text: string }[]
  return { failed: isError === true, body: JSON.parse(first?.text ?? '') }
}

async function callInBatch(op: string, params: Record<string, unknown>): Promise<Outcome> {
  const { body } = await anyone.post(
    '/api/batch',
    { operations: [{ id: 'x', op, params }] },
    { authorization: 'Bearer good' },
  )
  const [result] = body.results
  return { failed: result.status >= 400, body: result.body }
}

test('a value nested as deep as can be is rejected under two names, and is no error of ours', async () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const given = `{"domain": ${deep}, "name": ${deep}}`
  const send = (target: string, body: string) =>
    service.send({
      method: 'POST',
      target,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: 'Bearer good',
      },
      body,
    })
  const batch = await send(
    '/api/batch',
    `{"operations": [{"id": "x", "op": "whois_lookup", "params": ${given}}]}`,
  )
  expect(batch.status).toBe(200)
  expect(batch.body.results).toMatchObject([
    {
      status: 400,
      body: {
        error: {
          code: 'validation_error',
          details: [{ field: 'name', issue: expect.stringContaining('differs from domain') }],
        },
      },
    },
  ])
  const call = `{"name": "whois_lookup", "arguments": ${given}}`
  const tool = await send(
    '/mcp',
    `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ${call}}`,
  )
  expect(tool.text).toContain('differs from domain')
  expect(tool.text).not.toContain('internal_error')
})

describe.each([
  ['an MCP tool', callTool],
  ['an entry of a batch', callInBatch],
])('the arguments of %s', (_where, call) => {
  test('are rejected by name where they are unknown', async () => {
    const { failed, body } = await call('tld_registration_price', { tld: 'ai', action: 'restore' })
    expect(failed).toBe(true)
    expect(body.error.code).toBe('validation_error')
    expect(body.error.details).toEqual([
      { field: 'action', issue: 'is not an argument of tld_registration_price: it takes tld, op' },
    ])
  })

  test('are all named where several are unknown, up to twenty', async () => {
    const two = await call('whois_lookup', { domain: 'acme.com', a: 1, b: 2 })
    expect(two.body.error.details.map(({ field }: { field: string }) => field)).toEqual(['a', 'b'])
    const given = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`x${index}`, 1]))
    expect((await call('whois_lookup', given)).body.error.details).toHaveLength(20)
  })

  test('show the beginning of a long unknown name', async () => {
    const { body } = await call('whois_lookup', { domain: 'acme.com', ['x'.repeat(5_000)]: 1 })
    expect(body.error.details[0].field.length).toBeLessThan(200)
  })

  test('are absent where they are null, unknown ones too', async () => {
    const given = { tld: 'com', op: null, operation: null, action: null }
    const { failed, body } = await call('tld_registration_price', given)
    expect(failed).toBe(false)
    expect(body).toMatchObject({ tld: 'com', op: 'register' })
  })

  test.each([
    ['tld_registration_price', { tld: 'com', operation: 'renew' }, { op: 'renew' }],
    ['search_domain', { domain: 'acme.com' }, { query: 'acme.com' }],
    ['search_domain', { name: 'acme.com' }, { query: 'acme.com' }],
    ['search_domain', { query: 'acme.com' }, { query: 'acme.com' }],
    ['whois_lookup', { name: 'acme.com' }, { domain: 'acme.com' }],
    ['whois_lookup', { q: 'acme.com' }, { domain: 'acme.com' }],
    ['whois_lookup', { query: 'acme.com' }, { domain: 'acme.com' }],
    ['list_listings', { query: 'pet', max_price_cents: 500_000 }, { page: { limit: 20 } }],
    ['search_domain', { q: 'acme.com', domain: 'acme.com' }, { query: 'acme.com' }],
  ])('of %s may have their other names: %j', async (op, given, expected) => {
    const { failed, body } = await call(op, given)
    expect(failed, JSON.stringify(body)).toBe(false)
    expect(body).toMatchObject(expected)
  })

  test('are rejected where two names for one differ', async () => {
    const ops = await call('tld_registration_price', {
      tld: 'com',
      op: 'renew',
      operation: 'restore',
    })
    expect(ops.body.error.code).toBe('validation_error')
    expect(ops.body.error.details).toEqual([
      { field: 'operation', issue: 'differs from op, which means the same: send op only' },
    ])
    const names = await call('search_domain', { domain: 'a.com', name: 'b.com' })
    expect(names.body.error.details).toEqual([
      { field: 'name', issue: 'differs from domain, which means the same: send q only' },
    ])
  })
})

test('a single call ignores fields that it does not know', async () => {
  const body = { domain: 'acme.com', name: 'other.com', x: 1 }
  const response = await anyone.post('/api/tools/whois', body)
  expect(response.status, response.text).toBe(200)
  expect(response.body.domain).toBe('acme.com')
})

test('the published schemas of arguments are closed, and show no other names', async () => {
  const { tools } = await client.listTools()
  const { body } = await anyone.get('/api/batch')
  const schemas = [
    ...tools.map(({ inputSchema }) => inputSchema),
    ...body.operations.map(({ params }: { params: object }) => params),
  ]
  expect(schemas).toHaveLength(2 * PUBLIC_OPERATIONS.length + TOOL_WRITES.length)
  for (const schema of schemas) expect(schema).toMatchObject({ additionalProperties: false })
  const price = tools.find(({ name }) => name === 'tld_registration_price')
  expect(Object.keys(price?.inputSchema.properties ?? {})).toEqual(['tld', 'op'])
})

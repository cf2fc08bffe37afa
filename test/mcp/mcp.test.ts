import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PUBLIC_OPERATIONS } from '../../src/http/public/operations.ts'
import { startService, type TestService } from '../support/service.ts'

/** The siblings of the asked name, whatever they are. */
const OTHERS = Array.from({ length: 9 }, () => ({}))

let service: TestService
beforeAll(async () => {
  service = await startService({
    tokens: { good: 'usr_1' },
    settings: { mcpOrigins: ['https://tools.example'] },
  })
  await service.list(
    'live',
    'domain,price_cents,floor_price_cents,currency\nacme.com,5000,4000,USD\n',
  )
})
afterAll(() => service.stop())

type Mode = 'legacy' | 'auto'
async function connect(mode: Mode, token?: string): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      versionNegotiation: { mode },
    },
  )
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', service.baseUrl), {
      requestInit: { headers: token ? { authorization: `Bearer ${token}` } : {} },
    }),
  )
  return client
}

const post = (body: object, headers: Record<string, string> = {}) =>
  service.send({
    method: 'POST',
    target: '/mcp',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
}

describe.each(['legacy', 'auto'] as const)('a client of the %s era', (mode) => {
  test('finds the batch operations as tools, with schemas and hints', async () => {
    const client = await connect(mode)
    const { tools } = await client.listTools()
    const reads = PUBLIC_OPERATIONS.map(({ name, tool }) => tool ?? name)
    const writes = ['buy_domain', 'create_checkout', 'make_offer', 'manage_domains']
    expect(tools.map(({ name }) => name)).toEqual([...reads, ...writes])
    for (const tool of tools) {
      const isRead = reads.includes(tool.name)
      expect(tool.annotations).toMatchObject({
        readOnlyHint: isRead,
        destructiveHint: !isRead && !['create_checkout', 'make_offer'].includes(tool.name),
        idempotentHint: isRead || tool.name === 'buy_domain',
      })
      expect(tool.inputSchema.type).toBe('object')
      expect(tool.outputSchema?.type).toBe('object')
      expect(JSON.stringify(tool)).not.toContain('$ref')
      expect(tool.description?.length).toBeGreaterThan(40)
    }
    await client.close()
  })

  test('sees masked prices, and real ones with a token', async () => {
    const [anonymous, user] = await Promise.all([connect(mode), connect(mode, 'good')])
    const ask = { name: 'search_domain', arguments: { q: 'acme.com' } }
    const masked = await anonymous.callTool(ask)
    expect(masked.structuredContent).toMatchObject({
      results: [{ listing: { price_cents: null, price_masked: true } }, ...OTHERS],
    })
    const real = await user.callTool(ask)
    expect(real.structuredContent).toMatchObject({
      results: [{ listing: { price_cents: 5000, price_masked: false } }, ...OTHERS],
    })
    const listings = await user.callTool({ name: 'list_listings', arguments: { max: 5000 } })
    expect(listings.isError).toBeFalsy()
    await Promise.all([anonymous.close(), user.close()])
  })

  test('is told what is wrong with its arguments', async () => {
    const client = await connect(mode)
    const response = await client.callTool({
      name: 'whois_lookup',
      arguments: { domain: 'no name' },
    })
    expect(response.isError).toBe(true)
    expect(JSON.stringify(response.content)).toContain('validation_error')
    await expect(client.callTool({ name: 'no_such_tool' })).rejects.toThrow(/no_such_tool/)
    await client.close()
  })

  test('offers prompts, each a message of the user', async () => {
    const client = await connect(mode)
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual([
      'find_a_name',
      'buy_a_name',
      'offer_for_a_name',
    ])
    for (const { name, arguments: taken = [] } of prompts) {
      const given = Object.fromEntries(taken.map((one) => [one.name, `a-${one.name}`]))
      const { messages } = await client.getPrompt({ name, arguments: given })
      expect(messages).toMatchObject([{ role: 'user', content: { type: 'text' } }])
      for (const value of Object.values(given)) expect(JSON.stringify(messages)).toContain(value)
      await expect(client.getPrompt({ name, arguments: {} })).rejects.toThrow('is required')
    }
    await expect(client.getPrompt({ name: 'none' })).rejects.toThrow('There is no prompt none')
    await client.close()
  })

  test('reads the guides', async () => {
    const client = await connect(mode)
    const { resources } = await client.listResources()
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri })
      expect(JSON.stringify(contents)).toContain('http://localhost:3000')
    }
    await client.close()
  })
})

describe('the door', () => {
  test('is shut to pages of other origins, unless configured', async () => {
    const foreign = await post(INITIALIZE, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    expect(foreign.body.error.code).toBe('forbidden')
    expect((await post(INITIALIZE, { origin: 'null' })).status).toBe(403)
    for (const method of ['GET', 'DELETE', 'OPTIONS']) {
      const headers = { origin: 'https://evil.example' }
      expect((await service.send({ method, target: '/mcp', headers })).status, method).toBe(403)
    }
    const configured = await post(INITIALIZE, { origin: 'https://tools.example' })
    expect(configured.status).toBe(200)
    expect(configured.headers['access-control-allow-origin']).toBe('https://tools.example')
    expect((await post(INITIALIZE, { origin: 'http://localhost:3000' })).status).toBe(200)
  })

  test('rejects a bad token with the challenge, and masks nothing silently', async () => {
    const response = await post(INITIALIZE, { authorization: 'Bearer expired' })
    expect(response.status).toBe(401)
    expect(response.headers['www-authenticate']).toContain('resource_metadata=')
  })

  test('counts each request once, and shows its limit', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'tld_registration_price', arguments: { tld: 'com' } },
    }
    const remaining = async (message: object) => {
      const { headers } = await post(message)
      expect(headers['ratelimit-limit']).toBeDefined()
      return Number(headers['ratelimit-remaining'])
    }
    const first = await remaining(INITIALIZE)
    expect(await remaining(call)).toBe(first - 1)
    expect(await remaining(call)).toBe(first - 2)
    expect(await remaining(INITIALIZE)).toBe(first - 3)
    expect(await remaining([call, call])).toBe(first - 5)
    // What reaches no tool counts as well.
    const unknown = { ...call, params: { name: 'nothing', arguments: {} } }
    expect(await remaining(unknown)).toBe(first - 6)
    expect(await remaining({ ...call, params: {} })).toBe(first - 7)
    // A batch of a hundred counts as a hundred.
    const lists = (count: number) =>
      Array.from({ length: count }, (_, place) => ({
        jsonrpc: '2.0',
        id: place + 2,
        method: 'tools/list',
        params: {},
      }))
    expect(await remaining([call, ...lists(99)])).toBe(first - 107)
    const tooMany = await post(lists(101))
    expect(tooMany.status).toBe(400)
    expect(tooMany.body.error.details[0]).toEqual({
      field: 'body',
      issue: 'must hold at most 100 messages',
    })
  })

  test('rejects what reaches no tool once the limit is used up', async () => {
    const strict = await startService({ settings: { rateLimits: { publicPerMinute: 2 } } })
    const statuses = []
    for (let count = 0; count < 4; count++) {
      const response = await strict.send({
        method: 'POST',
        target: '/mcp',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }),
      })
      statuses.push(response.status)
    }
    expect(statuses.slice(0, 2)).not.toContain(429)
    expect(statuses.slice(2)).toEqual([429, 429])
    await strict.stop()
  })

  test('has nothing to say to a notification', async () => {
    const response = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect(response.status).toBe(202)
    expect(response.text).toBe('')
  })

  test('responds to what is no message of the protocol, and other methods', async () => {
    expect((await post({ hello: 'there' })).status).toBe(400)
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await service.send({ method, target: '/mcp' })
      expect(response.status, method).toBe(405)
      expect(response.headers.allow).toBe('OPTIONS, POST')
    }
  })

  test.each([
    ['initialize', undefined, 'params: '],
    ['initialize', { protocolVersion: 5 }, 'params.protocolVersion: '],
    ['resources/read', {}, 'params.uri: '],
    ['resources/read', { uri: 'marketplace://nothing' }, 'Resource not found'],
    ['tools/call', {}, 'params'],
  ])('tells what is wrong with the parameters of %s: %j', async (method, params, told) => {
    const { status, text } = await post({ jsonrpc: '2.0', id: 1, method, params })
    expect(status).toBe(200)
    const { error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '')
    expect(error.code).toBe(-32602)
    expect(error.message).toContain(told)
  })

  test('is described for models', async () => {
    const text = await service.send({ method: 'GET', target: '/llms.txt' })
    expect(text.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(text.text).toContain('http://localhost:3000/mcp')
    expect(text.text).toContain('buy_domain')
    expect(text.text).toContain('orders:create')
  })
})

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { baseUrl: 'https://names.market.example' } })
})
afterAll(() => service.stop())

const read = (target: string) =>
  service.send({ method: 'GET', target, headers: { host: 'names.market.example' } })

test.each(['/mcp/server-card', '/.well-known/mcp/server-card.json'])(
  '%s says what the server says of itself',
  async (path) => {
    const { status, headers, text } = await read(path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/mcp-server-card+json; charset=utf-8',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
    })
    const card = JSON.parse(text)
    expect(card).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: 'example.market.names/domain-marketplace',
      title: expect.any(String),
      description: expect.any(String),
      version: expect.any(String),
      websiteUrl: 'https://names.market.example/docs',
      remotes: [{ type: 'streamable-http', url: 'https://names.market.example/mcp' }],
    })
    expect(card.description.length).toBeLessThanOrEqual(100)
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.baseUrl)))
    const { title, version } = card
    expect(client.getServerVersion()).toMatchObject({
      name: 'domain-marketplace',
      title,
      version,
    })
    await client.close()
  },
)

test('the catalog leads to the card', async () => {
  const { body } = await read('/.well-known/mcp/catalog.json')
  expect(body).toEqual({
    specVersion: 'draft',
    entries: [
      {
        identifier: 'urn:air:names.market.example:domain-marketplace',
        displayName: 'Domain Marketplace',
        type: 'application/mcp-server-card+json',
        url: 'https://names.market.example/mcp/server-card',
      },
    ],
  })
  expect((await read(new URL(body.entries[0].url).pathname)).status).toBe(200)
})

test('the entry for the MCP Registry names the same server', async () => {
  const { body } = await read('/server.json')
  const card = JSON.parse((await read('/mcp/server-card')).text)
  expect(body).toEqual({
    ...card,
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  })
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MINUTE } from '../../src/lib/clock.ts'
import {
  allow,
  authorizeUrl,
  type Browser,
  CALLBACK,
  exchange,
  makeUser,
  pkce,
  signIn,
} from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

/** The siblings of the asked name, whatever they are. */
const OTHERS = Array.from({ length: 9 }, () => ({}))

let service: TestService
let browser: Browser
beforeAll(async () => {
  service = await startService()
  await makeUser(service, 'ann@example.com')
  browser = await signIn(service, 'ann@example.com')
  await service.list(
    'live',
    'domain,price_cents,floor_price_cents,currency\nacme.com,5000,4000,USD\n',
  )
})
afterAll(() => service.stop())

const ISSUER = new URL('http://localhost:3000')
/** The service's own name for itself is not where the test finds it. */
const reach: typeof fetch = (input, init) => {
  const url = String(input instanceof Request ? input.url : input)
  return fetch(url.replace(ISSUER.origin, service.baseUrl), init)
}
// biome-ignore lint/suspicious/noExplicitAny: its type of fetch knows no absent body
const options: any = { [oauth.customFetch]: reach, [oauth.allowInsecureRequests]: true }

test('oauth4webapi gets from a bare 401 to real prices', async () => {
  const bare = await reach(`${ISSUER.origin}/api`)
  expect(bare.status).toBe(401)
  const resource = await oauth.processResourceDiscoveryResponse(
    ISSUER,
    await oauth.resourceDiscoveryRequest(ISSUER, options),
  )
  const issuer = new URL(resource.authorization_servers?.[0] ?? '')
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' }),
  )
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { redirect_uris: [CALLBACK], client_name: 'Their app', token_endpoint_auth_method: 'none' },
      options,
    ),
  )
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const response = await allow(
    browser,
    authorizeUrl({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      scope: 'pricing:read',
      resource: resource.resource,
      state,
    }),
  )
  const parameters = oauth.validateAuthResponse(server, client, response, state)
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      CALLBACK,
      verifier,
      options,
    ),
  )
  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      tokens.refresh_token ?? '',
      options,
    ),
  )
  const priced = await oauth.protectedResourceRequest(
    refreshed.access_token,
    'POST',
    new URL('/api/domain/search', ISSUER),
    new Headers({ 'content-type': 'application/json' }),
    JSON.stringify({ q: 'acme.com' }),
    options,
  )
  expect(await priced.json()).toMatchObject({
    results: [{ listing: { price_cents: 5000 } }, ...OTHERS],
  })
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(
      server,
      client,
      oauth.None(),
      refreshed.refresh_token ?? '',
      options,
    ),
  )
})

test('the MCP client signs a user in by itself, and sees real prices', async () => {
  let visited: URL | undefined
  const kept: Record<string, unknown> = {}
  const provider = {
    redirectUrl: CALLBACK,
    clientMetadata: { redirect_uris: [CALLBACK], client_name: 'MCP client' },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => void (kept.tokens = tokens),
    redirectToAuthorization: (url: URL) => void (visited = url),
    saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
    codeVerifier: () => String(kept.verifier),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (state: unknown) => void (kept.discovery = state),
  }
  const serverUrl = new URL('/mcp', ISSUER)
  const first = await auth(provider as never, { serverUrl, fetchFn: reach })
  expect(first).toBe('REDIRECT')
  const url = visited ?? new URL('about:blank')
  expect(url.searchParams.get('resource')).toBe(`${ISSUER.origin}/mcp`)
  const response = await allow(browser, `${url.pathname}${url.search}`)
  const second = await auth(provider as never, {
    serverUrl,
    fetchFn: reach,
    authorizationCode: response.get('code') ?? '',
    iss: response.get('iss') ?? '',
  })
  expect(second).toBe('AUTHORIZED')
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StreamableHTTPClientTransport(serverUrl, { fetch: reach, authProvider: provider as never }),
  )
  const found = await client.callTool({ name: 'search_domain', arguments: { q: 'acme.com' } })
  expect(found.structuredContent).toMatchObject({
    results: [{ listing: { price_cents: 5000 } }, ...OTHERS],
  })
  await client.close()
})

describe('a client that is a document', () => {
  let document: object
  let asked = 0
  /** Sends the responses that wait. */
  const held: (() => void)[] = []
  const site = createServer((request, response) => {
    asked += 1
    const respond = () =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    if (request.url?.endsWith('held')) held.push(respond)
    else respond()
  })
  /** How many count of all clients. */
  const registrations = async ({ app }: TestService) => {
    const row = await app.db
      .selectFrom('rate_windows')
      .select('used')
      .where('subject', '=', 'all registrations')
      .executeTakeFirst()
    return row?.used ?? 0
  }
  let id: string
  beforeAll(async () => {
    site.listen(0, '127.0.0.1')
    await new Promise((resolve) => site.once('listening', resolve))
    id = `http://127.0.0.1:${(site.address() as AddressInfo).port}/client.json`
  })
  afterAll(() => void site.close())

  const url = (challenge: string, client_id = id) =>
    authorizeUrl({
      response_type: 'code',
      client_id,
      redirect_uri: CALLBACK,
      code_challenge: challenge,
    })

  test('is rejected when it does not describe itself', async () => {
    document = { client_id: 'https://else.example/client.json', redirect_uris: [CALLBACK] }
    expect((await browser.get(url(pkce().challenge))).status).toBe(401)
    document = { client_id: id, redirect_uris: ['javascript:alert(1)'] }
    service.clock.advance(MINUTE)
    expect((await browser.get(url(pkce().challenge))).status).toBe(400)
    service.clock.advance(MINUTE)
  })

  test('is not read again within a minute of a failure', async () => {
    document = {}
    const before = asked
    const read = async () => (await browser.get(url(pkce().challenge))).status
    expect([await read(), await read()]).toEqual([401, 401])
    expect(asked).toBe(before + 1)
    service.clock.advance(MINUTE)
    expect(await read()).toBe(401)
    expect(asked).toBe(before + 2)
    service.clock.advance(MINUTE)
  })

  test('is read once for all who ask at once', async () => {
    const path = `${id}?held`
    document = { client_id: path, redirect_uris: [CALLBACK] }
    const before = { asked, registrations: await registrations(service) }
    const pages = [1, 2, 3].map(() => browser.get(url(pkce().challenge, path)))
    await expect.poll(() => held).toHaveLength(1)
    // All have asked by the time that the document arrives.
    await expect.poll(() => registrations(service)).toBe(before.registrations + 3)
    for (const respond of held) respond()
    expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(asked).toBe(before.asked + 1)
    expect(await registrations(service)).toBe(before.registrations + 1)
  })

  test('counts as a registration, and nobody is kept from signing in by that', async () => {
    const limited = await startService({ settings: { rateLimits: { registrationPerMinute: 2 } } })
    const get = (target: string) => limited.send({ method: 'GET', target })
    const pathOf = (number: number) => `${id}?number=${number}`
    const ask = async (number: number) => {
      document = { client_id: pathOf(number), redirect_uris: [CALLBACK] }
      return await get(url(pkce().challenge, pathOf(number)))
    }
    expect([(await ask(1)).status, (await ask(2)).status]).toEqual([200, 200])
    const before = asked
    const third = await ask(3)
    expect(third.status).toBe(429)
    expect(third.headers['retry-after']).toBeDefined()
    // What is known needs no registration.
    expect((await ask(1)).status).toBe(200)
    const next = encodeURIComponent(url(pkce().challenge, pathOf(3)))
    const page = await get(`/sign-in?next=${next}`)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Password')
    expect(asked).toBe(before)
    limited.clock.advance(MINUTE + 1)
    expect((await ask(3)).status).toBe(200)
    expect(await registrations(limited)).toBe(3)
    await limited.stop()
  })

  test('is let in without registering, and read once', async () => {
    document = { client_id: id, client_name: 'Published app', redirect_uris: [CALLBACK] }
    const { verifier, challenge } = pkce()
    const page = await browser.get(url(challenge))
    expect(page.text).toContain('Published app')
    expect(page.text).toContain('Published at')
    const before = asked
    const response = await allow(browser, url(challenge))
    const code = response.get('code') ?? ''
    expect((await exchange(service, { clientId: id, code, verifier })).status).toBe(200)
    expect(asked).toBe(before)
  })

  test('is read anew once an hour has passed, and then goes by what it says now', async () => {
    document = { client_id: id, client_name: 'Renamed app', redirect_uris: [CALLBACK] }
    const name = async () => (await browser.get(url(pkce().challenge))).text
    service.clock.advance(59 * MINUTE)
    expect(await name()).toContain('Published app')
    service.clock.advance(2 * MINUTE)
    const before = asked
    expect(await name()).toContain('Renamed app')
    expect(await name()).toContain('Renamed app')
    expect(asked).toBe(before + 1)
    document = { client_id: id, redirect_uris: ['https://moved.example/callback'] }
    service.clock.advance(61 * MINUTE)
    const moved = await browser.get(url(pkce().challenge))
    expect(moved.status).toBe(400)
    expect(moved.headers.location).toBeUndefined()
  })
})

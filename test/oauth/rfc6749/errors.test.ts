import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  authorizeUrl,
  type Browser,
  CALLBACK,
  exchange,
  makeUser,
  newCode,
  pkce,
  refresh,
  registerApp,
  signIn,
  tokenRequest,
} from '../../support/oauth.ts'
import { readerOf } from '../../support/reader.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
let browser: Browser
let clientId: string
beforeAll(async () => {
  service = await startService()
  await makeUser(service, 'ann@example.com')
  browser = await signIn(service, 'ann@example.com')
  clientId = (await registerApp(service)).body.client_id
})
afterAll(() => service.stop())

const parameters = (changes: Record<string, string | undefined>) => {
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: pkce().challenge,
    state: 'kept',
    ...changes,
  }
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

describe('the authorization endpoint', () => {
  test.each([
    ['an unknown client', { client_id: 'nobody' }, 401],
    ['no client', { client_id: undefined }, 400],
    ['another redirect URI', { redirect_uri: `${CALLBACK}/more` }, 400],
    ['a redirect URI in another case', { redirect_uri: 'https://APP.example/callback' }, 400],
    ['a redirect URI with a query', { redirect_uri: `${CALLBACK}?x=1` }, 400],
  ])('redirects nobody for %s', async (_what, changes, status) => {
    const response = await browser.get(authorizeUrl(parameters(changes)))
    expect(response.status).toBe(status)
    expect(response.headers.location).toBeUndefined()
    expect(response.headers['content-type']).toContain('text/html')
  })

  test.each([
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: 's256' }, 'invalid_request'],
    [{ scope: 'admin' }, 'invalid_scope'],
    [{ scope: 'pricing:read admin' }, 'invalid_scope'],
    [{ scope: 'pricing:read  ' }, 'invalid_scope'],
    [{ scope: 'offline_access' }, 'invalid_scope'],
    [{ resource: 'https://other.example' }, 'invalid_target'],
  ])('tells the client of %j', async (changes, error) => {
    const response = await browser.get(authorizeUrl(parameters(changes)))
    expect(response.status).toBe(303)
    const url = new URL(String(response.headers.location))
    expect(`${url.origin}${url.pathname}`).toBe(CALLBACK)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error,
      state: 'kept',
      iss: 'http://localhost:3000',
    })
  })

  test('rejects a parameter that comes twice', async () => {
    const url = authorizeUrl(parameters({}))
    const response = await browser.get(`${url}&code_challenge=${pkce().challenge}`)
    expect(String(response.headers.location)).toContain('error=invalid_request')
    expect((await browser.get(`${url}&redirect_uri=https://evil.example`)).status).toBe(400)
  })

  test.each([
    ['what it does not know', '&nonce=a&nonce=b&audience=%00'],
    ['what has no value', '&resource=&scope=&code_challenge_method='],
  ])('ignores %s', async (_what, more) => {
    const response = await browser.get(`${authorizeUrl(parameters({}))}${more}`)
    expect(response.text).toContain('Allow')
  })

  test('takes a request for offline access, since every app gets a refresh token', async () => {
    const scope = 'pricing:read offline_access'
    const response = await browser.get(authorizeUrl(parameters({ scope })))
    expect(response.text).toContain('Allow')
  })

  test('rejects a state that comes empty and full', async () => {
    const url = authorizeUrl(parameters({ state: '' }))
    const response = await browser.get(`${url}&state=kept`)
    expect(String(response.headers.location)).toContain('error=invalid_request')
  })

  test('takes any port of a loopback address, and no other host', async () => {
    const local = (await registerApp(service, { redirect_uris: ['http://127.0.0.1:1/cb'] })).body
    const at = (redirect_uri: string) =>
      browser.get(authorizeUrl(parameters({ client_id: local.client_id, redirect_uri })))
    expect((await at('http://127.0.0.1:54321/cb')).text).toContain('Allow')
    expect((await at('http://127.0.0.1/cb')).text).toContain('Allow')
    expect((await at('http://127.0.0.1:54321/other')).status).toBe(400)
    expect((await at('http://127.0.0.1:99999/cb')).status).toBe(400)
    expect((await at('http://localhost:54321/cb')).status).toBe(400)
    expect((await at('http://127.0.0.1:1@evil.example/cb')).status).toBe(400)
  })
})

describe('the token endpoint', () => {
  const form = (changes: Record<string, string> = {}) => ({
    grant_type: 'authorization_code',
    client_id: clientId,
    code: 'mkt_code_x',
    code_verifier: pkce().verifier,
    ...changes,
  })

  test.each([
    ['no grant type', { grant_type: '' }, 400, 'invalid_request'],
    ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['no client', { client_id: '' }, 400, 'invalid_request'],
    ['an unknown client', { client_id: 'nobody' }, 401, 'invalid_client'],
    ['a client with a secret', { client_secret: 'x' }, 401, 'invalid_client'],
    ['no code', { code: '' }, 400, 'invalid_request'],
    ['an unknown code', {}, 400, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 400, 'invalid_request'],
    ['a malformed verifier', { code_verifier: 'short' }, 400, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example' }, 400, 'invalid_target'],
    ['another scope', { scope: 'admin' }, 400, 'invalid_scope'],
  ])('refuses %s', async (_what, changes, status, error) => {
    const response = await tokenRequest(service, form(changes))
    expect(response.status).toBe(status)
    expect(response.body.error).toBe(error)
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.headers['access-control-allow-origin']).toBe('*')
  })

  test('rejects another method in the form of RFC 6749', async () => {
    const response = await service.send({ method: 'GET', target: '/api/oauth/token' })
    expect(response.status).toBe(405)
    expect(response.headers.allow).toBe('OPTIONS, POST')
    expect(response.body).toEqual({
      error: 'invalid_request',
      error_description: 'This path serves OPTIONS, POST.',
    })
  })

  test('ignores what it does not know, and what has no value', async () => {
    const { code, clientId, verifier } = await newCode(service, browser)
    const more = [
      ['x', '1'],
      ['x', '2'],
      ['resource', ''],
      ['scope', ''],
    ] as [string, string][]
    const given = form({ client_id: clientId, code, code_verifier: verifier })
    const response = await tokenRequest(service, [...Object.entries(given), ...more])
    expect(response.status, response.text).toBe(200)
  })

  test('rejects another verifier, another redirect URI, and still takes the right ones', async () => {
    const code = await newCode(service, browser)
    const wrong = await exchange(service, { ...code, verifier: pkce().verifier })
    expect(wrong.body.error).toBe('invalid_grant')
    const elsewhere = await exchange(service, { ...code, redirectUri: 'https://app.example/' })
    expect(elsewhere.body.error).toBe('invalid_grant')
    expect((await exchange(service, code)).status).toBe(200)
  })

  test('rejects a parameter that comes twice, a body in another form, and Basic', async () => {
    const twice = await tokenRequest(service, [...Object.entries(form()), ['code', 'other']])
    expect(twice.body.error).toBe('invalid_request')
    const json = await tokenRequest(service, form(), { 'content-type': 'application/json' })
    expect(json.body.error).toBe('invalid_request')
    const basic = await tokenRequest(service, form(), { authorization: 'Basic eDp5' })
    expect(basic.status).toBe(401)
    expect(basic.headers['www-authenticate']).toContain('Basic')
  })

  test.each([
    ['unknown', 'admin'],
    ['more than was granted', 'pricing:read admin'],
    ['granted to nobody', 'pricing:read offline_access'],
    ['malformed', 'pricing:read\u0022'],
    ['separated twice', 'pricing:read  pricing:read'],
    ['blank', ' '],
  ])('rejects a refresh whose scope is %s, and keeps the refresh token', async (_what, scope) => {
    const code = await newCode(service, browser)
    const { refresh_token } = (await exchange(service, code)).body
    const given = { grant_type: 'refresh_token', client_id: code.clientId, refresh_token }
    const wider = await tokenRequest(service, { ...given, scope })
    expect(wider.status).toBe(400)
    expect(wider.body).toEqual({
      error: 'invalid_scope',
      error_description: expect.stringContaining('pricing:read'),
    })
    const same = await tokenRequest(service, { ...given, scope: 'pricing:read' })
    expect(same.status, same.text).toBe(200)
    expect(same.body.scope).toBe('pricing:read')
  })

  test('responds to a preflight', async () => {
    const response = await service.send({ method: 'OPTIONS', target: '/api/oauth/token' })
    expect(response.status).toBe(204)
    expect(response.headers['access-control-allow-methods']).toBe('POST')
    expect(response.headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('keeps tokens of different kinds apart', async () => {
    const code = await newCode(service, browser)
    const { body } = await exchange(service, code)
    const asRefresh = await refresh(service, code.clientId, body.access_token)
    expect(asRefresh.body.error).toBe('invalid_grant')
    const asAccess = await readerOf(() => service, body.refresh_token).get('/api')
    expect(asAccess.status).toBe(401)
  })
})

describe('revocation (RFC 7009)', () => {
  const revoke = (client: string, token: string) =>
    service.send({
      method: 'POST',
      target: '/api/oauth/revoke',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: client, token }).toString(),
    })

  test('of a refresh token ends the family, of an access token only itself', async () => {
    const code = await newCode(service, browser)
    const first = (await exchange(service, code)).body
    expect((await revoke(code.clientId, first.access_token)).status).toBe(200)
    expect((await readerOf(() => service, first.access_token).get('/api')).status).toBe(401)
    const second = (await refresh(service, code.clientId, first.refresh_token)).body
    expect((await revoke(clientId, second.refresh_token)).status).toBe(200)
    expect((await readerOf(() => service, second.access_token).get('/api')).status).toBe(200)
    await revoke(code.clientId, second.refresh_token)
    expect((await readerOf(() => service, second.access_token).get('/api')).status).toBe(401)
    expect((await revoke(code.clientId, 'unknown')).status).toBe(200)
  })
})

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../src/lib/clock.ts'
import {
  allow,
  authorizeUrl,
  type Browser,
  CALLBACK,
  exchange,
  makeUser,
  Browser as NewBrowser,
  newCode,
  PASSWORD,
  pkce,
  refresh,
  registerApp,
  signIn,
} from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let browser: Browser
let userId: string
beforeAll(async () => {
  service = await startService()
  userId = await makeUser(service, 'ann@example.com')
  browser = await signIn(service, 'ann@example.com')
  await service.list(
    'live',
    'domain,price_cents,floor_price_cents,currency\nacme.com,5000,4000,USD\n',
  )
})
afterAll(() => service.stop())

const search = (token: string) =>
  service.send({
    method: 'POST',
    target: '/api/domain/search',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ q: 'acme.com' }),
  })

describe('the flow', () => {
  test('leads from a bare 401 to real prices', async () => {
    const bare = await service.send({ method: 'GET', target: '/api' })
    expect(bare.status).toBe(401)
    const challenge = String(bare.headers['www-authenticate'])
    const pointer = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? ''
    const resource = await service.send({ method: 'GET', target: new URL(pointer).pathname })
    expect(resource.body).toMatchObject({
      resource: 'http://localhost:3000',
      authorization_servers: ['http://localhost:3000'],
      scopes_supported: ['pricing:read', 'orders:create', 'domains:manage'],
    })
    const server = await service.send({
      method: 'GET',
      target: '/.well-known/oauth-authorization-server',
      headers: { origin: 'https://app.example' },
    })
    expect(server.headers['access-control-allow-origin']).toBe('*')
    expect(server.body).toMatchObject({
      issuer: 'http://localhost:3000',
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    })
    const registered = await registerApp(service)
    expect(registered.status).toBe(201)
    expect(registered.body).not.toHaveProperty('client_secret')
    const { verifier, challenge: s256 } = pkce()
    const url = authorizeUrl({
      response_type: 'code',
      client_id: registered.body.client_id,
      redirect_uri: CALLBACK,
      code_challenge: s256,
      code_challenge_method: 'S256',
      resource: 'http://localhost:3000',
      state: 'xyz &=',
    })
    const visitor = new NewBrowser(() => service)
    const asked = await visitor.get(url)
    expect(asked.text).toContain('Test app')
    expect(asked.text).toContain('app.example')
    const next = /name="next" value="([^"]*)"/.exec(asked.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const wrong = await visitor.post('/sign-in', { email: 'ann@example.com', password: 'no', next })
    expect(wrong.status).toBe(401)
    expect(wrong.text).toContain('Test app')
    const entered = await visitor.post('/sign-in', {
      email: 'Ann@Example.com',
      password: PASSWORD,
      next,
    })
    expect(entered.status).toBe(303)
    expect(entered.headers.location).toBe(url)
    const consent = await visitor.get(url)
    expect(consent.text).toContain('Allow Test app?')
    expect(consent.text).toContain('app.example')
    const response = await allow(visitor, url)
    expect(Object.fromEntries(response)).toMatchObject({
      state: 'xyz &=',
      iss: 'http://localhost:3000',
    })
    const tokens = await exchange(service, {
      clientId: registered.body.client_id,
      code: response.get('code') ?? '',
      verifier,
    })
    expect(tokens.status).toBe(200)
    expect(tokens.headers['cache-control']).toBe('no-store')
    expect(tokens.body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 1800,
      scope: 'pricing:read',
    })
    const found = await search(tokens.body.access_token)
    expect(found.body.results[0].listing).toMatchObject({ price_cents: 5000, price_masked: false })
    const index = await service.send({
      method: 'GET',
      target: '/api',
      headers: { authorization: `Bearer ${tokens.body.access_token}` },
    })
    expect(index.status).toBe(200)
    const next2 = await refresh(service, registered.body.client_id, tokens.body.refresh_token)
    expect(next2.status).toBe(200)
    expect((await search(next2.body.access_token)).status).toBe(200)
  })

  test('can be denied by the user', async () => {
    const { client_id } = (await registerApp(service)).body
    const response = await allow(
      browser,
      authorizeUrl({
        response_type: 'code',
        client_id,
        redirect_uri: CALLBACK,
        code_challenge: pkce().challenge,
      }),
      'deny',
    )
    expect(response.get('error')).toBe('access_denied')
    expect(response.get('code')).toBeNull()
  })

  test('a disabled user has no tokens any more', async () => {
    const id = await makeUser(service, 'gone@example.com')
    const theirs = await signIn(service, 'gone@example.com')
    const code = await newCode(service, theirs)
    const { body } = await exchange(service, code)
    const waiting = await newCode(service, theirs)
    const form = { email: 'gone@example.com', label: 'script' }
    const own = (await service.admin('POST', '/user-tokens', form)).body.token
    for (const token of [body.access_token, own]) expect((await search(token)).status).toBe(200)
    await service.admin('PUT', `/users/${id}`, { disabled: true })
    for (const token of [body.access_token, own]) expect((await search(token)).status).toBe(401)
    const refreshed = await refresh(service, code.clientId, body.refresh_token)
    expect(refreshed.body.error).toBe('invalid_grant')
    const late = await exchange(service, waiting)
    expect(late.status).toBe(400)
    expect(late.body.error).toBe('invalid_grant')
    const again = await service.admin('POST', '/user-tokens', form)
    expect(again.status).toBe(409)
    expect(again.body.error).toMatchObject({
      code: 'conflict',
      message: 'The account is disabled. Enable it first.',
    })
    expect((await theirs.get('/account')).status).toBe(303)
  })

  test('an app that was removed in the account has none either', async () => {
    const { body } = await exchange(service, await newCode(service, browser))
    const account = await browser.get('/account/access')
    const id = /apps\/revoke".*?name="id" value="([^"]+)"/.exec(account.text)
    await browser.post('/account/apps/revoke', { id: id?.[1] ?? '' })
    expect((await search(body.access_token)).status).toBe(401)
    expect((await browser.get('/account/access')).text).not.toContain(id?.[1])
    expect(userId).toMatch(/^usr_/)
  })

  test('a consent that is taken back before its code is used gives nothing', async () => {
    const code = await newCode(service, browser)
    const { id } = await service.app.db
      .selectFrom('oauth_grants')
      .select('id')
      .where('client_id', '=', code.clientId)
      .executeTakeFirstOrThrow()
    expect((await browser.post('/account/apps/revoke', { id })).status).toBe(303)
    const rejected = await exchange(service, code)
    expect(rejected.status).toBe(400)
    expect(rejected.body).toEqual({
      error: 'invalid_grant',
      error_description: 'The consent was taken back.',
    })
    const tokens = await service.app.db
      .selectFrom('oauth_tokens')
      .select('kind')
      .where('grant_id', '=', id)
      .execute()
    expect(tokens).toEqual([])
    // Of another consent to the same app nothing was taken.
    const again = await newCode(service, browser, code.clientId)
    expect((await exchange(service, again)).status).toBe(200)
  })
})

describe('lifetimes', () => {
  test('a code or refresh token of another address of the service is good there alone', async () => {
    const code = await newCode(service, browser)
    const moveTo = (resource: string) =>
      sql`update oauth_grants set resource = ${resource} where client_id = ${code.clientId}`.execute(
        service.app.db,
      )
    await moveTo('https://elsewhere.example')
    expect((await exchange(service, code)).body).toEqual({
      error: 'invalid_grant',
      error_description: 'code is for another resource.',
    })
    await moveTo('http://localhost:3000')
    const { body } = await exchange(service, code)
    await moveTo('https://elsewhere.example')
    const rejected = await refresh(service, code.clientId, body.refresh_token)
    expect(rejected.status).toBe(400)
    expect(rejected.body).toMatchObject({
      error: 'invalid_grant',
      error_description: 'refresh_token is for another resource.',
    })
    await moveTo('http://localhost:3000')
    expect((await refresh(service, code.clientId, body.refresh_token)).status).toBe(200)
  })

  test('a code lives 60 seconds, an access token 30 minutes, a refresh token 30 days', async () => {
    const late = await newCode(service, browser)
    service.clock.advance(61 * SECOND)
    expect((await exchange(service, late)).body.error).toBe('invalid_grant')
    const good = await newCode(service, browser)
    service.clock.advance(55 * SECOND)
    const { body } = await exchange(service, good)
    service.clock.advance(29 * MINUTE)
    expect((await search(body.access_token)).status).toBe(200)
    service.clock.advance(2 * MINUTE)
    const expired = await search(body.access_token)
    expect(expired.status).toBe(401)
    expect(expired.body.error.code).toBe('invalid_token')
    service.clock.advance(29 * 24 * 60 * MINUTE)
    const next = await refresh(service, good.clientId, body.refresh_token)
    expect(next.status).toBe(200)
    service.clock.advance(30 * 24 * 60 * MINUTE + MINUTE)
    const over = await refresh(service, good.clientId, next.body.refresh_token)
    expect(over.body.error).toBe('invalid_grant')
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  authorizeUrl,
  type Browser,
  exchange,
  hidden,
  makeUser,
  newCode,
  pkce,
  refresh,
  registerApp,
  signIn,
} from '../../support/oauth.ts'
import { readerOf } from '../../support/reader.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
let browser: Browser
beforeAll(async () => {
  service = await startService()
  await makeUser(service, 'ann@example.com')
  browser = await signIn(service, 'ann@example.com')
})
afterAll(() => service.stop())

const works = async (token: string) =>
  (await readerOf(() => service, token).get('/api')).status === 200

describe('single use', () => {
  test('of 20 exchanges of one code at once one succeeds, and the reuse ends the family', async () => {
    const code = await newCode(service, browser)
    const responses = await Promise.all(Array.from({ length: 20 }, () => exchange(service, code)))
    const good = responses.filter(({ status }) => status === 200)
    expect(good).toHaveLength(1)
    expect(new Set(responses.map(({ body }) => body.error))).toEqual(
      new Set([undefined, 'invalid_grant']),
    )
    expect(await works(good[0]?.body.access_token)).toBe(false)
    const after = await refresh(service, code.clientId, good[0]?.body.refresh_token)
    expect(after.body.error).toBe('invalid_grant')
  })

  test('of 20 refreshes of one token at once one succeeds, and the reuse ends the family', async () => {
    const code = await newCode(service, browser)
    const { body } = await exchange(service, code)
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => refresh(service, code.clientId, body.refresh_token)),
    )
    const good = responses.filter(({ status }) => status === 200)
    expect(good).toHaveLength(1)
    expect(await works(body.access_token)).toBe(false)
    expect(await works(good[0]?.body.access_token)).toBe(false)
    const after = await refresh(service, code.clientId, good[0]?.body.refresh_token)
    expect(after.body.error).toBe('invalid_grant')
  })

  test('a family that is used as it should be lives on', async () => {
    const code = await newCode(service, browser)
    let { body } = await exchange(service, code)
    for (let turn = 0; turn < 3; turn++) {
      ;({ body } = await refresh(service, code.clientId, body.refresh_token))
      expect(await works(body.access_token)).toBe(true)
    }
  })

  test('what another client stole does not end the family, and opens nothing', async () => {
    const code = await newCode(service, browser)
    const other = (await registerApp(service)).body.client_id
    expect((await exchange(service, { ...code, clientId: other })).body.error).toBe('invalid_grant')
    const { body } = await exchange(service, code)
    expect((await refresh(service, other, body.refresh_token)).body.error).toBe('invalid_grant')
    expect(await works(body.access_token)).toBe(true)
  })
})

describe('what was used, and comes again from another client,', () => {
  test('has leaked: a code ends its family, and no other', async () => {
    const kept = (await exchange(service, await newCode(service, browser))).body
    const code = await newCode(service, browser)
    const { body } = await exchange(service, code)
    const other = (await registerApp(service)).body.client_id
    expect((await exchange(service, { ...code, clientId: other })).body.error).toBe('invalid_grant')
    expect(await works(body.access_token)).toBe(false)
    expect(await works(kept.access_token)).toBe(true)
  })

  test('has leaked: so does a refresh token', async () => {
    const code = await newCode(service, browser)
    const first = await exchange(service, code)
    const { body } = await refresh(service, code.clientId, first.body.refresh_token)
    const other = (await registerApp(service)).body.client_id
    expect((await refresh(service, other, first.body.refresh_token)).body.error).toBe(
      'invalid_grant',
    )
    expect(await works(body.access_token)).toBe(false)
  })
})

describe('what is kept', () => {
  test('holds no token and no code', async () => {
    const code = await newCode(service, browser)
    const { body } = await exchange(service, code)
    const { db } = service.app
    const rows = JSON.stringify([
      await db.selectFrom('oauth_codes').selectAll().execute(),
      await db.selectFrom('oauth_tokens').selectAll().execute(),
      await db.selectFrom('sessions').selectAll().execute(),
    ])
    for (const secret of [code.code, body.access_token, body.refresh_token, browser.cookie ?? '']) {
      expect(rows).not.toContain(secret)
      expect(service.logs.join('')).not.toContain(secret)
    }
  })
})

describe('consent', () => {
  const ask = async () =>
    authorizeUrl({
      response_type: 'code',
      client_id: (await registerApp(service)).body.client_id,
      redirect_uri: 'https://app.example/callback',
      code_challenge: pkce().challenge,
    })

  test('is given by a page of ours, to the session that it was shown to', async () => {
    const page = await browser.get(await ask())
    const consent = hidden(page, 'consent')
    const form = { consent, decision: 'allow' }
    const foreign = await browser.post('/oauth/authorize', form, { 'sec-fetch-site': 'cross-site' })
    expect(foreign.status).toBe(403)
    const other = await signIn(service, 'ann@example.com')
    expect((await other.post('/oauth/authorize', form)).status).toBe(400)
    expect((await browser.post('/oauth/authorize', { ...form, consent: 'x' })).status).toBe(400)
    service.clock.advance(16 * 60_000)
    expect((await browser.post('/oauth/authorize', form)).status).toBe(400)
  })

  test('cannot be framed or scripted', async () => {
    const page = await browser.get(await ask())
    expect(page.headers['x-frame-options']).toBe('DENY')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.headers['cache-control']).toBe('no-store')
  })

  test('shows a name as text, whatever is in it', async () => {
    const { client_id } = (
      await registerApp(service, {
        redirect_uris: ['https://app.example/callback'],
        client_name: '<script>alert(1)</script>\u202eevil',
      })
    ).body
    const page = await browser.get(
      authorizeUrl({ response_type: 'code', client_id, code_challenge: pkce().challenge }),
    )
    expect(page.text).not.toContain('<script>')
    expect(page.text).not.toContain('\u202e')
    expect(page.text).toContain('&lt;script>alert(1)')
  })
})

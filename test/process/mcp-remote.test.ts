import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as openid from 'openid-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { cleanUp, cli, preparedFolder, type Running, start } from '../support/process.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const EMAIL = 'ann@example.com'
const PASSWORD = 'correct horse battery staple'
const CSV = 'domain,price_cents,floor_price_cents,currency\nsigned-in.com,12000,12000,USD\n'

let folder: string
let service: Running
beforeAll(async () => {
  folder = await preparedFolder()
  service = await start({ DATA_DIR: folder })
  const listings = join(folder, 'listings.csv')
  await writeFile(listings, CSV)
  for (const command of [
    ['listings', 'import', listings, '--env', 'live'],
    ['user', 'create', '--email', EMAIL, '--password', PASSWORD],
  ]) {
    expect(await cli(command, { DATA_DIR: folder })).toMatchObject({ code: 0 })
  }
})
afterAll(cleanUp)

/** A person at a browser: signs in, reads the consent page and presses the button. */
const PERSON = `
const [, , url, out] = process.argv
const base = new URL(url).origin
let cookie = ''
async function post(path, form) {
  const response = await fetch(base + path, {
    method: 'POST', redirect: 'manual', body: new URLSearchParams(form), headers: { cookie, origin: base },
  })
  cookie = [cookie, ...response.headers.getSetCookie().map((one) => one.split(';')[0])].filter(Boolean).join('; ')
  return response
}
await post('/sign-in', { email: '${EMAIL}', password: '${PASSWORD}' })
const page = await (await fetch(url, { headers: { cookie } })).text()
const form = { decision: 'allow' }
for (const [, name, value] of page.matchAll(/<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"/g)) form[name] = value
const allowed = await post('/oauth/authorize', form)
const back = allowed.headers.get('location')
if (process.env.PERSON_SAYS === 'on') process.stdout.write(back)
else await fetch(back)
`

async function person(): Promise<string> {
  const file = join(folder, 'person.mjs')
  await writeFile(file, `#!${process.execPath}\n${PERSON}`)
  await chmod(file, 0o700)
  return file
}

test('mcp-remote signs its user in by itself once a tool needs it', async () => {
  const remote = spawn(
    process.execPath,
    ['node_modules/mcp-remote/dist/proxy.js', `${service.baseUrl}/mcp`, '--allow-http'],
    {
      env: {
        ...process.env,
        BROWSER: await person(),
        MCP_REMOTE_CONFIG_DIR: join(folder, 'remote'),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  )
  const responses = createInterface({ input: remote.stdout })[Symbol.asyncIterator]()
  const send = (message: object) =>
    remote.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const next = async () => JSON.parse((await responses.next()).value)
  try {
    send({
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    })
    expect((await next()).result.serverInfo.name).toBe('domain-marketplace')
    send({ method: 'notifications/initialized' })
    // What needs nobody needs no sign-in.
    const free = { name: 'search_names', arguments: { q: 'signed in' } }
    send({ id: 2, method: 'tools/call', params: free })
    const masked = (await next()).result.structuredContent
    expect(JSON.stringify(masked)).toContain('"price_masked":true')
    const quote = { name: 'get_quote', arguments: { domain: 'signed-in.com' } }
    send({ id: 3, method: 'tools/call', params: quote })
    expect(await next()).toMatchObject({
      id: 3,
      result: { structuredContent: { domain: 'signed-in.com', price_cents: 12_000 } },
    })
  } finally {
    remote.kill()
  }
})

test('openid-client discovers, registers, signs in and refreshes', async () => {
  const resource = await fetch(`${service.baseUrl}/.well-known/oauth-protected-resource/api`)
  const { authorization_servers } = (await resource.json()) as { authorization_servers: string[] }
  const redirect_uri = 'http://127.0.0.1:9/callback'
  const config = await openid.dynamicClientRegistration(
    new URL(authorization_servers[0] ?? ''),
    { redirect_uris: [redirect_uri], client_name: 'Their app', token_endpoint_auth_method: 'none' },
    openid.None(),
    { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
  )
  const verifier = openid.randomPKCECodeVerifier()
  const state = openid.randomState()
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: 'pricing:read orders:create',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
  })
  const browser = spawn(await person(), [url.href], { env: { ...process.env, PERSON_SAYS: 'on' } })
  let back = ''
  for await (const chunk of browser.stdout) back += chunk
  const tokens = await openid.authorizationCodeGrant(config, new URL(back), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  })
  expect(tokens.scope).toBe('pricing:read orders:create')
  expect(tokens.mandate).toMatchObject({ currency: 'USD' })
  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
  expect(refreshed.mandate).toEqual(tokens.mandate)
  await expect(
    openid.refreshTokenGrant(config, refreshed.refresh_token ?? '', { scope: 'domains:manage' }),
  ).rejects.toMatchObject({ error: 'invalid_scope' })
})

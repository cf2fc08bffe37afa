import { randomUUID } from 'node:crypto'
import { SCOPES } from '../../src/core/caller.ts'
import { scopesOf } from '../../src/core/operation.ts'
import { ADMIN_OPERATIONS } from '../../src/http/admin/serve.ts'
import { PARTNER_OPERATIONS } from '../../src/http/partner/operations.ts'
import { baseOf } from '../../src/http/partner/serve.ts'
import { PUBLIC_OPERATIONS } from '../../src/http/public/operations.ts'
import type { PartnerClient, Result } from '../../test/support/client.ts'
import { exchange, makeUser, newCode, signIn } from '../../test/support/oauth.ts'
import { ADMIN_TOKEN, startService } from '../../test/support/service.ts'
import { hold, type Proof } from '../proof.ts'

const METRICS_TOKEN = 'the-metrics-token-of-this-trial'

/** A route, whatever API it is of. */
interface Route {
  method: string
  target: string
}

/** A wrong credential, and what it must be responded to with. */
interface Wrong {
  name: string
  headers: Record<string, string | string[]> | (() => Record<string, string>)
  refusal: string
}

/** Every route against every credential that must not open it. */
export const matrix: Proof = {
  name: 'every route against every wrong credential',
  async run({ say }) {
    const service = await startService({ settings: { metricsToken: METRICS_TOKEN } })
    const counts = new Map<string, number>()
    const refuse = async (api: string, { method, target }: Route, wrong: Wrong) => {
      const headers = typeof wrong.headers === 'function' ? wrong.headers() : wrong.headers
      const sendsBody = method === 'POST' || method === 'PUT'
      const response = await service.send({
        method,
        target,
        headers: {
          ...(sendsBody && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
          ...headers,
        },
        ...(sendsBody && { body: '{}' }),
      })
      const found = errorOf(response)
      hold(
        found === wrong.refusal,
        `${method} ${target} with ${wrong.name} was answered ${found} instead of ${wrong.refusal}: ${response.text}`,
      )
      counts.set(api, (counts.get(api) ?? 0) + 1)
    }

    try {
      const good = await service.partner()
      const revoked = await service.partner()
      await service.admin('POST', `/credentials/${revoked.credential.key_id}/revoke`, {})
      const suspended = await service.partner()
      await service.admin('POST', `/partners/${suspended.partner_id}/status`, {
        status: 'suspended',
      })
      const live = await service.partner({ environment: 'live' })
      await makeUser(service, 'user@example.com')
      const personal = (await service.admin('POST', '/user-tokens', { email: 'user@example.com' }))
        .body.token
      const browser = await signIn(service, 'user@example.com')
      const letIn = await newCode(service, browser)
      const app = (await exchange(service, letIn)).body.access_token
      const cookie = browser.cookie ?? ''
      hold(Boolean(personal && app && cookie), 'the credentials of the trial could not be made')

      for (const operation of PARTNER_OPERATIONS) {
        const route = routeOf(operation, baseOf(operation))
        const lacking = await service.partner({
          scopes: SCOPES.filter((scope) => !scopesOf(operation).includes(scope)),
        })
        for (const wrong of wrongSignatures(route, { good, revoked, suspended, lacking })) {
          await refuse('partner', route, wrong)
        }
        for (const token of [ADMIN_TOKEN, METRICS_TOKEN, personal, app]) {
          const headers = { authorization: `Bearer ${token}`, cookie }
          await refuse('partner', route, {
            name: 'a bearer token and a cookie',
            headers,
            refusal: '401 missing_credentials',
          })
        }
        if (operation.sandboxOnly) {
          await refuse('partner', route, {
            name: 'a live credential',
            headers: () => live.sign(route.method, route.target, bodyOf(route)),
            refusal: '404 not_found',
          })
        }
      }

      const adminRoutes = [
        ...ADMIN_OPERATIONS.map((operation) => routeOf(operation, '/api/admin/v1')),
        { method: 'POST', target: '/api/admin/v1/listings/import?environment=live' },
        { method: 'POST', target: '/api/admin/v1/tld-prices/import' },
      ]
      for (const route of adminRoutes) {
        for (const wrong of [
          { name: 'nothing', headers: {} },
          ...['', 'x', METRICS_TOKEN, personal, app, `${ADMIN_TOKEN}x`, ADMIN_TOKEN.slice(1)].map(
            (token) => ({
              name: `the token ${token}`,
              headers: { authorization: `Bearer ${token}` },
            }),
          ),
          { name: 'Basic', headers: { authorization: `Basic ${btoa(`admin:${ADMIN_TOKEN}`)}` } },
          {
            name: 'a signature',
            headers: () => good.sign(route.method, route.target, bodyOf(route)),
          },
          { name: "a user's session", headers: { cookie } },
          { name: 'a made-up session', headers: { cookie: cookie.replace(/=.*/, '=made-up') } },
        ] as Omit<Wrong, 'refusal'>[]) {
          await refuse('admin', route, { ...wrong, refusal: '401 unauthorized' })
        }
      }

      const badTokens = [
        '',
        'x',
        ADMIN_TOKEN,
        METRICS_TOKEN,
        `${app}x`,
        app.slice(1),
        'a b',
        '\u00ff',
      ]
      const publicRoutes = [
        ...PUBLIC_OPERATIONS.map((operation) => routeOf(operation, '')),
        { method: 'POST', target: '/api/batch' },
        { method: 'GET', target: '/api/batch' },
        { method: 'GET', target: '/api' },
        { method: 'POST', target: '/mcp' },
      ]
      for (const route of publicRoutes) {
        for (const token of badTokens) {
          const headers = {
            authorization: `Bearer ${token}`,
            accept: 'application/json, text/event-stream',
          }
          await refuse('public', route, { name: token, headers, refusal: '401 invalid_token' })
        }
        await refuse('public', route, {
          name: 'two tokens, of which one is good',
          headers: {
            authorization: [`Bearer ${app}`, 'Bearer x'],
            accept: 'application/json, text/event-stream',
          },
          refusal: '401 invalid_token',
        })
      }
      const bulk = { method: 'POST', target: '/api/domains/bulk/lock' }
      for (const [name, headers, refusal] of [
        ['nothing', {}, '401 unauthorized'],
        ["an app's token", { authorization: `Bearer ${app}` }, '401 unauthorized'],
        ['the admin token', { authorization: `Bearer ${ADMIN_TOKEN}` }, '401 invalid_token'],
        [
          'a session, from elsewhere',
          { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
          '403 forbidden',
        ],
      ] as const) {
        await refuse('public', bulk, { name, headers, refusal })
      }
      for (const token of ['', 'x', personal, app]) {
        await refuse(
          'metrics',
          { method: 'GET', target: '/metrics' },
          {
            name: token,
            headers: { authorization: `Bearer ${token}` },
            refusal: '401 unauthorized',
          },
        )
      }
    } finally {
      await service.stop()
    }
    for (const [api, times] of counts) say(`${times} refusals of the ${api} API`)
    const total = [...counts.values()].reduce((sum, times) => sum + times, 0)
    return `${total} combinations, each refused as the contract says`
  },
}

function routeOf({ method, path }: { method: string; path: string }, base: string): Route {
  return { method, target: base + path.replace(/\{\w+\}/g, 'clear') }
}

function bodyOf({ method }: Route): string {
  return method === 'POST' || method === 'PUT' ? '{}' : ''
}

function wrongSignatures(
  route: Route,
  who: Record<'good' | 'revoked' | 'suspended' | 'lacking', PartnerClient>,
): Wrong[] {
  const body = bodyOf(route)
  const sign = (client: PartnerClient, options = {}) =>
    client.sign(route.method, route.target, body, options)
  const now = Math.floor(Date.now() / 1_000)
  const used = randomUUID()
  const spent = sign(who.lacking, { nonce: used })
  const without = (name: string) => {
    const headers = sign(who.good)
    delete headers[name]
    return headers
  }
  return [
    { name: 'nothing', headers: {}, refusal: '401 missing_credentials' },
    {
      name: 'no key id',
      headers: without('x-service-key-id'),
      refusal: '401 missing_credentials',
    },
    ...['timestamp', 'nonce', 'signature'].map((name) => ({
      name: `no ${name}`,
      headers: without(`x-service-${name}`),
      refusal: '401 missing_signature_headers',
    })),
    ...[now - 301, now + 310, now * 1_000, 'now', -1].map((timestamp) => ({
      name: `the timestamp ${timestamp}`,
      headers: sign(who.good, { timestamp: String(timestamp) }),
      refusal: '401 invalid_timestamp',
    })),
    {
      name: 'an unknown key id',
      headers: { ...sign(who.good), 'x-service-key-id': 'pk_sandbox_unknown' },
      refusal: '401 invalid_signature',
    },
    {
      name: "another's key id",
      headers: { ...sign(who.good), 'x-service-key-id': who.lacking.credential.key_id },
      refusal: '401 invalid_signature',
    },
    {
      name: 'a signature of another method',
      headers: sign(who.good, { canonical: (text: string) => text.replace(/^\w+/, 'PATCH') }),
      refusal: '401 invalid_signature',
    },
    {
      name: 'a revoked credential',
      headers: sign(who.revoked),
      refusal: '403 credential_not_active',
    },
    {
      name: 'a suspended partner',
      headers: sign(who.suspended),
      refusal: '403 partner_not_active',
    },
    { name: 'no scope', headers: spent, refusal: '403 forbidden' },
    { name: 'a spent nonce', headers: spent, refusal: '401 replay_detected' },
  ]
}

function errorOf({ status, body, text }: Result): string {
  return `${status} ${body?.error?.code ?? text.slice(0, 60)}`
}

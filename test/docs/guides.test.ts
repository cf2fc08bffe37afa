import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { EppTestServer } from '../../packages/epp-client/test/support/server.ts'
import { seedListings } from '../../src/domain/sandbox/seed.ts'
import type { PartnerClient } from '../support/client.ts'
import { packedClient } from '../support/client-package.ts'
import { earned } from '../support/earnings.ts'
import { freshName, must, operate } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { sold } from '../support/sale.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
let service: TestService
let folder: string
beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(join(tmpdir(), 'guides-'))
  // All guides begin here: it fetches the program that they use.
  await follow('docs/guides/start.md', await service.partner())
}, 60_000)
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

/** Runs a document's shell snippets as a reader would: one after another, in one shell. */
async function follow(
  document: string,
  partner: PartnerClient,
  own: Record<string, string> = {},
  cwd = folder,
): Promise<string> {
  const text = await readFile(new URL(`../../${document}`, import.meta.url), 'utf8')
  const snippets = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, snippet]) => snippet)
  expect(snippets.length).toBeGreaterThan(0)
  const stopChildren = `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT`
  const script = [stopChildren, ...snippets].join('\n')
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    timeout: 200_000,
    env: {
      ...process.env,
      SERVICE_URL: service.baseUrl,
      SERVICE_KEY_ID: partner.credential.key_id,
      SERVICE_SECRET: partner.credential.secret,
      ...own,
    },
  })
  return stdout
}

/** A user whose TXT records are always as their claims have them. */
async function seller() {
  await makeUser(service, 'seller@example.com')
  const { body } = await service.admin('POST', '/user-tokens', { email: 'seller@example.com' })
  const { dns, db } = service.app
  const { txt } = dns
  dns.txt = async (name) => {
    const domain = name.replace('_marketplace.', '')
    const claims = db.selectFrom('claims').select('token').where('domain', '=', domain)
    const rows = await claims.execute()
    return rows.map(({ token }) => `marketplace-verification=${token}`)
  }
  return {
    token: body.token as string,
    restore() {
      dns.txt = txt
    },
  }
}

/** The JSON objects that were printed, of which some have several lines. */
function responses(output: string) {
  return output
    .replaceAll(
      /\[\n(\{.*\}(?:\n,\n\{.*\})*)\n\]/g,
      (_, rows: string) => `[${rows.replaceAll('\n', '')}]`,
    )
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

/** Each runs dozens of programs, on a machine that may have more to do. */
describe('what the documents tell a reader to paste', { timeout: 240_000 }, () => {
  test('the README searches the sandbox', async () => {
    const output = await follow('README.md', await service.partner(), {}, ROOT)
    expect(responses(output)[0].results[0].why).toContain('dog')
  })

  test('"Get started" searches with the program that it fetches', async () => {
    const output = await follow('docs/guides/start.md', await service.partner())
    expect(responses(output)[0].results[0].why).toContain('dog')
  })

  test('"Signing requests" signs a search for curl', async () => {
    const output = await follow('docs/guides/signing.md', await service.partner())
    expect(responses(output)[0].results[0].why).toContain('dog')
  })

  test.each([
    'orders?status=SETTLED&status=PAID',
    'domains/search?q=b&q=a+c&q=',
    'domains/search?q=dog&%F0%9F%98%80=1&%EF%BF%BD=1&z=1&%C3%A9=1&a!=1',
  ])('the program that the guides use signs any query: %s', async (target) => {
    const { credential } = await service.partner()
    // It may be an error, after which the program ends with 1.
    const { stdout } = await run(
      'node',
      ['examples/call.mjs', 'GET', `/api/partner/v1/${target}`],
      {
        cwd: ROOT,
        env: {
          ...process.env,
          SERVICE_URL: service.baseUrl,
          SERVICE_KEY_ID: credential.key_id,
          SERVICE_SECRET: credential.secret,
        },
      },
    ).catch((error: { stdout: string }) => error)
    // What a query repeats may be rejected, but not as signed wrongly.
    expect(JSON.parse(stdout).error?.code).not.toBe('invalid_signature')
  })

  test('"Your first sale" sells, settles and starts over', async () => {
    const partner = await service.partner()
    const said = responses(await follow('docs/guides/first-sale.md', partner))
    const statement = said.findLast((response) => response.lines)
    expect(statement).toMatchObject({ status: 'closed', order_count: 1 })
    expect(statement.lines[0].owed_cents).toBe(statement.amount_owed_cents)
    const { events } = said.find((response) => response.events)
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'order.recorded',
      'order.transfer_started',
      'order.transfer_completed',
      'order.settled',
    ])
    expect(said.find((response) => response.error)?.error.code).toBe('conflict')
    expect(said.at(-1)).toMatchObject({ reset: true })
  })

  test('"Receiving a domain" reads the code and sees the proof', async () => {
    const partner = await service.partner()
    const said = responses(await follow('docs/guides/receiving-a-domain.md', partner))
    expect(said.filter((response) => response.error)).toEqual([])
    expect(said.find((response) => response.auth_code)?.domain).toBe('petpantry.test')
    expect(said.findLast((response) => response.transfer)?.transfer).toMatchObject({
      status: 'completed',
      proof: { source: 'simulated' },
    })
    const { events } = said.find((response) => response.events)
    expect(events.map(({ type }: { type: string }) => type)).toContain('transfer.code_available')
  })

  test('"Connecting a registrar" signs in, reads a name and removes it', async () => {
    const server = await new EppTestServer().start()
    server.add('ours.com', { nameservers: ['ns1.registrar.example'] })
    const { host, port, user, password, tls } = server.access
    const own = await mkdtemp(join(tmpdir(), 'registrar-'))
    try {
      for (const [file, pem] of Object.entries(tls || {})) await writeFile(join(own, file), pem)
      const output = await follow(
        'docs/guides/connecting-a-registrar.md',
        await service.partner(),
        {
          BASE_URL: service.baseUrl,
          ADMIN_TOKEN,
          EPP_HOST: host,
          EPP_PORT: String(port),
          EPP_USER: user,
          EPP_PASSWORD: password,
          EPP_CA: join(own, 'ca'),
          EPP_CERT: join(own, 'cert'),
          EPP_KEY: join(own, 'key'),
        },
        ROOT,
      )
      const said = responses(output)
      expect(said.find((response) => response.driver)).toMatchObject({ driver: 'epp', ok: true })
      expect(said.find((response) => response.domains)?.domains).toMatchObject([
        { domain: 'ours.com', registrar: 'registry', nameservers: ['ns1.registrar.example'] },
      ])
    } finally {
      await server.stop()
      await rm(own, { recursive: true })
    }
  })

  test('"Paying partners" pays one, and is paid', async () => {
    const partner = await service.partner()
    await earned(service, partner, 'sandbox', 5_000)
    const { public_id } = await sold(partner, await freshName(service))
    await operate(service, public_id, 'start', 'complete')
    must(await partner.post('/sandbox/settlement-runs'), 201)
    const own = { BASE_URL: service.baseUrl, ADMIN_TOKEN, PARTNER_ID: partner.partner_id }
    const said = responses(await follow('docs/guides/paying-partners.md', partner, own, ROOT))
    expect(said.find((response) => response.batch_id)).toMatchObject({ count: 1 })
    expect(said.find((response) => response.unknown)).toMatchObject({ paid: 1, unknown: [] })
    expect(said.at(-1)).toMatchObject({ received_cents: 100, payment_status: 'part_paid' })
  })

  test('"Receiving webhooks" receives a test event and a sale', async () => {
    const partner = await service.partner()
    for (const time of ['first', 'second']) {
      const output = await follow('docs/guides/receiving-webhooks.md', partner)
      expect(output, `the ${time} time`).toContain('webhook.test {"message"')
      expect(output).toContain('order.recorded {"order"')
      expect(responses(output).filter((response) => response.error)).toEqual([])
    }
    await outlivesStrangers(4000)
  })

  test('"Reading the market" searches, walks and batches', async () => {
    await seedListings(service.app, 'live')
    const output = await follow('docs/guides/reading-the-market.md', await service.partner())
    const [search, ...more] = responses(output)
    expect(search.results[0]).toMatchObject({ domain: '7lanterns.com', state: 'listed' })
    const rows = more.filter((response) => response.kind === 'row')
    expect(rows).toHaveLength(search.results.length)
    const counts = more.find((response) => response.com)
    const { page } = (await service.send({ method: 'GET', target: '/api/market/listings' })).body
    const counted = Object.values<number>(counts).reduce((sum, count) => sum + count, 0)
    expect(counted).toBe(page.total)
    expect(more.at(-1)).toMatchObject({ count: 3, failed: 1 })
    expect(more.filter((response) => response.error)).toEqual([])
  })

  test('"Selling your domains" claims, proves and lists one', async () => {
    const own = await seller()
    try {
      const output = await follow('docs/guides/selling-your-domains.md', await service.partner(), {
        ACCESS_TOKEN: own.token,
        DOMAIN: 'guided.com',
      })
      const said = responses(output)
      expect(said[0].claims[0].txt.name).toBe('_marketplace.guided.com')
      expect(said[1].claims[0].status).toBe('verified')
      expect(said[2].results[0].status).toBe(200)
      const [file, again] = said.filter(({ rows }) => rows !== undefined)
      expect(file).toMatchObject({ rows: 3, priced: 1, claimed: 1, waiting: 1, rejected_count: 1 })
      expect(again).toMatchObject({ rows: 2, priced: 1, claimed: 0, rejected: [] })
      expect(output).toContain('guided.com,2600.00,2100.00,1100.00,open,USD,for_sale,,')
    } finally {
      own.restore()
    }
  })

  test('"Delivery receipts" delivers a domain and verifies its receipt', async () => {
    const more = { CLIENT: await packedClient() }
    const output = await follow('docs/guides/delivery-receipts.md', await service.partner(), more)
    expect(responses(output).filter(({ error }) => error)).toEqual([])
    expect(output).toContain('VALID, of a test')
    expect(output).toMatch(/^sandbox \{/m)
    expect(output).toMatch(/registrar said +\{"status":"succeeded"/)
  })

  test('"Using the client" sells, verifies and searches', async () => {
    const more = { CLIENT: await packedClient() }
    const output = await follow('docs/guides/using-the-client.md', await service.partner(), more)
    expect(output).toMatch(/^sold \S+\.(?:test|example) EXTERNALLY_PAID$/m)
    expect(output).toMatch(/^order\.recorded \S+$/m)
    expect(output).toContain('verified order.recorded\nWebhookVerificationError')
    expect(output).toContain('petpantry.com')
  })

  test('"Testing your retries" loses a response and lets time pass', async () => {
    const partner = await service.partner()
    const said = responses(await follow('docs/guides/testing-retries.md', partner))
    expect(said.filter((response) => response.error)).toEqual([])
    const retried = said.find((response) => response.tries)
    expect(retried).toMatchObject({ tries: 2, status: 201, replayed: 'true' })
    const { orders } = said.find((response) => response.orders)
    expect(orders).toMatchObject([{ public_id: retried.public_id }])
    expect(said.find((response) => response.advanced_seconds)).toMatchObject({ quotes_expired: 1 })
    expect(said.find((response) => response.metadata)?.status).toBe('listed')
    expect(said.at(-2).advanced_seconds).toBe(2_678_400)
    expect(said.at(-1)).toMatchObject({ reset: true })
  })

  test('"Webhooks on your own machine" forwards a sale', async () => {
    const more = { CLIENT: await packedClient(), XDG_STATE_HOME: join(folder, 'state') }
    const output = await follow('docs/guides/listening.md', await service.partner(), more)
    expect(output).toMatch(/^Webhook secret: whsec_/m)
    expect(output).toMatch(/^got order\.recorded evt_/m)
    expect(output).toMatch(/order\.recorded +evt_\w+ {2}\[200\]/)
    await outlivesStrangers(4004)
  })

  test('"Signing in an agent" goes from a bare 401 to real prices', async () => {
    const port = await freePort()
    const at = `http://localhost:${port}`
    const own = await startService({ port, settings: { baseUrl: at } })
    try {
      await own.list(
        'live',
        'domain,price_cents,floor_price_cents,currency\nacme.com,5000,4000,USD\n',
      )
      const browser = join(folder, 'browser.mjs')
      await writeFile(browser, PERSON, { mode: 0o755 })
      const output = await follow('docs/guides/signing-in-an-agent.md', await own.partner(), {
        SERVICE_URL: at,
        BROWSER: browser,
      })
      expect(output).toContain(`resource_metadata="${at}/.well-known/oauth-protected-resource"`)
      const said = responses(output)
      const prices = said.flatMap(({ items }) => items ?? []).map((item) => item.price_cents)
      expect(prices).toEqual([null, 5000])
      expect(said.slice(-4)).toMatchObject([
        { items: [{ price_masked: false }] },
        { refreshed: true },
        { error: 'invalid_grant' },
        { error: { code: 'invalid_token' } },
      ])
    } finally {
      await own.stop()
    }
  })

  test('"Buying with an agent" goes from nothing to a bought domain', async () => {
    const port = await freePort()
    const at = `http://localhost:${port}`
    const own = await startService({ port, settings: { baseUrl: at } })
    const cwd = await mkdtemp(join(tmpdir(), 'buyer-'))
    try {
      await symlink(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
      await makeUser(own, 'ann@example.com')
      await own.list(
        'live',
        `domain,price_cents,floor_price_cents,currency
dogfoodshop.com,1650000,1650000,USD
mydogfoodshop.com,40000,40000,USD
thedogfoodshop.com,5000,4000,USD
`,
      )
      const browser = join(cwd, 'browser.mjs')
      await writeFile(browser, PERSON.replace('/sign-up', '/sign-in'), { mode: 0o755 })
      const more = { SERVICE_URL: at, BROWSER: browser }
      const output = await follow(
        'docs/guides/buying-with-an-agent.md',
        await own.partner(),
        more,
        cwd,
      )
      expect(responses(output)).toMatchObject([
        { found: ['dogfoodshop.com', 'mydogfoodshop.com', 'thedogfoodshop.com'] },
        // Beyond the mandate, beyond the cap, and within both.
        { domain: 'dogfoodshop.com', total: '16,500.00 USD', left_cents: 100_000 },
        { domain: 'mydogfoodshop.com', total: '400.00 USD' },
        { domain: 'thedogfoodshop.com', total: '50.00 USD' },
        { total: '50.00 USD' },
        { status: 'PAID' },
        { domain: 'thedogfoodshop.com', status: 'PAID' },
      ])
    } finally {
      await own.stop()
      await rm(cwd, { recursive: true })
    }
  })
})

/** Starts the receiver that a guide wrote, and sends what nobody should stop it with. */
async function outlivesStrangers(port: number): Promise<void> {
  const env = { ...process.env, WEBHOOK_SECRET: 'a-secret-of-16-or-more' }
  const receiver = spawn('node', ['receiver.mjs'], { cwd: folder, env, stdio: 'ignore' })
  try {
    const forged = () => fetch(`http://localhost:${port}`, { method: 'POST', body: '{}' })
    await vi.waitFor(forged, 20_000)
    const begun = () => {
      const socket = connect(port, 'localhost').on('error', () => {})
      socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\nx')
      return socket
    }
    const dropped = begun()
    dropped.destroySoon()
    await once(dropped, 'close')
    const long = begun()
    long.write('x'.repeat(2_000_000))
    const answer = once(long, 'data', { signal: AbortSignal.timeout(20_000) })
    expect(String(await answer)).toMatch(/^HTTP\/1.1 [45]00 /)
    long.destroy()
    expect((await forged()).status).toBe(400)
    expect(receiver.exitCode).toBeNull()
  } finally {
    receiver.kill()
  }
}

/** Somebody who opens the page that an agent sends them to, makes an account, and allows it. */
const PERSON = `#!/usr/bin/env node
const page = new URL(process.argv[2])
let cookie = ''
async function go(path, form) {
  const answer = await fetch(new URL(path, page), {
    redirect: 'manual',
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  })
  cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
  return answer
}
const next = page.pathname + page.search
await go('/sign-up', { email: 'ann@example.com', password: 'correct horse battery', next })
const text = await (await go(next)).text()
const consent = /name="consent" value="([^"]*)"/.exec(text)[1]
const allowed = await go('/oauth/authorize', { consent, decision: 'allow' })
await fetch(allowed.headers.get('location'))
`

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

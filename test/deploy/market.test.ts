import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Buyer, DETAILS } from '../support/buyer.ts'
import { send } from '../support/client.ts'
import { POSTGRES } from '../support/database.ts'
import { installed } from '../support/installed.ts'
import { cleanUp, emptyDatabase, freePort, newFolder, type Variables } from '../support/process.ts'
import type { TestService } from '../support/service.ts'
import { startSmtpServer } from '../support/smtp-server.ts'
import { sendWebhook, startStripe } from '../support/stripe.ts'
import { buildImage, type Container, canBuild, type Image, runImage } from './image.ts'
import { ROOT, run } from './tools.ts'

const NAME = 'hometown.example'
const SECRETS = {
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  ADMIN_TOKEN: 'the-admin-token-of-this-test-and-more',
  STRIPE_SECRET_KEY: 'sk_test_local',
  STRIPE_WEBHOOK_SECRET: 'whsec_test_secret',
}

vi.setConfig({ testTimeout: 400_000 })
const canRun = canBuild && POSTGRES && ['haproxy', 'caddy', 'pg_dump'].every(installed)
const children: ChildProcess[] = []
const servers: Server[] = []
afterAll(async () => {
  for (const child of children) child.kill()
  for (const server of servers) server.close()
  await cleanUp()
})

const deploy = (file: string) => readFile(join(ROOT, 'deploy', file), 'utf8')

/** A program that runs until the tests end, and what it prints. */
function launch(program: string, args: string[], variables: Variables): void {
  const env = { PATH: process.env.PATH, ...variables }
  children.push(spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] }))
}

/** deploy/haproxy.cfg, before instances on ports of this machine instead of containers. */
async function balance(folder: string, ports: number[]): Promise<number> {
  const port = await freePort()
  const instances = ports.map((to) => `    server at-${to} 127.0.0.1:${to}`).join('\n')
  const config = (await deploy('haproxy.cfg'))
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace(/^ {4}server-template .*$/m, instances)
    .replace(/^resolvers containers\n(?: {4}.*\n)+/m, '')
    .replace(' resolvers containers init-addr none', '')
  await writeFile(join(folder, 'haproxy.cfg'), config)
  launch('haproxy', ['-db', '-q', '-f', join(folder, 'haproxy.cfg')], {})
  return port
}

/** deploy/Caddyfile, on ports of its own and with its own certificate authority, whose certificate this returns. */
async function terminateTls(folder: string, port: number, upstream: number, instance: number) {
  const own = `{\n\thttp_port ${await freePort()}\n\thttps_port ${port}\n\tlocal_certs\n\tskip_install_trust\n\tadmin off\n`
  await writeFile(join(folder, 'Caddyfile'), (await deploy('Caddyfile')).replace('{\n', own))
  launch('caddy', ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], {
    HOME: folder,
    XDG_DATA_HOME: folder,
    MARKET_HOST: `https://localhost:${port}`,
    UPSTREAM: `127.0.0.1:${upstream}`,
    TLS_ASK: `http://127.0.0.1:${instance}/internal/tls-allowed`,
  })
  const file = join(folder, 'caddy/pki/authorities/local/root.crt')
  await expect.poll(() => readFile(file).catch(() => null), { timeout: 60_000 }).not.toBeNull()
  return readFile(file, 'utf8')
}

interface Response {
  status: number
  text: string
  headers: IncomingHttpHeaders
}

/** A page over TLS, of a host that is at Caddy. */
function overTls(port: number, ca: string, host: string, path: string): Promise<Response> {
  const options = { host: '127.0.0.1', port, ca, servername: host, path, headers: { host } }
  return new Promise((resolve, reject) => {
    const request = httpsRequest({ ...options, agent: false }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      resolve({ status: response.statusCode ?? 0, text, headers: response.headers })
    })
    request.on('error', reject).end()
  })
}

/** Where plain requests go on to Caddy, over TLS: for a buyer that speaks HTTP alone. */
async function plainly(port: number, ca: string): Promise<string> {
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const options = { host: '127.0.0.1', port, ca, servername: 'localhost', method, path: url }
    const onward = httpsRequest(
      { ...options, headers: { ...headers, host: 'localhost' } },
      (from) => {
        response.writeHead(from.statusCode ?? 0, from.headers)
        from.pipe(response)
      },
    )
    onward.on('error', () => response.writeHead(502).end())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  servers.push(server)
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

/** A script of deploy/backup. */
async function script(name: string, url: string, variables: Variables, ...args: string[]) {
  const { hostname, port, username, password, pathname } = new URL(url)
  const libpq = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password }
  const env = { PATH: process.env.PATH, ...libpq, PGDATABASE: pathname.slice(1), ...variables }
  return (await run('sh', [join(ROOT, 'deploy/backup', name), ...args], { env })).stdout.trim()
}

describe.skipIf(!canRun)(
  'the image as two instances on PostgreSQL, behind HAProxy and Caddy',
  () => {
    let image: Image
    beforeAll(async () => {
      image = await buildImage()
    }, 1_800_000)

    test('makes its first sale, and keeps it through a loss of its database', async () => {
      const stripe = await startStripe()
      const mail = await startSmtpServer()
      const folder = await newFolder()
      const data = await newFolder()
      const [tlsPort, ...ports] = await Promise.all([freePort(), freePort(), freePort()])
      const before = await emptyDatabase()
      const instance = async (port: number, url: string): Promise<Container> =>
        runImage(
          image,
          {
            ...SECRETS,
            PORT: String(port),
            ADMIN_PORT: String(await freePort()),
            DATABASE_URL: url,
            BASE_URL: `https://localhost:${tlsPort}`,
            TRUSTED_PROXIES: '127.0.0.1,::1',
            DRAIN_SECONDS: '2',
            DEMO_PARTNER: 'off',
            SMTP_URL: mail.url,
            STRIPE_API_BASE: stripe.settings.apiBase,
          },
          data,
        )
      const [first, second] = ports
      let instances = [await instance(first, before.url), await instance(second, before.url)]
      const upstream = await balance(folder, ports)
      const ca = await terminateTls(folder, tlsPort, upstream, first)
      const page = (host: string, path: string) => overTls(tlsPort, ca, host, path)
      await expect
        .poll(async () => (await page('localhost', '/')).status, { timeout: 60_000 })
        .toBe(200)
      for (const path of [
        '/metrics',
        '/api/admin/v1/orders',
        '/api/%61dmin/v1/orders',
        '/internal/tls-allowed',
      ]) {
        expect((await page('localhost', path)).status, path).toBe(403)
      }

      await writeFile(
        join(data, 'names.csv'),
        `domain,price_cents,floor_price_cents,currency\n${NAME},129900,,USD\n`,
      )
      const command = 'node dist/cli.js listings import /data/names.csv --env live'
      const imported = await instances[0]?.exec(...command.split(' '))
      expect(imported).toMatchObject({ code: 0 })
      // A certificate for the name itself, and its lander.
      expect((await page(NAME, '/')).text).toContain(NAME)
      await expect(page('other.example', '/')).rejects.toThrow()

      const baseUrl = await plainly(tlsPort, ca)
      const buyer = new Buyer({ baseUrl })
      await buyer.visit(`/d/${NAME}`)
      await buyer.submit()
      await buyer.submit(DETAILS)
      await buyer.submit()
      expect(buyer.page.status, buyer.page.text).toBe(303)
      const session = stripe.sessionAt(buyer.page.headers.location)
      expect(session).toMatchObject({ amount_total: 129_900, currency: 'usd' })
      const paid = { ...session, payment_status: 'paid', status: 'complete' }
      const target = {
        send: (options: Parameters<typeof send>[1]) => send(baseUrl, options),
        clock: { now: () => new Date() },
      }
      const told = await sendWebhook(target as TestService, 'checkout.session.completed', paid)
      expect(told.status, told.text).toBe(200)
      await buyer.visit(session.success_url)
      const order = buyer.publicId
      expect(order, buyer.page.text).toBeDefined()
      await expect
        .poll(() => mail.messages.join('\n'), { timeout: 30_000 })
        .toMatch(new RegExp(`To: .*${DETAILS.email}[^]*${NAME}`))

      const backup = await script('backup.sh', before.url, { BACKUPS: folder })
      for (const one of instances) expect(await one.stop()).toBe(0)
      await before.drop()
      const after = await emptyDatabase()
      await script('restore.sh', after.url, {}, backup)
      instances = [await instance(first, after.url), await instance(second, after.url)]
      const read = await instances[1]?.exec('node', 'dist/cli.js', '--json', 'order', 'list')
      expect(JSON.parse(read?.stdout ?? '').orders).toMatchObject([
        { public_id: order, domain: NAME },
      ])
      await expect.poll(async () => (await page('localhost', `/d/${NAME}`)).status).toBe(200)
      await buyer.visit(session.success_url)
      expect(buyer.publicId).toBe(order)
      for (const one of instances) expect(await one.stop()).toBe(0)
      stripe.stop()
      mail.stop()
    })
  },
)

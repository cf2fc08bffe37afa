import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { seedListings } from '../../src/modules/sandbox/seed.ts'
import type { PartnerClient } from '../support/client.ts'
import { installClient, packedClient, run } from '../support/client-package.ts'
import { freshName } from '../support/market.ts'
import { closeReceivers, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let folder: string
let installed: string
let partner: PartnerClient
beforeAll(async () => {
  service = await startService()
  await seedListings(service.house, 'live')
  folder = mkdtempSync(join(tmpdir(), 'client-'))
  installed = join(folder, 'node_modules', 'domain-marketplace-client')
  await installClient(folder)
  partner = await service.partner()
}, 240_000)
afterEach(closeReceivers)
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

function environment(who = partner, address = service.baseUrl) {
  return {
    ...process.env,
    SERVICE_URL: address,
    SERVICE_KEY_ID: who.credential.key_id,
    SERVICE_SECRET: who.credential.secret,
    XDG_STATE_HOME: join(folder, 'state'),
  }
}

const bin = () => join(folder, 'node_modules', '.bin', 'marketplace')

/** Runs a command to its end, whatever its exit code. */
async function marketplace(args: string[], env = environment()) {
  try {
    return { code: 0, ...(await run(bin(), args, { env, cwd: folder })) }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}

describe('the package', () => {
  test('holds what it needs, and nothing else', async () => {
    const { stdout } = await run('tar', ['tzf', await packedClient()])
    const files = stdout
      .trim()
      .split('\n')
      .map((file) => file.replace('package/', ''))
    for (const file of [
      'package.json',
      'README.md',
      'LICENSE',
      'dist/index.js',
      'dist/index.d.ts',
    ]) {
      expect(files).toContain(file)
    }
    expect(
      files.filter((file) => !/^(dist\/.*\.(js|d\.ts|json)|[A-Zp][\w.]+)$/.test(file)),
    ).toEqual([])
    const { dependencies, scripts } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    )
    expect(dependencies).toBeUndefined()
    expect(Object.keys(scripts).filter((name) => name.includes('install'))).toEqual([])
  })

  test('is as publint wants it', async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  test('has its types for whoever imports it', async () => {
    writeFileSync(
      join(folder, 'use.ts'),
      `import { ApiError, PartnerClient, type Output, verifyWebhook } from 'domain-marketplace-client'
       import { PublicClient } from 'domain-marketplace-client/public'
       const market = new PartnerClient({ baseUrl: 'http://x', keyId: 'k', secret: 's' })
       export async function use(): Promise<number> {
         const order: Output<'create_order'> = await market.orders.get('ord_1')
         for await (const { type } of market.events.each({ limit: 5 })) if (type === 'order.paid') break
         const { id } = await verifyWebhook({ body: '', headers: {}, secret: 's' })
         try { await new PublicClient({ baseUrl: 'http://x' }).search({ q: id }) }
         catch (error) { if (error instanceof ApiError && error.code === 'rate_limited') return 1 }
         // @ts-expect-error no such field
         order.nothing
         // @ts-expect-error a body without its domain
         await market.quotes.create({})
         // @ts-expect-error no such status
         await market.orders.list({ status: 'SOLD' })
         return order.sale_price_cents
       }`,
    )
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
    }
    const config = JSON.stringify({ compilerOptions, files: ['use.ts'] })
    writeFileSync(join(folder, 'tsconfig.json'), config)
    const tsc = join(process.cwd(), 'client/node_modules/.bin/tsc')
    const { stdout } = await run(tsc, [], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('')
  }, 120_000)

  test('runs as plain JavaScript', async () => {
    const domain = await freshName(service)
    writeFileSync(
      join(folder, 'use.mjs'),
      `import { PartnerClient } from 'domain-marketplace-client'
       const { SERVICE_URL: baseUrl, SERVICE_KEY_ID: keyId, SERVICE_SECRET: secret } = process.env
       const market = new PartnerClient({ baseUrl, keyId, secret })
       console.log((await market.quotes.create({ domain: '${domain}' })).status)`,
    )
    const { stdout } = await run('node', ['use.mjs'], { cwd: folder, env: environment() })
    expect(stdout).toBe('active\n')
  })

  test.each(['index', 'public'])('reaches nothing of Node.js from %s', (entry) => {
    const seen = new Set<string>()
    const visit = (file: string) => {
      if (seen.has(file)) return
      seen.add(file)
      const text = readFileSync(file, 'utf8')
      for (const [, target = ''] of text.matchAll(/from ['"]([^'"]+)['"]/g)) {
        expect(target).toMatch(/^\.\//)
        visit(join(dirname(file), target))
      }
      expect(text).not.toMatch(/\bprocess\.|\bBuffer\b|\brequire\(/)
    }
    visit(join(installed, 'dist', `${entry}.js`))
    expect(seen.has(join(installed, 'dist', 'partner.js'))).toBe(entry === 'index')
  })
})

describe('marketplace', () => {
  test('says what there is', async () => {
    expect(await marketplace(['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('listen'),
    })
    expect(await marketplace(['nothing'])).toMatchObject({ code: 2 })
    for (const command of ['listen', 'conformance']) {
      const help = await marketplace([command, '--help'])
      expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--base-url') })
      const wrong = await marketplace([command, '--nothing'])
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--nothing') })
    }
  })

  test('refuses a live credential', async () => {
    const live = await service.partner({ environment: 'live' })
    const answer = await marketplace(['conformance'], environment(live))
    expect(answer).toMatchObject({ code: 2, stderr: expect.stringContaining('sandbox only') })
  })

  test('says so when nobody answers', async () => {
    const answer = await marketplace(['conformance'], environment(partner, 'http://127.0.0.1:9'))
    expect(answer).toMatchObject({ code: 1, stderr: expect.stringContaining('does not answer') })
  })
})

describe('marketplace conformance', () => {
  test('passes on this service', async () => {
    const own = await service.partner()
    const { stdout, code } = await marketplace(['conformance', '--json'], environment(own))
    const { checks, passed, skipped } = JSON.parse(stdout)
    const kept = (outcome: string) =>
      checks.filter((check: { outcome: string }) => check.outcome === outcome)
    expect(kept('failed')).toEqual([])
    expect(kept('skipped').map(({ title }: { title: string }) => title)).toEqual([
      'shows prices with a token',
    ])
    expect(passed).toBeGreaterThan(50)
    expect({ code, skipped }).toEqual({ code: 0, skipped: 1 })
    const { orders } = (await own.get('/orders?status=EXTERNALLY_PAID')).body
    expect(orders).toEqual([])
  }, 120_000)

  /** What each broken service in front of the right one is caught by. */
  const BROKEN: [string, string, Change, string][] = [
    ['signing', 'checks no signature', { resign: true }, 'refuses another secret'],
    [
      'signing',
      'forgets nonces',
      { resign: true, onlyValid: true },
      'takes a nonce once, however many come together',
    ],
    [
      'idempotency',
      'forgets keys',
      { dropKey: true },
      'makes one order of requests that come together',
    ],
    [
      'events',
      'loses refunds from its history',
      { answer: (text) => text.replaceAll('order.refunded', 'order.unknown') },
      'tells of a refund',
    ],
    [
      'oauth',
      'shows prices to anyone',
      { answer: (text) => text.replaceAll('"price_masked":true', '"price_masked":false') },
      'masks prices without a token',
    ],
  ]
  test.each(BROKEN)(
    '%s: fails a service that %s',
    async (group, _what, change, title) => {
      const own = await service.partner()
      const proxy = await brokenProxy(own, change)
      const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
      const args = ['conformance', '--json', '--only', group]
      const { code, stdout } = await marketplace(args, environment(own, address))
      proxy.closeAllConnections()
      proxy.close()
      const failed = JSON.parse(stdout).checks.filter(
        (check: { outcome: string }) => check.outcome === 'failed',
      )
      expect(failed.map((check: { title: string }) => check.title)).toContain(title)
      expect(code).toBe(1)
    },
    120_000,
  )
})

interface Change {
  /** Signs anew whatever comes, so that the service behind believes it. */
  resign?: boolean
  /** Only what was rightly signed. */
  onlyValid?: boolean
  /** Gives each request an Idempotency-Key of its own. */
  dropKey?: boolean
  answer?(text: string): string
}

/** Stands in front of the service, and makes it one that breaks a rule. */
async function brokenProxy(who: PartnerClient, change: Change): Promise<Server> {
  const { hostname, port } = new URL(service.baseUrl)
  const server = createServer(async (incoming, outgoing) => {
    const body = await bodyOf(incoming)
    const headers = { ...incoming.headers }
    const { method = 'GET', url = '/' } = incoming
    const isSigned = headers['x-service-signature'] !== undefined
    if (change.resign && isSigned && (!change.onlyValid || isValid(who, incoming, body))) {
      Object.assign(headers, who.sign(method, url, body.toString()))
    }
    if (change.dropKey && headers['idempotency-key']) {
      Object.assign(headers, { 'idempotency-key': crypto.randomUUID() })
      Object.assign(headers, who.sign(method, url, body.toString()))
    }
    const forwarded = request({ hostname, port, method, path: url, headers }, async (answer) => {
      const text = (await bodyOf(answer)).toString()
      const given = change.answer ? change.answer(text) : text
      const { 'content-length': _length, ...rest } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, rest).end(given)
    })
    forwarded.on('error', () => outgoing.destroy())
    forwarded.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function isValid(who: PartnerClient, incoming: IncomingMessage, body: Buffer): boolean {
  const { method = 'GET', url = '/', headers } = incoming
  const right = who.sign(method, url, body.toString(), {
    timestamp: String(headers['x-service-timestamp']),
    nonce: String(headers['x-service-nonce']),
  })
  return right['x-service-signature'] === headers['x-service-signature']
}

async function bodyOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

describe('marketplace listen', () => {
  /** A running listener with what it has said so far. */
  async function listener(who: PartnerClient, forward: string, ...more: string[]) {
    const args = ['listen', '--forward', forward, '--poll-ms', '100', ...more]
    const child = spawn(bin(), args, { env: environment(who), cwd: folder })
    let said = ''
    child.stdout.on('data', (chunk) => (said += chunk))
    child.stderr.on('data', (chunk) => (said += chunk))
    const says = (what: string | RegExp) =>
      expect.poll(() => said, { timeout: 15_000 }).toMatch(what)
    const end = (signal: NodeJS.Signals) =>
      new Promise<number | null>((resolve) => {
        child.once('exit', resolve)
        child.kill(signal)
      })
    await says('Ready.')
    const secret = /Webhook secret: (\S+)/.exec(said)?.[1] ?? ''
    return { says, end, secret, said: () => said }
  }

  const typesAndNames = (got: { event: { type: string; data: { order: { domain: string } } } }[]) =>
    got.map(({ event }) => `${event.type} ${event.data.order.domain}`)

  test('forwards what happens from now on, signed, and goes on where it was killed', async () => {
    const own = await service.partner()
    const before = await freshName(service)
    await sold(own, before)
    const receiver = await startReceiver()
    const first = await listener(own, receiver.url)
    const one = await freshName(service)
    await sold(own, one)
    const { body, headers, event } = await receiver.until(1, 15_000)
    expect(headers['x-service-signature']).toBe(
      createHmac('sha256', first.secret).update(body).digest('hex'),
    )
    expect(event).toMatchObject({ type: 'order.recorded', data: { order: { domain: one } } })
    expect(headers['webhook-id']).toBe(event.id)
    await first.says(new RegExp(`order.recorded +${event.id} +\\[200\\]`))
    await first.end('SIGKILL')

    const two = await freshName(service)
    await sold(own, two)
    const second = await listener(own, receiver.url)
    expect(second.secret).toBe(first.secret)
    await receiver.until(2, 15_000)
    expect(typesAndNames(receiver.got)).toEqual([`order.recorded ${one}`, `order.recorded ${two}`])
    expect(await second.end('SIGINT')).toBe(0)
    expect(second.said()).toContain('Stopped.')
  }, 60_000)

  test('waits while nobody listens, and shows what the receiver answers', async () => {
    const own = await service.partner()
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const { port } = gone.address() as AddressInfo
    await new Promise((resolve) => gone.close(resolve))
    const running = await listener(own, `http://127.0.0.1:${port}/hook`)
    await sold(own, await freshName(service))
    await running.says('waits: nobody listens')
    const server = createServer((_request, response) => response.writeHead(418).end())
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    await running.says(/order\.recorded .*\[418\]/)
    server.close()
    await running.end('SIGTERM')
  }, 60_000)

  test('starts at the beginning when told, and sends the wanted types only', async () => {
    const own = await service.partner()
    const order = await sold(own, await freshName(service))
    await own.post(`/sandbox/orders/${order.public_id}/start-transfer`)
    const receiver = await startReceiver()
    const running = await listener(
      own,
      receiver.url,
      '--from',
      'start',
      '--only',
      'order.transfer_started',
    )
    await receiver.until(1, 15_000)
    await own.post('/sandbox/reset')
    const again = await sold(own, await freshName(service))
    await running.says('was reset')
    await own.post(`/sandbox/orders/${again.public_id}/start-transfer`)
    await receiver.until(2, 15_000)
    expect(receiver.got.map(({ event }) => event.type)).toEqual([
      'order.transfer_started',
      'order.transfer_started',
    ])
    await running.end('SIGTERM')
  }, 60_000)

  test('says what is wrong with what it was told', async () => {
    for (const args of [
      ['listen'],
      ['listen', '--forward', 'localhost:4000'],
      ['listen', '--forward', 'http://localhost:4000', '--poll-ms', 'x'],
    ]) {
      expect(await marketplace(args)).toMatchObject({ code: 2, stdout: '' })
    }
    const wrong = ['listen', '--forward', 'http://localhost:4000', '--from', 'evt_none']
    expect(await marketplace(wrong)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('after_id'),
    })
  })
})

import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import {
  commandOf,
  environmentOf,
  installClient,
  packedClient,
  run,
  runMarketplace,
} from '../support/client-package.ts'
import { freshName } from '../support/market.ts'
import { closeReceivers, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'
import { typeProblems } from '../support/type-problems.ts'

let service: TestService
let folder: string
let installed: string
let partner: PartnerClient
beforeAll(async () => {
  service = await startService()
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

const environment = (who = partner, address = service.baseUrl) =>
  environmentOf(folder, who, address)
const marketplace = (args: string[], env = environment()) => runMarketplace(folder, args, env)

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
      'bin/marketplace.js',
      'cjs/package.json',
      'cjs/index.js',
      'cjs/index.d.ts',
    ]) {
      expect(files).toContain(file)
    }
    expect(
      files.filter((file) => !/^((bin|cjs|dist)\/.*\.(js|d\.ts|json)|[A-Zp][\w.]+)$/.test(file)),
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

  test('has types that are right, however they are resolved', async () => {
    expect(await typeProblems(await packedClient())).toEqual([])
  }, 60_000)

  /** What the compiler says of a file that imports the package. */
  async function problemsOf(code: string, more: object, file = 'use.mts'): Promise<string> {
    writeFileSync(join(folder, file), code)
    const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', ...more }
    const config = JSON.stringify({ compilerOptions, files: [file] })
    writeFileSync(join(folder, 'tsconfig.json'), config)
    const tsc = join(process.cwd(), 'client/node_modules/.bin/tsc')
    const { stdout } = await run(tsc, [], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    )
    return stdout
  }

  const BROWSER = { target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], types: [] }
  const ONLY_NODE = {
    target: 'es2022',
    lib: ['es2022'],
    types: ['node'],
    typeRoots: [join(process.cwd(), 'node_modules/@types')],
  }

  test('has its types for whoever imports it', async () => {
    const code = `import { ApiError, type Order, PartnerClient, type Output, verifyWebhook } from 'domain-marketplace-client'
       import { PublicClient } from 'domain-marketplace-client/public'
       const market = new PartnerClient({ baseUrl: 'http://x', keyId: 'k', secret: 's' })
       export async function use(): Promise<number> {
         const order: Order = await market.orders.get('ord_1')
         const created: Output<'create_order'> = order
         for await (const event of market.events.each({ limit: 5 })) {
           if (event.type === 'brokerage.case_completed') return event.data.case.price_cents
           // @ts-expect-error an order event has no case
           event.data.case
           if (event.type === 'transfer.failed') return event.data.reason?.length ?? 0
         }
         const event = await verifyWebhook({ body: '', headers: {}, secret: 's' })
         switch (event.type) {
           case 'order.paid': return event.data.order.sale_price_cents
           case 'webhook.test': return event.data.message.length
         }
         try { await new PublicClient({ baseUrl: 'http://x' }).search({ q: event.partner_id }) }
         catch (error) { if (error instanceof ApiError && error.code === 'rate_limited') return 1 }
         // @ts-expect-error no such field
         created.nothing
         // @ts-expect-error a body without its domain
         await market.quotes.create({})
         // @ts-expect-error no such status
         await market.orders.list({ status: 'SOLD' })
         return order.sale_price_cents
       }`
    expect(await problemsOf(code, BROWSER)).toBe('')
    expect(await problemsOf(code, ONLY_NODE)).toBe('')
  }, 120_000)

  test('has its types for a bundler', async () => {
    const code = `import { PartnerClient, type Order } from 'domain-marketplace-client'
       import { PublicClient } from 'domain-marketplace-client/public'
       export const found = new PublicClient({ baseUrl: 'http://x' }).search({ q: 'a' })
       // @ts-expect-error no such method
       export const none = (client: PartnerClient): Order => client.nothing()`
    const bundler = { module: 'preserve', moduleResolution: 'bundler' }
    expect(await problemsOf(code, { ...BROWSER, ...bundler }, 'use.ts')).toBe('')
  }, 60_000)

  test('is compiled and run as CommonJS', async () => {
    const code = `import { ApiError, type Order, PartnerClient } from 'domain-marketplace-client'
       import { PublicClient } from 'domain-marketplace-client/public'
       const { SERVICE_URL: baseUrl = '', SERVICE_KEY_ID: keyId = '', SERVICE_SECRET: secret = '' } = process.env
       async function main(): Promise<void> {
         const market = new PartnerClient({ baseUrl, keyId, secret })
         const orders: Order[] = (await market.orders.list()).orders
         // @ts-expect-error no such field
         orders[0]?.nothing
         await new PublicClient({ baseUrl }).tldRequirements('nosuchtld').catch((error: unknown) => {
           if (error instanceof ApiError) console.log(orders.length, error.code, typeof require)
         })
       }
       void main()`
    const compiled = { ...ONLY_NODE, module: 'node16', noEmit: false, outDir: 'compiled' }
    // The folder's package.json says no type, so this is CommonJS.
    expect(await problemsOf(code, compiled, 'use.ts')).toBe('')
    const { stdout } = await run('node', ['compiled/use.js'], { cwd: folder, env: environment() })
    expect(stdout).toBe('0 not_found function\n')
  }, 60_000)

  test('has its types for CommonJS with the resolution of old', async () => {
    const code = `import { PartnerClient, type Order } from 'domain-marketplace-client'
       import { PublicClient } from 'domain-marketplace-client/public'
       export const get: (id: string) => Promise<Order> =
         new PartnerClient({ baseUrl: 'http://x', keyId: 'k', secret: 's' }).orders.get
       export const search = new PublicClient({ baseUrl: 'http://x' }).search({ q: 'a' })
       // @ts-expect-error no such field
       search.then(({ nothing }) => nothing)`
    const old = { module: 'commonjs', moduleResolution: 'node10', skipLibCheck: true }
    expect(await problemsOf(code, { ...BROWSER, ...old }, 'use.ts')).toBe('')
  }, 60_000)

  test('is used by the guide as strict TypeScript allows', async () => {
    const guide = readFileSync('docs/guides/using-the-client.md', 'utf8')
    const snippets = [...guide.matchAll(/<<'EOF'\n([\s\S]*?)^EOF$/gm)].map(([, code = '']) => code)
    expect(snippets).toHaveLength(3)
    for (const code of snippets) expect(await problemsOf(code, ONLY_NODE)).toBe('')
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
  test('is there in a checkout too, where nothing was built', async () => {
    const { stdout } = await run('node', ['client/bin/marketplace.js', '--help'])
    expect(stdout).toContain('conformance')
    const { version } = JSON.parse(readFileSync('client/package.json', 'utf8'))
    expect(await run('node_modules/.bin/marketplace', ['--version'])).toMatchObject({
      stdout: `${version}\n`,
    })
    expect(await marketplace(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` })
  })

  test('checks a service from a checkout, with the published vectors', async () => {
    const args = ['client/bin/marketplace.js', 'conformance', '--only', 'signing', '--json']
    const { stdout } = await run('node', args, { env: environment() })
    expect(JSON.parse(stdout)).toMatchObject({ failed: 0 })
  })

  test('says what there is', async () => {
    expect(await marketplace(['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('listen'),
    })
    for (const name of ['nothing', 'toString']) {
      expect(await marketplace([name])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`no ${name}`),
      })
    }
    const group = await marketplace(['conformance', '--only', 'toString'])
    expect(group).toMatchObject({ code: 2, stderr: expect.stringContaining('no group toString') })
    for (const command of ['listen', 'conformance']) {
      const help = await marketplace([command, '--help'])
      expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--base-url') })
      const wrong = await marketplace([command, '--nothing'])
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--nothing') })
    }
  })

  test('rejects a live credential', async () => {
    const live = await service.partner({ environment: 'live' })
    const response = await marketplace(['conformance'], environment(live))
    expect(response).toMatchObject({ code: 2, stderr: expect.stringContaining('sandbox only') })
  })

  test('rejects an address that it could not use, and repeats no password', async () => {
    for (const address of ['localhost:3000', 'http://host/market', 'http://ann:hunter2@host']) {
      const { code, stderr } = await marketplace(['conformance', '--base-url', address])
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--base-url must'),
      })
      expect(stderr).not.toContain('hunter2')
    }
    const set = await marketplace(['conformance'], environment(partner, 'ftp://host'))
    expect(set).toMatchObject({ code: 2, stderr: expect.stringContaining('SERVICE_URL must') })
  })

  test('says so when nobody responds', async () => {
    const response = await marketplace(['conformance'], environment(partner, 'http://127.0.0.1:9'))
    expect(response).toMatchObject({ code: 1, stderr: expect.stringContaining('does not answer') })
  })
})

describe('marketplace listen', () => {
  /** A running listener with what it has said so far. */
  async function listener(who: PartnerClient, forward: string, ...more: string[]) {
    const args = ['listen', '--forward', forward, '--poll-ms', '100', ...more]
    const child = spawn(commandOf(folder), args, { env: environment(who), cwd: folder })
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

  test('waits while nobody listens, and shows what the receiver responds', async () => {
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

  test('waits while a page stands in the service’s place', async () => {
    let asked = 0
    const standIn = createServer((_request, response) => {
      asked += 1
      response.end(asked === 1 ? '{"events":[],"next_cursor":null}' : '<html>')
    })
    await new Promise<void>((resolve) => standIn.listen(0, '127.0.0.1', resolve))
    const { port } = standIn.address() as AddressInfo
    const address = ['--base-url', `http://127.0.0.1:${port}`]
    const running = await listener(partner, 'http://127.0.0.1:9', ...address)
    await running.says('The service is away')
    expect(await running.end('SIGTERM')).toBe(0)
    standIn.close()
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
      ['listen', '--forward', 'http://localhost:4000', '--poll-ms', '3000000000'],
      ['listen', '--forward', 'http://localhost:4000', '--only', 'order.paid,order.sold'],
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

import { readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import {
  cleanUp,
  cli,
  clientFor,
  freePort,
  preparedFolder,
  printedCredential,
  type Running,
  shell,
  start,
  typed,
} from '../support/process.ts'
import { sold } from '../support/sale.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

let folder: string
let service: Running
let demo: PartnerClient

beforeAll(async () => {
  folder = await preparedFolder()
  service = await start({ DATA_DIR: folder, REVIEW_OVER_CENTS: '100000' })
  const credential = printedCredential(service.stdout())
  if (!credential) throw new Error('no credential')
  demo = clientFor(service, credential)
})
afterAll(cleanUp)

/** The response of a command that succeeds: one line of JSON on stdout, nothing else anywhere. */
async function run(...args: string[]) {
  const { code, stdout, stderr } = await cli([...args, '--json'], { DATA_DIR: folder })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^\{[^\n]*\}\n$/)
  return JSON.parse(stdout)
}

/** An error: one line on stderr, nothing on stdout, a non-zero exit. */
async function rejected(
  args: string[],
  says: string | RegExp,
  variables: Record<string, string> = { DATA_DIR: folder },
) {
  const { code, stdout, stderr } = await cli(args, variables)
  expect(stderr).toMatch(/^[^\n]+\n$/)
  expect(stderr).toMatch(says)
  expect(stdout).toBe('')
  expect(code).toBe(1)
}

function newCredential(partner: string, env: string, scopes: string): string[] {
  return ['credential', 'create', '--partner', partner, '--env', env, '--scopes', scopes]
}

describe('partners and credentials', () => {
  test('a partner is opened, gets credentials, and loses them, each as the service then acts', async () => {
    const partner = await run(
      'partner',
      'create',
      '--name',
      'Acme & Söhne',
      '--email',
      'a@b.example',
    )
    expect(partner).toMatchObject({
      name: 'Acme & Söhne',
      email: 'a@b.example',
      affiliate_id: null,
    })
    const { partner_id } = partner
    expect(partner_id).toMatch(/^prt_/)

    const made = await run(...newCredential(partner_id, 'sandbox', 'search, buy'))
    expect(made).toMatchObject({ partner_id, environment: 'sandbox', scopes: ['search', 'buy'] })
    const client = clientFor(service, made)
    expect((await client.get('/orders')).status).toBe(200)
    expect((await client.get('/events')).body.error.code).toBe('forbidden')
    expect(partner.live_approved_at ?? null).toBeNull()

    const live = await run(...newCredential(partner_id, 'live', 'search'))
    expect(live.key_id).toMatch(/^pk_live_/)
    const { partners } = await run('partner', 'list')
    expect(partners[0]).toMatchObject({ partner_id, live_approved_at: expect.any(String) })
    const { credentials } = await run('credential', 'list', '--partner', partner_id)
    expect(credentials).toHaveLength(2)
    expect(JSON.stringify(credentials)).not.toContain(made.secret)

    const rotated = await run('credential', 'rotate', made.key_id, '--overlap-seconds', '0')
    expect((await clientFor(service, rotated).get('/orders')).status).toBe(200)
    expect((await client.get('/orders')).body.error.code).toBe('invalid_signature')
    await run('partner', 'suspend', partner_id)
    const suspended = await clientFor(service, rotated).get('/orders')
    expect(suspended.body.error.code).toBe('partner_not_active')
    await run('partner', 'activate', partner_id)
    expect(await run('credential', 'revoke', made.key_id)).toMatchObject({ status: 'revoked' })
    const revoked = await clientFor(service, rotated).get('/orders')
    expect(revoked.body.error.code).toBe('credential_not_active')
    await rejected(['credential', 'rotate', made.key_id], /^conflict: /)
  })

  test('--affiliate links an affiliate account, and --json may stand in front', async () => {
    const { code, stdout } = await cli(
      ['--json', 'partner', 'create', '--name', 'N', '--email', 'n@b.example', '--affiliate'],
      { DATA_DIR: folder },
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout).affiliate_id).toMatch(/^aff_/)
  })

  test('without --json a list is a table', async () => {
    const { partner_id } = await run(
      'partner',
      'create',
      '--name',
      'In a row',
      '--email',
      't@b.example',
    )
    const { code, stdout, stderr } = await cli(['partner', 'list'], { DATA_DIR: folder })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [head, first] = stdout.split('\n')
    expect(head).toMatch(/^PARTNER ID {2,}NAME {2,}EMAIL {2,}STATUS {2,}LIVE APPROVED {2,}CREATED$/)
    expect(first).toMatch(
      new RegExp(
        `^${partner_id} {2,}In a row {2,}t@b.example {2,}active {2,}- {2,}\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d$`,
      ),
    )
  })

  test('without --json the response is for reading: a line for each field', async () => {
    const { code, stdout, stderr } = await cli(
      ['partner', 'create', '--name', 'Readable', '--email', 'r@b.example'],
      { DATA_DIR: folder },
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^partner_id: prt_\w+$/m)
    expect(stdout).toMatch(/^name: Readable$/m)
  })
})

describe('brokerage', () => {
  test('every step of a case is a command', async () => {
    const opened = await demo.post('/brokerage', {
      domain: 'by-command.test',
      tier: 'managed',
      buyer_email: 'buyer@example.com',
      budget: 500_000,
    })
    expect(opened.status, opened.text).toBe(201)
    const id: string = opened.body.case_id
    const { cases } = await run(
      'brokerage',
      'list',
      '--running',
      '--unassigned',
      '--status',
      'open',
    )
    expect(cases.map((row: { case_id: string }) => row.case_id)).toEqual([id])
    expect(await run('brokerage', 'assign', id, 'Ada')).toMatchObject({ assignee: 'Ada' })
    expect(await run('brokerage', 'move', id, 'source')).toMatchObject({ status: 'sourcing' })
    await run('brokerage', 'note', id, 'Ask the sister.')
    await run('brokerage', 'contact', id, '--channel', 'phone', '--text', 'No reply.')
    expect(await run('brokerage', 'move', id, 'contact', '--note', 'By letter.')).toMatchObject({
      status: 'contacted',
    })
    const offer = ['brokerage', 'offer', id, '--by', 'owner', '--price-cents', '600000']
    const { offers } = await run(...offer)
    const response = ['brokerage', 'answer', id, offers[0].offer_id]
    await rejected([...response, 'accept'], /^conflict: 600000 cents are above the buyer's budget/)
    expect(await run(...response, 'reject')).toMatchObject({ status: 'negotiating' })
    await rejected(['brokerage', 'move', id, 'agree'], /^validation_error: price_cents/)
    await rejected(['brokerage', 'move', id, 'agree', '--price-cents', 'x'], /^validation_error/)
    await rejected(
      ['brokerage', 'move', id, 'complete'],
      /^conflict: The move complete is not open/,
    )
    await run('brokerage', 'move', id, 'agree', '--price-cents', '600000', '--buyer-consented')
    const done = await run('brokerage', 'move', id, 'complete', '--price-cents', '550000')
    expect(done).toMatchObject({
      status: 'completed',
      price_cents: 550_000,
      commission_cents: 55_000,
    })
    const seen = await run('brokerage', 'show', id)
    expect(seen.notes.map(({ text }: { text: string }) => text)).toEqual([
      'Ask the sister.',
      'No reply.',
    ])
    const link = await run('brokerage', 'link', id)
    expect(link.progress_url).toMatch(/\/case\/[0-9a-f]{64}$/)
    expect(link.progress_url).not.toBe(seen.progress_url)
    expect(await run('brokerage', 'link', id, '--revoke')).toMatchObject({ progress_url: null })
    await rejected(['brokerage', 'move', 'case_nothing', 'source'], /^not_found: /)
    await rejected(['brokerage', 'move', id, 'sell'], /^validation_error: move/)
    expect(await run('brokerage', 'assign', id)).toMatchObject({ assignee: null })
  })
})

describe('orders and settlements', () => {
  test('every move of an order is a command', async () => {
    const { public_id: id } = await sold(demo, 'manual-review.test')
    const { orders } = await run('order', 'list', '--held')
    expect(orders.map((order: { public_id: string }) => order.public_id)).toEqual([id])
    expect(await run('order', 'clear', id)).toMatchObject({ public_id: id, held: false })
    expect(await run('order', 'start', id)).toMatchObject({ status: 'TRANSFER_IN_PROGRESS' })
    const waiting = await run('order', 'action-required', id, '--reason', 'The code is missing')
    expect(waiting).toMatchObject({ transfer: { status: 'action_required' } })
    expect(JSON.stringify(waiting.timeline)).toContain('The code is missing')
    const failed = await run('order', 'fail', id, '--reason', 'Locked')
    expect(failed).toMatchObject({ status: 'EXTERNALLY_PAID', held: true })
    await run('order', 'start', id)
    expect(await run('order', 'complete', id)).toMatchObject({ status: 'TRANSFER_COMPLETED' })
    await rejected(['order', 'refund', id, '--json'], /^conflict: /)
    await rejected(
      ['order', 'complete', id],
      /^conflict: The move complete is not open to an order that is TRANSFER_COMPLETED/,
    )

    const run1 = await run('settlement', 'run', '--env', 'sandbox')
    expect(run1).toMatchObject({ order_count: 1 })
    expect(await run('order', 'show', id)).toMatchObject({
      status: 'SETTLED',
      environment: 'sandbox',
    })
    expect(await run('settlement', 'run', '--env', 'live')).toMatchObject({ order_count: 0 })
  })

  test('an order is cancelled before a transfer and refunded after its start', async () => {
    const first = await sold(demo, 'petpantry.test')
    expect(await run('order', 'cancel', first.public_id)).toMatchObject({ status: 'CANCELLED' })
    const second = await sold(demo, 'petpantry.test')
    await run('order', 'start', second.public_id)
    await rejected(['order', 'cancel', second.public_id], /^conflict: /)
    expect(await run('order', 'refund', second.public_id)).toMatchObject({ status: 'REFUNDED' })
    const { orders } = await run('order', 'list')
    expect(orders.length).toBeGreaterThanOrEqual(2)
  })
})

describe('the price book', () => {
  test('is listed, changed and imported', async () => {
    const { prices } = await run('price', 'list', '--tld', 'com')
    expect(prices).toHaveLength(4)
    expect(await run('price', 'set', 'com', 'renew', '--price-cents', '1777')).toMatchObject({
      tld: 'com',
      op: 'renew',
      price_cents: 1_777,
    })
    expect(await run('price', 'set', 'com', 'restore', '--none')).toMatchObject({
      price_cents: null,
    })
    const file = join(folder, 'prices.csv')
    await writeFile(file, 'tld,op,price_cents,years\nnet,register,1555,1\nnope,register,1,1\n')
    expect(await run('price', 'import', file)).toMatchObject({
      rows: 2,
      changed: 1,
      rejected_count: 1,
    })
  })

  test('is not changed by half a command', async () => {
    await rejected(['price', 'set', 'com', 'renew'], /^validation_error: price_cents: is required/)
    await rejected(['price', 'set', 'com', 'renew', '--price-cents', '1e3'], /^validation_error: /)
    await rejected(['price', 'set', 'nope', 'renew', '--price-cents', '1'], /^not_found: /)
    await rejected(['price', 'import', join(folder, 'none.csv')], 'there is no file')
  })

  test('is not loaded from a file without a good row, which is also said', async () => {
    const file = join(folder, 'no-prices.csv')
    await writeFile(file, 'tld,op,price_cents,years\nnope,register,1,1\n')
    const { code, stderr } = await cli(['price', 'import', file], { DATA_DIR: folder })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: no row is good: line 2: tld [^\n]+\n$/)
    await writeFile(file, '')
    for (const what of [
      ['price', 'import'],
      ['listings', 'import', '--env', 'sandbox'],
    ]) {
      const empty = await cli([...what, file], { DATA_DIR: folder })
      expect([empty.code, empty.stderr]).toEqual([1, 'error: the file holds no rows\n'])
    }
  })

  test('is read from a pipe, and into one that closes', async () => {
    const here = `DATA_DIR=${folder} node dist/cli.js`
    const typedIn = `echo org,renew,1444,1 | ${here} price import /dev/stdin --json`
    const loaded = await shell(typedIn)
    expect(loaded).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(loaded.stdout)).toMatchObject({ changed: 1, rejected_count: 0 })
    expect(await shell(`${here} price list --json | head -c 5`)).toMatchObject({ stderr: '' })
  })
})

describe('listings import', () => {
  test('lists the good rows and reports the bad ones with their line numbers', async () => {
    const file = join(folder, 'listings.csv')
    await writeFile(
      file,
      [
        'domain,price_cents,floor_price_cents,currency',
        'import-one.test,10000,9000,USD',
        'not a domain,10000,9000,USD',
        '',
        'import-two.test,12.50,9000,USD',
        'import-three.test,10000,20000,USD',
        'Import-Four.TEST,10000,9000,USD',
        'import-five.test,10000,9000,EURO',
      ].join('\r\n'),
    )
    const report = await run('listings', 'import', file, '--env', 'sandbox')
    expect(report).toMatchObject({
      environment: 'sandbox',
      rows: 6,
      imported: 2,
      created: 2,
      rejected_count: 4,
    })
    const rejected = report.rejected.map(({ line, field }: { line: number; field: string }) => [
      line,
      field,
    ])
    expect(rejected).toEqual([
      [3, 'domain'],
      [5, 'price_cents'],
      [6, 'floor_price_cents'],
      [8, 'currency'],
    ])
    const { body } = await demo.get('/pricing?domain=import-four.test')
    expect(body).toMatchObject({ price_cents: 10_000, floor_price_cents: 9_000 })
    const again = await run('listings', 'import', file, '--env', 'sandbox')
    expect(again).toMatchObject({ created: 0, updated: 2 })
    const live = await run('listings', 'import', file, '--env', 'live')
    expect(live).toMatchObject({ environment: 'live', created: 2 })
    const { code, stdout } = await cli(['listings', 'import', file, '--env', 'sandbox'], {
      DATA_DIR: folder,
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/"line": 3,/)
  })

  test('a file is looked for where the command was typed', async () => {
    await writeFile(join(folder, 'here.csv'), 'typed-here.test,10000,9000,USD\n')
    await writeFile(join(folder, 'here.txt'), 'typed-here.com\n')
    const here = async (...args: string[]) => typed(args, { DATA_DIR: folder }, folder)
    const loaded = await here('listings', 'import', 'here.csv', '--env', 'sandbox')
    expect(loaded).toMatchObject({ code: 0, stderr: '' })
    const who = ['--email', 'typed@b.example', '--password', 'correct horse battery']
    const created = await here('user', 'create', ...who, '--domains-file', './here.txt')
    expect(created).toMatchObject({ code: 0, stderr: '' })
    const absent = await here('price', 'import', 'none.csv')
    expect(absent).toMatchObject({ code: 1, stdout: '' })
    expect(absent.stderr).toBe(`error: there is no file ${join(folder, 'none.csv')}\n`)
  })

  test('a file that is not there is rejected, and so is a folder', async () => {
    const missing = join(folder, 'missing.csv')
    await rejected(['listings', 'import', missing, '--env', 'sandbox'], missing)
    await rejected(['listings', 'import', folder, '--env', 'sandbox'], folder)
    const unreadable = join(folder, 'a-loop.csv')
    await symlink(unreadable, unreadable)
    await rejected(
      ['listings', 'import', unreadable, '--env', 'sandbox'],
      `error: cannot read ${unreadable}: ELOOP`,
    )
  })

  test.each([
    ['before it answers', ''],
    ['in the middle of a line', '{"progress":{"rows":20000}}\n{"progress":{"ro'],
  ])('a service that dies %s leaves an import to run again', async (_when, said) => {
    const file = join(folder, 'broken-off.csv')
    await writeFile(file, 'broken-off.test,10000,9000,USD\n'.repeat(100_000))
    const dying = createServer((request, response) => {
      if (said) response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write(said)
      request.once('data', () => setTimeout(() => request.socket.resetAndDestroy(), 200))
    }).listen(0)
    await vi.waitUntil(() => dying.listening)
    const { port } = dying.address() as AddressInfo
    await rejected(
      ['listings', 'import', file, '--env', 'sandbox'],
      /^error: the import broke off; what was loaded stays\. Run it again\.\n$/,
      { BASE_URL: `http://localhost:${port}`, ADMIN_TOKEN: 'x'.repeat(20) },
    )
    dying.close()
  })

  test('a rejection in the middle of a long upload is told as what it is', async () => {
    const file = join(folder, 'long.csv')
    await writeFile(file, 'import-long.test,10000,9000,USD\n'.repeat(1_000_000))
    await rejected(['listings', 'import', file, '--env', 'sandbox'], /^unauthorized: /, {
      DATA_DIR: folder,
      ADMIN_TOKEN: 'not-the-admin-token',
    })
  })
})

describe('users', () => {
  test('a long list of domains is given in full or not at all', async () => {
    const create = (email: string, file: string) => {
      const who = ['--email', email, '--password', 'correct horse battery']
      return ['user', 'create', ...who, '--domains-file', file]
    }
    const names = Array.from({ length: 12_000 }, (_, index) => `one-of-a-long-list-${index}.com`)
    const [file, taken] = [join(folder, 'names.txt'), join(folder, 'taken.txt')]
    await writeFile(taken, 'one-of-a-long-list-11999.com')
    await run(...create('first@b.example', taken))
    await writeFile(file, names.join('\n'))
    await rejected(
      create('long@b.example', file),
      /^conflict: one-of-a-long-list-11999\.com belongs/,
    )
    const { users } = await run('user', 'list', '--email', 'long@b.example')
    expect(users).toEqual([])
    await writeFile(file, names.slice(0, -1).join('\n'))
    expect(await run(...create('long@b.example', file))).toMatchObject({ domain_count: 11_999 })
  })
})

describe('a password', () => {
  const here = (email: string, ...options: string[]) =>
    `DATA_DIR=${folder} node dist/cli.js user create --email ${email} --json ${options.join(' ')}`

  test.each([[], ['--password -']])('is read from standard input: %j', async (...options) => {
    const email = `piped${options.length}@b.example`
    const typedIn = `echo 'correct horse battery' | ${here(email, ...options)}`
    const made = await shell(typedIn)
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(made.stdout)).toMatchObject({ email })
    const form = new URLSearchParams({ email, password: 'correct horse battery' })
    const signedIn = await fetch(`${service.baseUrl}/sign-in`, {
      method: 'POST',
      body: form,
      headers: { origin: service.baseUrl },
      redirect: 'manual',
    })
    expect(signedIn.status).toBe(303)
  })

  test('that is nowhere is asked for in one line', async () => {
    expect(await shell(`${here('none@b.example')} < /dev/null`)).toMatchObject({
      code: 1,
      stderr: 'error: standard input is empty: it must have the password\n',
    })
  })
})

describe('rejections', () => {
  test('what the service rejects is one line with its code', async () => {
    await rejected(['order', 'start', 'ord_nothing'], /^not_found: /)
    await rejected(
      ['partner', 'create', '--name', 'N', '--email', 'no address'],
      /^validation_error: /,
    )
    await rejected(
      [
        'credential',
        'create',
        '--partner',
        'prt_x',
        '--env',
        'sandbox',
        '--scopes',
        'buy,fly',
        '--json',
      ],
      /^validation_error: .*scopes/,
    )
    await rejected(
      ['credential', 'rotate', 'pk_sandbox_x', '--overlap-seconds', 'soon'],
      /^validation/,
    )
    // No part of an id reaches the path as anything else.
    await rejected(['order', 'show', '../partners'], /^not_found: /)
  })

  test('what the command line does not know is one line too', async () => {
    await rejected([], /^error: a command is missing; --help lists them\n$/)
    await rejected(['--json'], 'a command is missing')
    await rejected(['partner'], 'a command is missing')
    await rejected(['partnr'], "unknown command 'partnr'")
    await rejected(['order', 'explode', 'ord_x'], "unknown command 'explode'")
    await rejected(['partner', 'create', '--name', 'N'], "'--email <email>' not specified")
    await rejected(['settlement', 'run', '--env', 'production'], "'production' is invalid")
    await rejected(['order', 'start'], "missing required argument 'public_id'")
    await rejected(['partner', 'list', '--colour'], "unknown option '--colour'")
  })

  test('help that was asked for is help', async () => {
    const { code, stdout, stderr } = await cli(['partner', '--help'], {})
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('live-requests')
    const create = await cli(['credential', 'create', '--help'], {})
    expect(create.stdout.replace(/\s+/g, ' ')).toContain('Any of: search,')
  })

  test('the version is that of the package', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'))
    expect(await cli(['--version'], {})).toMatchObject({ code: 0, stdout: `${version}\n` })
  })

  test('the token counts from the environment, and a wrong one is rejected', async () => {
    const token = (await readFile(join(folder, 'admin-token'), 'utf8')).trim()
    const BASE_URL = `${service.baseUrl.toUpperCase()}/.`
    const local = { DATA_DIR: '/nowhere', BASE_URL, ADMIN_TOKEN: token }
    const { code, stdout } = await cli(['partner', 'list', '--json'], local)
    expect(code).toBe(0)
    expect(JSON.parse(stdout).partners.length).toBeGreaterThan(0)
    const mounted = { ...local, ADMIN_TOKEN: `${token}\n` }
    expect(await cli(['partner', 'list'], mounted)).toMatchObject({ code: 0, stderr: '' })
    const unsendable = { ...local, ADMIN_TOKEN: 'a-token-with-a-ü-in-it' }
    await rejected(['partner', 'list'], /^error: ADMIN_TOKEN: /, unsendable)
    const other = { ...local, ADMIN_TOKEN: 'not-the-admin-token' }
    await rejected(['partner', 'list'], /^unauthorized: .* set ADMIN_TOKEN, or DATA_DIR/, other)
    // Empty counts as absent, as it does for the service.
    await run('partner', 'list')
    const empty = { DATA_DIR: folder, BASE_URL: '', ADMIN_TOKEN: '' }
    expect(await cli(['partner', 'list'], empty)).toMatchObject({ code: 0, stderr: '' })
  })

  test('where no service is to be found it says where it looked', async () => {
    await rejected(['partner', 'list'], '/nowhere', { DATA_DIR: '/nowhere' })
    const dead = { BASE_URL: `http://localhost:${await freePort()}`, ADMIN_TOKEN: 'x'.repeat(20) }
    await rejected(['partner', 'list'], `no service responds at ${dead.BASE_URL}`, dead)
    for (const BASE_URL of ['nonsense', 'localhost:3000']) {
      await rejected(['partner', 'list'], /^error: BASE_URL: must be/, { ...dead, BASE_URL })
    }
  })

  test('another program at the address is not taken for the service', async () => {
    const other = createServer((_request, response) => {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<html>\n<p>no\n</html>')
    }).listen(0)
    await vi.waitUntil(() => other.listening)
    const { port } = other.address() as AddressInfo
    await rejected(['partner', 'list', '--json'], 'not this service', {
      BASE_URL: `http://localhost:${port}`,
      ADMIN_TOKEN: 'x'.repeat(20),
    })
    other.closeAllConnections()
    other.close()
  })
})

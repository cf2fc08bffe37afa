import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { CertificateAuthority } from '../../packages/epp-client/test/support/certificates.ts'
import { EppTestServer } from '../../packages/epp-client/test/support/server.ts'
import type { FieldIssue } from '../../src/core/errors.ts'
import { cleanUp, cli, newFolder } from '../support/process.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'
import { openConnection, ownProtection } from './benches/bench.ts'

let service: TestService
let server: EppTestServer
beforeAll(async () => {
  server = await new EppTestServer().start()
  server.add('ours.com', { nameservers: ['ns1.registrar.example'] })
  server.add('theirs.com', { sponsor: 'registrar-2' })
  // A registry that shows everybody whose a domain is.
  server.hidesForeign = false
  service = await startService({ settings: { registry: 'live' } })
})
afterAll(async () => {
  await service.stop()
  await server.stop()
  await cleanUp()
  expect(await server.problems()).toEqual([])
})
afterEach(() => {
  server.faults.length = 0
})

const configWith = (change: object = {}) => ({ ...server.access, tlds: ['com'], ...change })

let count = 0
async function add(config: object, to = service) {
  const name = `epp-${++count}`
  return { name, ...(await to.admin('POST', '/registrars', { name, driver: 'epp', config })) }
}

async function issuesOf(change: object): Promise<string[][]> {
  const { status, body } = await add(configWith(change))
  expect(status).toBe(400)
  return body.error.details.map(({ field, issue }: FieldIssue) => [field, issue])
}

async function tried(change: object) {
  const { name, status } = await add(configWith(change))
  expect(status).toBe(201)
  return await service.admin('POST', `/registrars/${name}/test`)
}

describe('registrar add', () => {
  const other = new CertificateAuthority('Another').issue('client')

  test.each([
    ['config.host', { host: 'no host' }],
    ['config.host', { host: undefined }],
    ['config.port', { port: 0 }],
    ['config.user', { user: undefined }],
    ['config.password', { password: ' blank' }],
    ['config.tlds', { tlds: [] }],
    ['config.tls', { tls: 'yes' }],
    ['config.tls', { tls: false, host: 'epp.example.com' }],
    ['config.tls.ca', { tls: { ca: 'no certificate' } }],
    ['config.tls.cert', { tls: { cert: 'no certificate', key: other.key } }],
    ['config.tls.key', { tls: { cert: other.cert, key: 'no key' } }],
    ['config.tls.key', { tls: { cert: other.cert } }],
    [
      'config.tls.key',
      { tls: { cert: other.cert, key: new CertificateAuthority().issue('x').key } },
    ],
    ['config.command_timeout_ms', { command_timeout_ms: 3_600_000 }],
    ['config.command_timout_ms', { command_timout_ms: 1_000 }],
    ['config.tls.certificate', { tls: { certificate: other.cert } }],
  ])('rejects what is wrong with %s', async (field, change) => {
    const { status, body, text } = await add(configWith(change))
    expect(status).toBe(400)
    expect(body.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
    expect(text).not.toContain(server.password)
    expect(text).not.toContain('PRIVATE KEY')
  })

  test.each(['host', 'port', 'user', 'password', 'tlds', 'tls', 'client_id', 'login_timeout_ms'])(
    'rejects null as config.%s, in words',
    async (field) => {
      expect(await issuesOf({ [field]: null })).toEqual([
        [`config.${field}`, expect.stringMatching(/^must be/)],
      ])
    },
  )

  test.each(['ca', 'cert', 'key'])('rejects null as config.tls.%s', async (field) => {
    const issues = await issuesOf({ tls: { [field]: null } })
    expect(issues).toContainEqual([`config.tls.${field}`, 'must be text'])
  })

  test.each([
    [{ port: 0 }, ['config.port', 'must be at least 1']],
    [{ user: undefined }, ['config.user', 'is required']],
    [{ user: 'ab' }, ['config.user', 'must have at least 3 characters']],
    [{ password: 'x'.repeat(5_000) }, ['config.password', 'must have at most 128 characters']],
    [{ host: '' }, ['config.host', 'must be a host name or an IP address']],
    [{ tls: false, host: '' }, ['config.host', 'must be a host name or an IP address']],
    [{ tls: true }, ['config.tls', 'must be an object of `ca`, `cert` and `key`, or false']],
    [{ command_timout_ms: 1 }, ['config.command_timout_ms', 'is not a known field']],
    [{ tls: { sni: 'x' } }, ['config.tls.sni', 'is not a known field']],
  ])('says of %j what is wrong with it, and that alone', async (change, issue) => {
    expect(await issuesOf(change)).toEqual([issue])
  })

  test.each(['realtime-register', 'dynadot', 'manual'])(
    'names a field that %s does not know, and rejects null',
    async (driver) => {
      const config = { tlds: null, api_key: 'key', customer: 'acme', colour: 'red' }
      const { body } = await service.admin('POST', '/registrars', { name: 'x', driver, config })
      const issues = body.error.details.map(({ field, issue }: FieldIssue) => `${field} ${issue}`)
      expect(issues).toContain('config.tlds must be an array')
      expect(issues).toContain('config.colour is not a known field')
    },
  )

  test('does not connect, and keeps the configuration to itself', async () => {
    const before = server.commands.length
    const { status, text } = await add(configWith())
    expect(status).toBe(201)
    expect(server.commands.length).toBe(before)
    const list = await service.admin('GET', '/registrars')
    const audit = await service.admin('GET', '/audit-entries?limit=100')
    const kept = await service.app.db.selectFrom('registrars').select('config').execute()
    const bytes = kept.map(({ config }) => String(config))
    const shown = [text, list.text, audit.text, ...service.logs, ...bytes].join('\n')
    for (const secret of [server.password, 'PRIVATE KEY', '" blank"']) {
      expect(shown.includes(secret)).toBe(false)
    }
  })
})

describe('registrar test', () => {
  test('signs in, and says what the server is and what can be done there', async () => {
    const { status, body } = await tried({})
    expect(status).toBe(200)
    expect(body).toMatchObject({ driver: 'epp', ok: true, server: 'Test registry' })
    expect(body.capabilities.toSorted()).toEqual([
      'check_fees',
      'clear_auth_code',
      'info',
      'lock',
      'poll',
      'renew',
      'set_auth_code',
      'set_nameservers',
      'unlock',
    ])
  })

  test('without the fee extension has no fees, and renews at the usual one', async () => {
    const plain = await new EppTestServer({ tls: false, extensions: [] }).start()
    const { name } = await add({ ...plain.access, tlds: ['net'] })
    const { body } = await service.admin('POST', `/registrars/${name}/test`)
    expect(body.capabilities).not.toContain('check_fees')
    await service.admin('DELETE', `/registrars/${name}`)
    plain.add('one.net')
    const connection = openConnection('epp', { ...plain.access, tlds: ['net'] })
    const call = {
      reference: 'renew-1',
      signal: AbortSignal.timeout(10_000),
      protection: ownProtection(),
    }
    const maxFee = { cents: 1_000, currency: 'USD' }
    const command = { op: 'renew', years: 1, expiresAt: null, maxFee } as const
    await connection.perform('one.net', command, call)
    expect(plain.performed).toEqual(['renew one.net'])
    await connection.close()
    await plain.stop()
  })

  test('fails at the step', async () => {
    const tls = { ca: new CertificateAuthority('Another').ca }
    const steps: [string, object, (() => void)?][] = [
      ['connect', { port: 1 }],
      ['connect', { host: '169.254.169.254' }],
      ['tls', { tls }],
      [
        'greeting',
        { login_timeout_ms: 500 },
        () => void server.faults.push({ on: 'greeting', does: 'silence_before' }),
      ],
      ['greeting', {}, () => void server.faults.push({ on: 'greeting', does: 'garbage_after' })],
      ['login', { password: 'not-this-one' }],
      ['login', {}, () => void server.faults.push({ on: 'login', does: 'drop_before' })],
    ]
    for (const [step, change, prepare] of steps) {
      prepare?.()
      const { status, body } = await tried(change)
      expect({ change, status, step: body.error.details.step }).toEqual({
        change,
        status: 503,
        step,
      })
      expect(body.error.message).toContain(step)
      expect(body.error.message).not.toContain('not-this-one')
    }
  })

  test('signs in anew each time', async () => {
    const { name } = await add(configWith())
    const path = `/registrars/${name}/test`
    const { password } = server
    expect((await service.admin('POST', path)).status).toBe(200)
    server.password = 'changed-since'
    expect((await service.admin('POST', path)).body.error.details.step).toBe('login')
    server.password = password
    expect((await service.admin('POST', path)).status).toBe(200)
  })

  test('reaches no private address unless the service itself is at one', async () => {
    const settings = { baseUrl: 'https://market.example', registry: 'live' as const }
    const outside = await startService({ settings })
    for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '::1']) {
      const { name, status } = await add(configWith({ host }), outside)
      expect(status).toBe(201)
      const { body } = await outside.admin('POST', `/registrars/${name}/test`)
      expect(body.error.details.step).toBe('connect')
    }
    const { name } = await add(configWith({ tls: false }), outside)
    const { body } = await outside.admin('POST', `/registrars/${name}/test`)
    expect(body.error.details.step).toBe('connect')
    await outside.stop()
  })
})

test('the command line adds, tests and syncs a registrar', async () => {
  const folder = await newFolder()
  const [config, domains] = [join(folder, 'epp.json'), join(folder, 'domains.txt')]
  await writeFile(config, JSON.stringify(configWith()))
  await writeFile(domains, 'ours.com\ntheirs.com\nnobodys.com\n')
  const variables = { BASE_URL: service.baseUrl, ADMIN_TOKEN }
  const run = (...args: string[]) => cli([...args, '--json'], variables)

  const added = await run('registrar', 'add', 'typed', '--driver', 'epp', '--config', config)
  expect({ code: added.code, stderr: added.stderr }).toEqual({ code: 0, stderr: '' })
  const tested = await run('registrar', 'test', 'typed')
  expect(JSON.parse(tested.stdout)).toMatchObject({ name: 'typed', ok: true })
  const synced = await run('registrar', 'sync', 'typed', '--domains-file', domains)
  expect(JSON.parse(synced.stdout)).toMatchObject({ status: 'done', found: 1, missing: 2 })
  const read = await service.admin('GET', '/registrar-domains?domain=ours.com')
  expect(read.body.domains).toMatchObject([
    {
      domain: 'ours.com',
      registrar: 'typed',
      expires_at: '2027-06-01T12:00:00.000Z',
      locked: false,
      nameservers: ['ns1.registrar.example'],
      statuses: ['ok'],
    },
  ])

  server.faults.push({ on: 'login', does: { code: 2200 } })
  const failed = await cli(['registrar', 'test', 'typed'], variables)
  expect(failed.code).not.toBe(0)
  expect(failed.stderr).toMatch(/^[^\n]*at the step login[^\n]*\n$/)
}, 120_000)

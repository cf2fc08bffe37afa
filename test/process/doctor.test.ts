import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, get } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { CertificateAuthority } from '../../packages/epp-client/test/support/certificates.ts'
import { POSTGRES } from '../support/database.ts'
import { DnsServer } from '../support/dns-server.ts'
import { startEmbeddingsServer } from '../support/embeddings-server.ts'
import {
  adminCall,
  cleanUp,
  cli,
  emptyDatabase,
  freePort,
  newFolder,
  preparedFolder,
  type Running,
  shell,
  start,
  type Variables,
} from '../support/process.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

const ADMIN_TOKEN = randomBytes(32).toString('hex')
const key = () => randomBytes(32).toString('base64')

let folder: string
let service: Running
beforeAll(async () => {
  folder = await preparedFolder()
  service = await start({ DATA_DIR: folder, ADMIN_TOKEN })
})
afterAll(cleanUp)

interface Found {
  check: string
  result: string
  says: string
}

async function examine(variables: Variables): Promise<{ code: number | null; found: Found[] }> {
  const { code, stdout, stderr } = await cli(['--json', 'doctor'], {
    DATA_DIR: folder,
    ADMIN_TOKEN,
    ...variables,
  })
  const found: Found[] = JSON.parse(stdout).findings
  const problems = found.filter(({ result }) => result === 'problem').length
  expect(stderr).toBe(problems > 0 ? `error: problems found: ${problems}\n` : '')
  return { code, found }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return (server.address() as AddressInfo).port
}

/** It names just this of all that it looked at. */
async function expectProblem(variables: Variables, check: string, says: RegExp): Promise<void> {
  const { code, found } = await examine(variables)
  expect(code).toBe(1)
  const problems = found.filter(({ result }) => result === 'problem')
  expect(problems.map((one) => one.check)).toEqual([check])
  expect(problems[0]?.says).toMatch(says)
}

/** Of every file in a folder: owner, mode, when it changed, and what it contains. */
async function stateOf(folder: string): Promise<string> {
  const each = `-exec stat -c '%n %u %a %Y %Z' {} + -type f -exec md5sum {} +`
  return (await shell(`cd ${folder} && find . ${each} | sort`)).stdout
}

test.skipIf(POSTGRES)('finds nothing wrong with what npm start has set up', async () => {
  const { code, found } = await examine({ BASE_URL: service.baseUrl })
  expect(code).toBe(0)
  expect(found.map(({ check, result }) => [check, result])).toEqual(
    ['settings', 'database', 'mail', 'payments', 'DNS', 'service', 'registrars'].map((check) => [
      check,
      'ok',
    ]),
  )
  const text = await cli(['doctor'], { DATA_DIR: folder, ADMIN_TOKEN, BASE_URL: service.baseUrl })
  expect(text.stdout).toMatch(/^CHECK +RESULT +SAYS\nsettings +ok +read; /)
})

test.skipIf(POSTGRES)('finds nothing wrong in a container whose proxy is elsewhere', async () => {
  const { port } = new URL(service.baseUrl)
  const { code, found } = await examine({
    BASE_URL: `https://localhost:${await freePort()}`,
    PORT: port,
  })
  expect(code).toBe(0)
  expect(found.find(({ check }) => check === 'TLS')).toMatchObject({
    result: 'warning',
    says: expect.stringContaining('its certificate was not checked'),
  })
  expect(found.find(({ check }) => check === 'service')).toMatchObject({
    result: 'ok',
    says: `responds at http://localhost:${port}`,
  })
})

describe.skipIf(POSTGRES)('names what is wrong:', () => {
  const here = () => ({ BASE_URL: service.baseUrl })

  test('settings that cannot be read, each', async () => {
    const { found } = await examine({ PORT: 'eighty', SECRETS_KEY: 'short', BASE_URL: 'market' })
    expect(found.map(({ check, says }) => `${check} ${says.split(':')[0]}`).toSorted()).toEqual([
      'settings BASE_URL',
      'settings PORT',
      'settings SECRETS_KEY',
    ])
  })

  test('files that settings name, each', async () => {
    const { code, found } = await examine({
      ...here(),
      TAX: 'rules',
      TAX_RULES_FILE: '/nope/rules.json',
      PAGES_DIR: '/nope/pages',
    })
    expect(code).toBe(1)
    const settings = found.filter(({ check }) => check === 'settings')
    expect(settings.map(({ says }) => says.split(' ').slice(0, 2).join(' ')).toSorted()).toEqual([
      'PAGES_DIR: /nope/pages',
      'TAX_RULES_FILE: /nope/rules.json',
    ])
  })

  test('a mail server that is not there', async () => {
    await expectProblem(
      { ...here(), SMTP_URL: `smtp://127.0.0.1:${await freePort()}` },
      'mail',
      /takes no mails: connect ECONNREFUSED/,
    )
  })

  /** A mail server that says this to what begins so, and 250 to anything else. */
  async function mailServer(says: Record<string, string>): Promise<number> {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.write('220 here\r\n')
      socket.on('data', (line) => {
        const [, response = '250 fine'] =
          Object.entries(says).find(([command]) => String(line).startsWith(command)) ?? []
        socket.write(`${response}\r\n`)
      })
    })
    onTestFinished(() => void server.close())
    return await listening(server)
  }
  const AUTH = '250-here\r\n250 AUTH PLAIN'

  test('a mail server that does not take the password, has no use for it, or speaks no TLS', async () => {
    const rejects = await mailServer({ EHLO: AUTH, AUTH: '535 5.7.8 wrong password' })
    const open = await mailServer({})
    for (const [SMTP_URL, says] of [
      [`smtp://user:wrong@localhost:${rejects}`, /wrong password/],
      [`smtp://user:unused@localhost:${open}`, /offers no sign-in.* port for submission/],
      [`smtps://user:safe@localhost:${open}`, /takes no mails: it speaks no TLS .* smtp:\/\//],
    ] as const) {
      await expectProblem({ ...here(), SMTP_URL }, 'mail', says)
    }
  })

  test('a mail server that takes no mails of this sender, and the password in clear text', async () => {
    const port = await mailServer({
      EHLO: AUTH,
      AUTH: '235 welcome',
      MAIL: '550 5.7.1 not you',
      RCPT: '500 nothing is sent',
    })
    const { found } = await examine({ ...here(), SMTP_URL: `smtp://user:password@0.0.0.0:${port}` })
    expect(found.filter(({ check }) => check === 'mail')).toEqual([
      { check: 'mail', result: 'warning', says: expect.stringContaining('in clear text') },
      {
        check: 'mail',
        result: 'problem',
        says: expect.stringMatching(
          /takes no mails from no-reply@localhost, see MAIL_FROM: 550 5.7.1/,
        ),
      },
    ])
  })

  test('a key that the payment provider does not know', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    await expectProblem(
      {
        ...here(),
        STRIPE_SECRET_KEY: 'sk_live_x',
        STRIPE_WEBHOOK_SECRET: 'whsec_x',
        STRIPE_API_BASE: nobody,
      },
      'payments',
      /could not be checked/,
    )
  })

  test('a receiver of alerts that is not there, and not one that takes no HEAD', async () => {
    const port = await freePort()
    const variables = {
      ...here(),
      ALERT_WEBHOOK_URL: `http://127.0.0.1:${port}/alerts`,
      ALERT_WEBHOOK_SECRET: 'a-secret-of-alerts',
    }
    await expectProblem(variables, 'alerts', /is not reached: connect ECONNREFUSED/)
    const receiver = createHttpServer((_request, response) => response.writeHead(405).end())
    await new Promise<void>((resolve) => receiver.listen(port, '127.0.0.1', resolve))
    const { found } = await examine(variables).finally(() => receiver.close())
    expect(found.find(({ check }) => check === 'alerts')).toEqual({
      check: 'alerts',
      result: 'ok',
      says: `127.0.0.1:${port} responds`,
    })
  })

  test('a name server that does not respond', async () => {
    const server = await DnsServer.start()
    server.silent.add('com')
    await expectProblem(
      { ...here(), DNS_SERVERS: server.address },
      'DNS',
      /does not respond/,
    ).finally(() => server.stop())
  })

  test('registries that are not reached where they are queried', async () => {
    const isThere = await lookup('data.iana.org').then(
      () => true,
      () => false,
    )
    const { found } = await examine({ ...here(), REGISTRY: 'live' })
    const [dns] = found.filter(({ check }) => check === 'DNS')
    expect(dns?.result).toBe(isThere ? 'ok' : 'warning')
    if (!isThere) expect(dns?.says).toMatch(/^data\.iana\.org, which lists the registries/)
  })

  test('a public address without what it takes', async () => {
    const { code, found } = await examine({
      BASE_URL: 'http://market.invalid',
      ADMIN_TOKEN: 'easy',
      REGISTRY: 'live',
      STRIPE_SECRET_KEY: 'rk_test_x',
      STRIPE_WEBHOOK_SECRET: 'whsec_x',
      STRIPE_API_BASE: `http://127.0.0.1:${await freePort()}`,
    })
    expect(code).toBe(1)
    expect(found).toContainEqual({
      check: 'settings',
      result: 'warning',
      says: expect.stringContaining('payment provider is a test key'),
    })
    const says = found.filter(({ result }) => result === 'problem').map((one) => one.says)
    for (const what of ['must be https', 'TRUSTED_PROXIES', 'SMTP_URL', 'ADMIN_TOKEN has 4']) {
      expect(says.join('\n')).toContain(what)
    }
    expect(says.join('\n')).toContain('market.invalid, has no address in DNS')
  })

  test('a certificate that no browser trusts', async () => {
    const { cert, key: secret } = new CertificateAuthority().issue('localhost', ['localhost'])
    const server = createServer({ cert, key: secret }, (socket) => socket.end())
    server.on('tlsClientError', () => {})
    const port = await listening(server)
    const { found } = await examine({ BASE_URL: `https://localhost:${port}` }).finally(() =>
      server.close(),
    )
    // It names one cause: the service is not reached for it, and neither are its registrars.
    expect(found.filter(({ result }) => result !== 'ok')).toEqual([
      {
        check: 'TLS',
        result: 'problem',
        says: expect.stringMatching(/A browser would not open .*: .*certificate/),
      },
    ])
  })

  test.each([
    ['another website', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi', /is not this service/],
    ['a mail server', '220 here\r\n', /is another program.*set PORT to a free one/],
  ])('%s at its address', async (_, says, found) => {
    const other = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.end(says)
    })
    const port = await listening(other)
    await expectProblem(
      { BASE_URL: `http://localhost:${port}`, ADMIN_PORT: new URL(service.baseUrl).port },
      'service',
      found,
    ).finally(() => other.close())
  })

  test('a proxy that passes another Host on', async () => {
    const proxy = createHttpServer(({ url }, response) => {
      const options = { headers: { host: 'inner.example' } }
      get(`${service.baseUrl}${url}`, options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
    })
    const port = await listening(proxy)
    await expectProblem(
      { BASE_URL: `http://localhost:${port}` },
      'service',
      /passes another Host on.*proxy_set_header Host \$host/,
    ).finally(() => proxy.close())
  })

  test('names that no setting has, a token that can be guessed or is another, and endpoints that are silent', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    const { found } = await examine({
      ...here(),
      RATE_LIMT_PUBLIC: '5',
      SMPT_URL: 'smtp://localhost',
      PORTT: '1',
      stripe_secretkey: 'sk_live_x',
      OTHER_URL: 'https://other.example',
      ADMIN_TOKEN: 'easy',
      OTEL_EXPORTER_OTLP_ENDPOINT: nobody,
      EMBEDDINGS_URL: nobody,
      EMBEDDINGS_MODEL: 'toy',
    })
    const says = found.filter(({ result }) => result !== 'ok').map((one) => one.says)
    expect(says.toSorted()).toEqual([
      'ADMIN_TOKEN can be guessed: give it 16 characters at least.',
      'PORTT is no setting, and does nothing: is PORT meant?',
      'RATE_LIMT_PUBLIC is no setting, and does nothing: is RATE_LIMIT_PUBLIC meant?',
      'SMPT_URL is no setting, and does nothing: is SMTP_URL meant?',
      expect.stringMatching(
        /^The collector of OTEL_EXPORTER_OTLP_ENDPOINT .*: connect ECONNREFUSED/,
      ),
      expect.stringMatching(/^The endpoint of EMBEDDINGS_URL .*: connect ECONNREFUSED/),
      expect.stringMatching(/^The running service does not know this ADMIN_TOKEN/),
      'stripe_secretkey is no setting, and does nothing: is STRIPE_SECRET_KEY meant?',
    ])
  })

  test('a key that does not fit the database of a folder, with or without its secrets.key', async () => {
    const other = await preparedFolder()
    const file = join(other, 'secrets.key')
    const fits = key()
    const variables = { ...here(), DATA_DIR: other }
    const made = await start({ DATA_DIR: other, ADMIN_TOKEN, SECRETS_KEY: fits })
    await made.stop()
    const well = await examine({ ...variables, SECRETS_KEY: fits })
    expect(well.code).toBe(0)
    expect(well.found).toContainEqual({
      check: 'database',
      result: 'ok',
      says: `embedded, in ${other}; no service has it open`,
    })
    await expectProblem(
      { ...variables, SECRETS_KEY: key() },
      'database',
      /SECRETS_KEY does not fit/,
    )
    await expectProblem(variables, 'database', /secrets\.key is missing/)
    await writeFile(file, key())
    await expectProblem(variables, 'database', /SECRETS_KEY does not fit/)
    // Not while a service has it open.
    const { code, found } = await examine({ ...here(), SECRETS_KEY: key() })
    expect(code).toBe(0)
    expect(found.find(({ check }) => check === 'database')?.says).toContain('could not be checked')
  })

  test('a database of another user, and changes none', async () => {
    const other = await preparedFolder()
    const variables = { ...here(), DATA_DIR: other }
    await (await start({ DATA_DIR: other, ADMIN_TOKEN })).kill()
    const before = await stateOf(other)
    expect((await examine(variables)).code).toBe(0)
    const none = join(other, 'none')
    const { found } = await examine({ ...here(), DATA_DIR: none })
    expect(found.find(({ check }) => check === 'database')?.says).toContain('the first start makes')
    expect(await stateOf(other)).toEqual(before)
    if (process.getuid?.() !== 0) return
    await shell(`chown -R 65534 ${other}`)
    const asRoot = await examine(variables)
    expect(asRoot.code).toBe(0)
    expect(asRoot.found).toContainEqual({
      check: 'database',
      result: 'warning',
      says: expect.stringMatching(/belongs to the user 65534, and this is root/),
    })
    await shell(`chown root ${other}/database/PG_VERSION`)
    await expectProblem(variables, 'database', /PG_VERSION belongs to the user 0, and the database/)
  })

  test('a data folder that is a file', async () => {
    const other = await newFolder()
    const file = join(other, 'file')
    await writeFile(file, '')
    await expectProblem({ ...here(), DATA_DIR: file }, 'database', /cannot be written/)
  })

  test('a registrar that does not let us in, and one that is silent', async () => {
    const silent = createTcpServer((socket) => void socket.on('error', () => {}))
    const epp = { host: '127.0.0.1', port: await listening(silent), tlds: ['com'], tls: false }
    // Longer than a request may take to arrive, which this one has.
    const patient = { ...epp, user: 'client', password: 'secret', login_timeout_ms: 31_000 }
    const closed = `http://127.0.0.1:${await freePort()}`
    for (const body of [
      {
        name: 'closed',
        driver: 'dynadot',
        config: { tlds: ['net'], api_key: 'x', base_url: closed },
      },
      { name: 'silent', driver: 'epp', config: patient },
    ]) {
      const made = await adminCall(service, ADMIN_TOKEN, 'POST', '/registrars', body)
      expect(made.status, made.text).toBe(201)
    }
    const { found } = await examine(here())
    expect(found.filter(({ check }) => check === 'registrars').map(({ says }) => says)).toEqual([
      expect.stringMatching(/^closed does not let us in: /),
      expect.stringMatching(/^silent does not let us in: .*No response within 31000 ms/),
    ])
    await adminCall(service, ADMIN_TOKEN, 'DELETE', '/registrars/closed')
    await adminCall(service, ADMIN_TOKEN, 'DELETE', '/registrars/silent')
    silent.close()
  })

  test('a database server that is not there', async () => {
    await expectProblem(
      { ...here(), DATABASE_URL: `postgres://postgres@127.0.0.1:${await freePort()}/market` },
      'database',
      /^The database at DATABASE_URL cannot be reached: connect ECONNREFUSED/,
    )
  })
})

describe.skipIf(!POSTGRES)('on PostgreSQL', () => {
  let url: string
  const fits = key()
  beforeAll(async () => {
    ;({ url } = await emptyDatabase())
    const running = await start({
      DATABASE_URL: url,
      SECRETS_KEY: fits,
      DATA_DIR: await newFolder(),
    })
    await running.stop()
  })

  const variables = () => ({ BASE_URL: service.baseUrl, DATABASE_URL: url, SECRETS_KEY: fits })

  async function sql(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }

  test('a database that is well is, and so is the clock', async () => {
    const { code, found } = await examine(variables())
    expect(code).toBe(0)
    expect(found.find(({ check }) => check === 'database')?.says).toMatch(
      /^PostgreSQL \d+, up to date/,
    )
    expect(found.find(({ check }) => check === 'clock')?.result).toBe('ok')
  })

  test('a database that the first start will fill', async () => {
    const empty = await emptyDatabase()
    const { found } = await examine({ ...variables(), DATABASE_URL: empty.url })
    expect(found).toContainEqual({
      check: 'payments',
      result: 'warning',
      says: expect.stringContaining('live checkouts are closed'),
    })
    const [database] = found.filter(({ check }) => check === 'database')
    expect(database).toMatchObject({ result: 'ok', says: expect.stringContaining('first start') })
  })

  test('a key that does not fit', async () => {
    await expectProblem(
      { ...variables(), SECRETS_KEY: key() },
      'database',
      /SECRETS_KEY does not fit/,
    )
  })

  test('an embedding model that is not checked yet, and then one that does not help', async () => {
    const endpoint = await startEmbeddingsServer({}, { helps: false })
    const embeddings = { EMBEDDINGS_URL: endpoint.url, EMBEDDINGS_MODEL: 'toy' }
    const embeddingsFound = async () => {
      const { code, found } = await examine({ ...variables(), ...embeddings })
      expect(code).toBe(0)
      return found.find(({ check }) => check === 'embeddings')
    }
    expect(await embeddingsFound()).toEqual({
      check: 'embeddings',
      result: 'warning',
      says: 'toy is not checked yet: the service does so soon after its start, once the endpoint responds.',
    })
    const running = await start({
      DATABASE_URL: url,
      SECRETS_KEY: fits,
      DATA_DIR: await newFolder(),
      ...embeddings,
    })
    await vi.waitFor(
      async () =>
        expect(await embeddingsFound()).toMatchObject({
          result: 'warning',
          says: expect.stringMatching(
            /^toy is not used, since it does not help: recall@5 is .* worse\)\. Set another model, or none\.$/,
          ),
        }),
      { timeout: 90_000, interval: 1_000 },
    )
    await running.stop()
    await endpoint.close()
  })

  /** The same database, by a role without any rights, which is gone after the test. */
  async function lesserRole(): Promise<string> {
    const role = `doctor_${process.pid}`
    await sql(`create role ${role} login; revoke create on schema public from public`)
    onTestFinished(() => sql(`drop owned by ${role}; drop role ${role}`))
    const at = new URL(url)
    at.username = role
    return at.href
  }

  test('a role that may not create, write, or change what the next start must', async () => {
    const lesser = await lesserRole()
    const role = new URL(lesser).username
    const given = { ...variables(), DATABASE_URL: lesser }
    await expectProblem(given, 'database', /may not create tables.*set DATABASE_OWNER_URL/)
    await sql(`grant create on schema public to ${role};
      grant select, insert, update, delete on all tables in schema public to ${role};
      revoke insert on orders from ${role}; revoke update, delete on audit_entries from ${role}`)
    await expectProblem(given, 'database', /may not read and write orders: grant it SELECT/)
    await sql(`grant insert on orders to ${role}; delete from migrations where name like '0061%'`)
    await expectProblem(given, 'database', /The next start migrates, and the tables belong to /)
    await sql("insert into migrations values ('0061-listing-postings')")
  })

  test('a database that cannot keep all names, takes no writes and few connections', async () => {
    const name = `${new URL(url).pathname.slice(1)}_latin`
    await sql(`create database ${name} template template0 encoding LATIN1 locale 'C'`)
    onTestFinished(() => sql(`drop database ${name} with (force)`))
    await sql(`alter database ${name} set default_transaction_read_only = on`)
    await sql(`alter database ${name} connection limit 12`)
    const at = new URL(url)
    at.pathname = `/${name}`
    const { found } = await examine({ ...variables(), DATABASE_URL: at.href })
    expect(found.filter(({ result }) => result === 'problem').map(({ says }) => says)).toEqual([
      expect.stringMatching(/^default_transaction_read_only is on/),
      expect.stringMatching(/^The encoding of the database is LATIN1/),
      expect.stringMatching(
        /^One instance opens up to 24 .* CONNECTION LIMIT of the database is 12/,
      ),
    ])
  })

  test('an owner that cannot be reached, or is not above the role of the service', async () => {
    const nowhere = `postgres://nobody@127.0.0.1:${await freePort()}/none`
    const { url: another } = await emptyDatabase()
    for (const [DATABASE_OWNER_URL, says] of [
      [nowhere, /^The database at DATABASE_OWNER_URL cannot be reached: connect ECONNREFUSED/],
      [another, /are two databases/],
      [await lesserRole(), /^DATABASE_OWNER_URL: the role doctor_\d+ may not create tables/],
      [url, /Create another role for the service/],
    ] as const) {
      await expectProblem({ ...variables(), DATABASE_OWNER_URL }, 'database', says)
    }
  })

  test('a schema that a newer version has made', async () => {
    await sql("insert into migrations values ('9999-newer')")
    await expectProblem(variables(), 'database', /newer version, which made 9999-newer/).finally(
      () => sql("delete from migrations where name = '9999-newer'"),
    )
  })

  test('a server that may forget what it confirmed', async () => {
    const { pathname } = new URL(url)
    await sql(`alter database ${pathname.slice(1)} set synchronous_commit = off`)
    await expectProblem(variables(), 'database', /synchronous_commit of PostgreSQL is off/)
  })
})

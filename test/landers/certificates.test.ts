import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, get } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offer } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

/**
 * `deploy/Caddyfile` as it is, with Debian's Caddy, against Debian's Pebble, an ACME server for tests: only the ports and the
 * address of the certificate authority are other ones. `apt-get install caddy pebble` brings both.
 */
const PROGRAMS = ['caddy', 'pebble', 'pebble-challtestsrv', 'openssl']
const hasAll = PROGRAMS.every((name) => spawnSync('which', [name]).status === 0)
const CADDYFILE = fileURLToPath(new URL('../../deploy/Caddyfile', import.meta.url))
const MARKET = 'market.test'
/** A certificate takes Caddy and Pebble some seconds. */
const PATIENT_MS = 120_000

describe.skipIf(!hasAll)('deploy/Caddyfile with an ACME server', () => {
  const children: ChildProcess[] = []
  let service: TestService
  let folder: string
  let httpsPort: number
  let root: string

  beforeAll(async () => {
    service = await startService({
      settings: { baseUrl: `https://${MARKET}`, trustedProxies: ['loopback'] },
    })
    await offer(service, 'live', ['dog-bakery.com'], 123_400)
    folder = await mkdtemp(join(tmpdir(), 'certificates-'))
    const ports = await freePorts(6)
    const [acme = 0, acmeManagement = 0, dns = 0, dnsManagement = 0, http = 0, https = 0] = ports
    httpsPort = https
    startNames(dns, dnsManagement)
    startAcme({ acme, acmeManagement, dns, http, https })
    await responds(`https://localhost:${acme}/dir`, acmeCertificate())
    root = (await fetched(`https://localhost:${acmeManagement}/roots/0`, acmeCertificate())).text
    startCaddy({ acme, http, https })
  }, PATIENT_MS)
  afterAll(async () => {
    for (const child of children) {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test.each([MARKET, 'dog-bakery.com', 'www.dog-bakery.com'])(
    'gets %s a certificate that is trusted by its root',
    async (host) => {
      const { subject, issuer, status } = await eventually(() => at(host))
      expect(subject).toContain(host)
      expect(issuer).toContain('Pebble')
      expect(status).toBe(host.startsWith('www.') ? 302 : 200)
    },
    PATIENT_MS,
  )

  test(
    'shows the lander at its certificate',
    async () => {
      const { text } = await eventually(() => at('dog-bakery.com'))
      expect(text).toContain('$1,234.00')
      expect(text).toContain(`href="https://${MARKET}/d/dog-bakery.com/checkout"`)
    },
    PATIENT_MS,
  )

  test.each(['not-for-sale.com', 'sub.dog-bakery.com'])(
    'gets %s none, and asks the authority for none',
    async (host) => {
      await eventually(() => at('dog-bakery.com'))
      await expect(at(host)).rejects.toThrow(/alert internal error|ECONNRESET|handshake/)
      expect(readFileSync(join(folder, 'pebble.log'), 'utf8')).not.toContain(host)
    },
    PATIENT_MS,
  )

  function start(name: string, args: string[], env: Record<string, string> = {}): void {
    const child = spawn(name, args, {
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const log = join(folder, `${name}.log`)
    writeFileSync(log, '')
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => writeFileSync(log, chunk, { flag: 'a' }))
    }
    children.push(child)
  }

  /** Every name is at this machine. */
  function startNames(dns: number, management: number): void {
    const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv6', '']
    const ports = ['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${management}`]
    start('pebble-challtestsrv', [...ports, ...off])
  }

  function startAcme(ports: Record<'acme' | 'acmeManagement' | 'dns' | 'http' | 'https', number>) {
    const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
    const file = { certificate: join(folder, 'acme.pem'), key: join(folder, 'acme.key') }
    const days = ['-subj', '/CN=localhost', '-days', '2', '-keyout', file.key]
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        ...names,
        ...days,
        '-out',
        file.certificate,
      ],
      { stdio: 'ignore' },
    )
    const config = {
      listenAddress: `127.0.0.1:${ports.acme}`,
      managementListenAddress: `127.0.0.1:${ports.acmeManagement}`,
      certificate: file.certificate,
      privateKey: file.key,
      httpPort: ports.http,
      tlsPort: ports.https,
    }
    writeFileSync(join(folder, 'pebble.json'), JSON.stringify({ pebble: config }))
    start(
      'pebble',
      ['-config', join(folder, 'pebble.json'), '-dnsserver', `127.0.0.1:${ports.dns}`],
      { PEBBLE_VA_NOSLEEP: '1' },
    )
  }

  function acmeCertificate(): string {
    return readFileSync(join(folder, 'acme.pem'), 'utf8')
  }

  function startCaddy({ acme, http, https }: Record<'acme' | 'http' | 'https', number>): void {
    const { port } = new URL(service.baseUrl)
    const env = {
      ACME_EMAIL: 'ops@market.example',
      MARKET_HOST: MARKET,
      TLS_ASK: `http://127.0.0.1:${port}/internal/tls-allowed`,
      UPSTREAM: `127.0.0.1:${port}`,
    }
    const args = ['adapt', '--config', CADDYFILE, '--adapter', 'caddyfile']
    const options = {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'] as const,
    }
    const config = JSON.parse(
      execFileSync('caddy', args, { ...options, stdio: [...options.stdio] }).toString(),
    )
    const { http: web, tls } = config.apps
    Object.assign(web, { http_port: http, https_port: https })
    web.servers.srv0.listen = [`127.0.0.1:${https}`]
    for (const policy of tls.automation.policies) {
      policy.issuers = [
        {
          module: 'acme',
          ca: `https://localhost:${acme}/dir`,
          trusted_roots_pem_files: [join(folder, 'acme.pem')],
        },
      ]
    }
    config.admin = { disabled: true }
    writeFileSync(join(folder, 'caddy.json'), JSON.stringify(config))
    start('caddy', ['run', '--config', join(folder, 'caddy.json')])
  }

  /** A page at a host, and the certificate that it came with. */
  async function at(host: string) {
    return await fetched(`https://${host}:${httpsPort}/`, root)
  }
})

interface Fetched {
  status: number | undefined
  text: string
  subject: string
  issuer: string
}

/** Trusts one certificate alone, and finds every host at this machine. */
function fetched(url: string, ca: string): Promise<Fetched> {
  const { hostname } = new URL(url)
  const agent = new Agent({ ca, servername: hostname, keepAlive: false })
  const headers = { host: hostname, accept: 'text/html' }
  return new Promise((resolve, reject) => {
    const request = get(new URL(url), { agent, headers, lookup: toThisMachine }, (response) => {
      const certificate = (response.socket as TLSSocket).getPeerCertificate()
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          text,
          subject: certificate.subjectaltname ?? '',
          issuer: String(certificate.issuer.CN),
        }),
      )
    })
    request.setTimeout(30_000, () => request.destroy(new Error('no response')))
    request.on('error', reject)
  })
}

const toThisMachine: NonNullable<Parameters<typeof get>[1]>['lookup'] = (_host, options, done) => {
  if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }])
  else done(null, '127.0.0.1', 4)
}

async function responds(url: string, ca: string): Promise<void> {
  await eventually(() => fetched(url, ca))
}

async function eventually<T>(what: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await what()
    } catch (error) {
      if (tries === 60) throw error
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  for (const server of servers) server.close()
  return ports
}

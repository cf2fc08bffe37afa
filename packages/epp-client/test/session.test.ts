import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type EppClient,
  type EppClientOptions,
  infoDomain,
  NotPerformed,
  type OpeningStep,
  ResponseLost,
} from '../src/index.ts'
import { CertificateAuthority } from './support/certificates.ts'
import { call, clientOf, endServers, startServer } from './support/connect.ts'
import type { EppTestServer, Trouble } from './support/server.ts'

let server: EppTestServer
beforeAll(async () => {
  server = await startServer()
  server.add('one.com')
})

afterAll(endServers)

const clients: EppClient[] = []
afterEach(async () => {
  vi.useRealTimers()
  server.faults.length = 0
  server.dropAll()
  for (const client of clients.splice(0)) await client.close()
})

function connected(options: Partial<EppClientOptions> = {}, to = server): EppClient {
  const client = clientOf(to, options)
  clients.push(client)
  return client
}

/** Waits for the network, by whichever clock. */
async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setImmediate(resolve))
}

async function failedStep(client: EppClient): Promise<OpeningStep> {
  const error = await client.reconnect(call()).then(
    () => null,
    (error) => error,
  )
  expect(error).toBeInstanceOf(NotPerformed)
  return error.step
}

describe('a session', () => {
  test('is opened with what both sides have, and kept', async () => {
    const client = connected()
    const { server: name, extensions } = await client.reconnect(call('first'))
    expect(name).toBe('Test registry')
    expect(extensions).toContain('urn:example:unknown-1.0')
    const login = server.received.find((frame) => frame.includes('<login>')) ?? ''
    expect([...login.matchAll(/<(?:obj|ext)URI>([^<]+)/g)].map(([, uri]) => uri)).toEqual([
      'urn:ietf:params:xml:ns:domain-1.0',
      'urn:ietf:params:xml:ns:host-1.0',
      'urn:ietf:params:xml:ns:rgp-1.0',
      'urn:ietf:params:xml:ns:secDNS-1.1',
      'urn:ietf:params:xml:ns:epp:fee-1.0',
    ])
    const before = server.logins
    await infoDomain(client, 'one.com', call('second'))
    await infoDomain(client, 'one.com', call('third'))
    expect(server.logins).toBe(before)
    expect(server.commands).toEqual(
      expect.arrayContaining(['login first-login', 'info second', 'info third']),
    )
  })

  test('is opened again after a drop', async () => {
    const client = connected()
    await infoDomain(client, 'one.com', call())
    const before = server.logins
    server.dropAll()
    // The drop may be noticed with the command alone, whose response is lost then.
    await vi.waitFor(() => infoDomain(client, 'one.com', call()))
    expect(server.logins).toBe(before + 1)
  })

  test('is kept alive with a greeting each minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const client = connected()
    await client.reconnect(call())
    for (let minute = 0; minute < 3; minute++) {
      server.commands.length = 0
      vi.advanceTimersByTime(60_000)
      await until(() => server.commands.length > 0)
      await infoDomain(client, 'one.com', call('kept'))
      expect(server.commands).toEqual(['hello', 'info kept'])
    }
  })

  test('is ended when nobody has needed it for long, and opened when somebody does', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const client = connected({ idleMs: 60_000 })
    await client.reconnect(call())
    vi.advanceTimersByTime(60_000)
    await until(() => server.sessions === 0)
    expect(server.commands.at(-1)).toBe('logout logout')
    await infoDomain(client, 'one.com', call('woken'))
    expect(server.commands.slice(-2)).toEqual(['login woken-login', 'info woken'])
  })

  test('is tried before a command when it was idle, and opened again when it is gone', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const client = connected()
    await client.reconnect(call())
    vi.advanceTimersByTime(30_000)
    server.faults.push({ on: 'hello', does: 'drop_before' })
    await infoDomain(client, 'one.com', call('tried'))
    expect(server.commands.slice(-3)).toEqual(['hello', 'login tried-login', 'info tried'])
  })

  test('takes one command at a time', async () => {
    const client = connected()
    const before = server.logins
    const all = Array.from({ length: 20 }, (_, index) =>
      infoDomain(client, 'one.com', call(`turn-${index}`)),
    )
    expect((await Promise.all(all)).length).toBe(20)
    expect(server.logins).toBe(before + 1)
    expect(server.sessions).toBe(1)
  })

  test('is signed out of when it is closed', async () => {
    const client = connected()
    await client.reconnect(call())
    await client.close()
    expect(server.commands.at(-1)).toBe('logout logout')
    await expect(infoDomain(client, 'one.com', call())).rejects.toThrow(NotPerformed)
  })

  test('a command that waits for its turn in vain was not performed', async () => {
    const client = connected()
    server.faults.push({ on: 'info', does: 'silence_before' })
    const first = infoDomain(client, 'one.com', call())
    const second = infoDomain(client, 'one.com', call('late', AbortSignal.timeout(50)))
    await expect(second).rejects.toThrow(NotPerformed)
    await expect(first).rejects.toThrow(ResponseLost)
    expect(server.commands).not.toContain('info late')
  })
})

describe('opening fails at the step', () => {
  test('connect, where nobody listens, or where we may not connect', async () => {
    expect(await failedStep(connected({ port: 1 }))).toBe('connect')
    expect(await failedStep(connected({ reach: 'public' }))).toBe('connect')
    expect(await failedStep(connected({ host: '10.1.2.3' }))).toBe('connect')
    expect(await failedStep(connected({ host: '169.254.169.254', reach: 'private' }))).toBe(
      'connect',
    )
  })

  test('tls, where either certificate is not that of its authority', async () => {
    const other = new CertificateAuthority('Another authority')
    const { cert, key } = server.access.tls || { cert: '', key: '' }
    expect(await failedStep(connected({ tls: { ca: other.ca, cert, key } }))).toBe('tls')
    expect(await failedStep(connected({ tls: {} }))).toBe('tls')
    const without = connected({ tls: { ca: server.authority.ca } })
    await expect(without.reconnect(call())).rejects.toMatchObject({
      step: 'tls',
      message: 'tlsv13 alert certificate required',
    })
    const strict = await startServer({ asksForCertificate: true })
    const foreign = { ca: strict.authority.ca, ...other.issue('client') }
    expect(await failedStep(connected({ tls: foreign }, strict))).toBe('tls')
    expect(await failedStep(connected({ tls: { ca: strict.authority.ca } }, strict))).toBe('tls')
    expect((await connected({}, strict).reconnect(call())).server).toBe('Test registry')
  })

  test('tls, where the server does not speak it or says nothing', async () => {
    for (const serve of [(socket: Socket) => void socket.end('hello'), () => {}]) {
      const other = createServer(serve)
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
      const { port } = other.address() as AddressInfo
      expect(await failedStep(connected({ port, loginTimeoutMs: 100 }))).toBe('tls')
      other.close()
    }
  })

  test('tls, where the certificate is for another name', async () => {
    const named = await startServer({ certificateFor: ['localhost'] })
    expect(await failedStep(connected({}, named))).toBe('tls')
    expect((await connected({ host: 'localhost' }, named).reconnect(call())).server).toBe(
      'Test registry',
    )
  })

  test('not tls, where the certificate is the one that was configured, or has no other name', async () => {
    const own = await startServer({ isSelfSigned: true })
    expect((await connected({}, own).reconnect(call())).server).toBe('Test registry')
    const common = await startServer({ certificateName: '127.0.0.1', certificateFor: [] })
    expect((await connected({}, common).reconnect(call())).server).toBe('Test registry')
    const other = await startServer({ certificateName: '127.0.0.2', certificateFor: [] })
    expect(await failedStep(connected({}, other))).toBe('tls')
  })

  test.each<Trouble>([
    'drop_before',
    'silence_before',
    'half_after',
    'garbage_after',
    'not_xml_after',
    'doctype_after',
    'huge_after',
    { code: 1000 },
  ])('greeting, after %j', async (does) => {
    server.faults.push({ on: 'greeting', does })
    const client = connected({ loginTimeoutMs: 1_000 })
    expect(await failedStep(client)).toBe('greeting')
    expect((await client.reconnect(call())).server).toBe('Test registry')
  })

  test('greeting, where the server has no domains', async () => {
    const hostsOnly = await startServer({ objects: ['urn:ietf:params:xml:ns:host-1.0'] })
    expect(await failedStep(connected({}, hostsOnly))).toBe('greeting')
  })

  test.each<Trouble>([
    { code: 2200 },
    { code: 2502 },
    'drop_before',
    'silence_after',
    'wrong_id_after',
  ])('login, after %j', async (does) => {
    server.faults.push({ on: 'login', does })
    expect(await failedStep(connected({ loginTimeoutMs: 1_000 }))).toBe('login')
  })

  test('login, with a wrong password, whose words do not hold it', async () => {
    const client = connected({ password: 'wrong-password' })
    const error = await client.reconnect(call()).catch((error) => error)
    expect(error).toMatchObject({ step: 'login', message: 'Error 2200' })
    const reason = `The value '${server.password}' has a length of 17.`
    server.faults.push({ on: 'login', does: { code: 2001, reason, readsNone: true } })
    await expect(connected().reconnect(call())).rejects.toMatchObject({
      step: 'login',
      message: "Error 2001: The value '…' has a length of 17.",
    })
  })

  test('without TLS only this machine is reached', async () => {
    const plain = await startServer({ tls: false })
    expect((await connected({}, plain).reconnect(call())).server).toBe('Test registry')
    const error = await connected({ host: '10.1.2.3', reach: 'private' }, plain)
      .reconnect(call())
      .catch((error) => error)
    expect(error).toMatchObject({ step: 'connect', message: '10.1.2.3 is not a public address.' })
  })
})

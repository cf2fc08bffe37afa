import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type EppClient,
  type EppClientOptions,
  infoDomain,
  NotPerformed,
  type OpeningStep,
  ResponseLost,
  renewDomain,
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
  server.faults.length = 0
  server.dropAll()
  for (const client of clients.splice(0)) await client.close()
})

function connected(options: Partial<EppClientOptions> = {}, to = server): EppClient {
  const client = clientOf(to, options)
  clients.push(client)
  return client
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
    await pause(50)
    await infoDomain(client, 'one.com', call())
    expect(server.logins).toBe(before + 1)
  })

  test('is kept alive with greetings', async () => {
    const client = connected({ keepAliveMs: 20 })
    await client.reconnect(call())
    server.commands.length = 0
    await pause(150)
    expect(server.commands.filter((command) => command === 'hello').length).toBeGreaterThan(1)
    await infoDomain(client, 'one.com', call('after'))
    expect(server.commands.at(-1)).toBe('info after')
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
    const client = connected({ loginTimeoutMs: 300 })
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
    expect(await failedStep(connected({ loginTimeoutMs: 300 }))).toBe('login')
  })

  test('login, with a wrong password, whose words do not hold it', async () => {
    const client = connected({ password: 'wrong-password' })
    const error = await client.reconnect(call()).catch((error) => error)
    expect(error).toMatchObject({ step: 'login', message: 'Error 2200' })
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

describe('a command that changes something', () => {
  const renew = (client: EppClient) =>
    renewDomain(
      client,
      {
        name: 'one.com',
        years: 1,
        expiresAt: server.domains.get('one.com')?.expiresAt ?? new Date(),
      },
      call(),
    )

  test.each<Trouble>([
    'drop_before',
    'drop_after',
    'silence_before',
    'silence_after',
    'half_after',
    'garbage_after',
    'not_xml_after',
    'doctype_after',
    'wrong_id_after',
    'no_id_after',
    'huge_after',
  ])('may have taken effect after %s', async (does) => {
    const client = connected()
    await client.reconnect(call())
    server.faults.push({ on: 'renew', does })
    await expect(renew(client)).rejects.toThrow(ResponseLost)
    // What comes late belongs to a session that is over.
    expect((await renew(client)).isPending).toBe(false)
  })

  test.each([2400, 2500, 2501, 2502])('was not performed after %i', async (code) => {
    const client = connected()
    server.faults.push({ on: 'renew', does: { code } })
    await expect(renew(client)).rejects.toThrow(NotPerformed)
    await renew(client)
  })

  test.each([2000, 2003, 2104, 2201, 2304, 2306])('is rejected by %i', async (code) => {
    const client = connected()
    server.faults.push({ on: 'renew', does: { code, reason: 'Because.' } })
    await expect(renew(client)).rejects.toMatchObject({
      name: 'Error',
      code,
      message: `Error ${code}`,
      reason: 'Because.',
    })
  })

  test('is not sent when no session can be opened, or its time is over', async () => {
    const client = connected()
    server.faults.push({ on: 'login', does: { code: 2502 } })
    await expect(renew(client)).rejects.toThrow(NotPerformed)
    const over = call('over', AbortSignal.abort(new Error('too late')))
    await expect(infoDomain(client, 'one.com', over)).rejects.toThrow(NotPerformed)
    expect(server.commands).not.toContain('info over')
  })
})

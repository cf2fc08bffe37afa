import dns, { type LookupAddress } from 'node:dns'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, isIP, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  type AddressPolicy,
  BlockedAddress,
  createGuardedHttp,
  DeadlinePassed,
  type ExchangeRequest,
  type GuardedHttp,
  isPublicAddress,
  type Lookup,
  ResponseTooLarge,
  targetProblem,
} from '../src/index.ts'
import { startNameServer } from './name-server.ts'
import { PRIVATE_HOSTS } from './private-hosts.ts'

const PUBLIC_ONLY: AddressPolicy = { allowLoopback: false, allowHttp: true }
const LOOPBACK_TOO: AddressPolicy = { allowLoopback: true, allowHttp: true }
const PRODUCTION: AddressPolicy = { allowLoopback: false, allowHttp: false }
const POST: ExchangeRequest = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{}',
  timeoutMs: 3_000,
  maxBodyBytes: 1_000,
}
/** Counts as public, since it lies in 2000::/3, and belongs to nobody. */
const UNASSIGNED = '2000::1'

const cleanups: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

interface Receiver {
  port: number
  url: string
  connections: number
  requests: number
  /** Settles when the first connection has gone; says how many bytes were written to it. */
  firstClosed: Promise<number>
}

async function receiver(result: RequestListener, host = '127.0.0.1'): Promise<Receiver> {
  const server = createServer((request, response) => {
    state.requests += 1
    result(request, response)
  })
  const firstClosed = new Promise<number>((resolve) => {
    server.once('connection', (socket: Socket) =>
      socket.once('close', () => resolve(socket.bytesWritten)),
    )
  })
  server.on('connection', () => {
    state.connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  const state: Receiver = {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    connections: 0,
    requests: 0,
    firstClosed,
  }
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return state
}

async function tcpServer(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

function guarded(lookup?: Lookup): GuardedHttp {
  const http = createGuardedHttp(lookup === undefined ? {} : { lookup })
  cleanups.push(() => http.close())
  return http
}

/** A name server that responds to its n-th query with the n-th list, and the last one from then on. */
function answering(...lists: string[][]): { lookup: Lookup; calls: () => number } {
  let calls = 0
  const lookup: Lookup = async () => {
    const list = lists[Math.min(calls, lists.length - 1)] ?? []
    calls += 1
    return list.map((address): LookupAddress => ({ address, family: isIP(address) }))
  }
  return { lookup, calls: () => calls }
}

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.unreachable('the request succeeded'),
    (error) => error,
  )
}

describe('an exchange', () => {
  test('hands over method, headers and body, and returns status, headers and body', async () => {
    const seen: unknown[] = []
    const target = await receiver((request, response) => {
      request.setEncoding('utf8').on('data', (body) => {
        seen.push(request.method, request.url, request.headers['x-one'], body)
        response.writeHead(201, { 'x-two': '2', 'set-cookie': ['a=1', 'b=2'] }).end('made')
      })
    })
    const response = await guarded().request(`${target.url}?q=1`, LOOPBACK_TOO, {
      ...POST,
      headers: { 'x-one': '1' },
      body: new TextEncoder().encode('héllo'),
    })
    expect(seen).toEqual(['POST', '/hook?q=1', '1', 'héllo'])
    expect(response.status).toBe(201)
    expect(response.headers['x-two']).toBe('2')
    expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2'])
    expect(response.body.toString()).toBe('made')
  })

  test('takes no interim response for the response', async () => {
    const target = await receiver((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' })
      setTimeout(() => response.writeHead(201).end('made'), 300)
    })
    for (const how of [{}, { peek: true }]) {
      const response = await guarded().request(target.url, LOOPBACK_TOO, { ...POST, ...how })
      expect([response.status, response.body.toString()]).toEqual([201, 'made'])
    }
  })

  test('needs no body', async () => {
    const target = await receiver((request, response) => response.end(request.method))
    const response = await guarded().request(target.url, LOOPBACK_TOO, {
      method: 'GET',
      headers: {},
      timeoutMs: 3_000,
      maxBodyBytes: 3,
    })
    expect(response.body.toString()).toBe('GET')
  })

  test('reaches localhost and IPv6 loopback when loopback is allowed', async () => {
    const target = await receiver((_request, response) => response.end('here'), '::')
    const http = guarded()
    for (const host of ['localhost', '[::1]', '[::ffff:127.0.0.1]', '127.1']) {
      const url = `http://${host}:${target.port}/`
      expect((await http.request(url, LOOPBACK_TOO, POST)).body.toString()).toBe('here')
    }
  })

  test.each([301, 302, 303, 307, 308])('does not follow a %i', async (status) => {
    const canary = await receiver((_request, response) => response.end())
    const target = await receiver((_request, response) =>
      response.writeHead(status, { location: canary.url }).end(),
    )
    const response = await guarded().request(target.url, LOOPBACK_TOO, POST)
    expect(response.status).toBe(status)
    expect(response.headers.location).toBe(canary.url)
    expect(canary.connections).toBe(0)
  })

  test('does not decompress', async () => {
    const target = await receiver((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip at all'),
    )
    const response = await guarded().request(target.url, LOOPBACK_TOO, POST)
    expect(response.body.toString()).toBe('not gzip at all')
  })

  test('takes no proxy from the environment', async () => {
    const proxy = await receiver((_request, response) => response.end('proxy'))
    const target = await receiver((_request, response) => response.end('target'))
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) {
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`)
    }
    cleanups.push(() => void vi.unstubAllEnvs())
    const response = await guarded().request(target.url, LOOPBACK_TOO, POST)
    expect(response.body.toString()).toBe('target')
    expect(proxy.connections).toBe(0)
  })

  test('opens as many connections to a host as there are requests', async () => {
    const waiting: (() => void)[] = []
    const target = await receiver((_request, response) => {
      waiting.push(() => response.end())
      if (waiting.length === 50) for (const finish of waiting) finish()
    })
    const http = guarded()
    await Promise.all(
      Array.from({ length: 50 }, () => http.request(target.url, LOOPBACK_TOO, POST)),
    )
    expect(target.connections).toBe(50)
  })

  test.each([{}, { peek: true }])('keeps the connection for the next one (%o)', async (how) => {
    const target = await receiver((_request, response) => response.end('ok'))
    const http = guarded()
    for (let count = 0; count < 3; count++) {
      await http.request(target.url, LOOPBACK_TOO, { ...POST, ...how })
      // undici sees a connection as free again only in the next turn of the event loop.
      await new Promise(setImmediate)
    }
    expect(target.connections).toBe(1)
  })

  test('lets a kept connection go after four seconds, whatever the receiver offers', async () => {
    const target = await receiver((_request, response) => {
      response.setHeader('keep-alive', 'timeout=600')
      response.end()
    })
    await guarded().request(target.url, LOOPBACK_TOO, POST)
    await target.firstClosed
  })

  test('passes a reset connection on as an error', async () => {
    const target = await receiver((request) => request.socket.resetAndDestroy())
    const error = await failure(guarded().request(target.url, LOOPBACK_TOO, POST))
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  })

  test('passes a reset in the middle of the body on as an error', async () => {
    const target = await receiver((request, response) => {
      response
        .writeHead(200, { 'content-length': 100 })
        .write('part', () => request.socket.destroy())
    })
    await expect(guarded().request(target.url, LOOPBACK_TOO, POST)).rejects.toThrow()
  })

  test('passes a rejected connection on as an error that is no BlockedAddress', async () => {
    const error = await failure(guarded().request('http://127.0.0.1:1/', LOOPBACK_TOO, POST))
    expect(error).toMatchObject({ code: 'ECONNREFUSED' })
    expect(error).not.toBeInstanceOf(BlockedAddress)
  })
})

describe('the deadline', () => {
  const SHORT = { ...POST, timeoutMs: 150 }

  async function expectDeadline(promise: Promise<unknown>): Promise<void> {
    expect(await failure(promise)).toBeInstanceOf(DeadlinePassed)
  }

  test('bounds a receiver that never responds', async () => {
    const target = await receiver(() => {})
    await expectDeadline(guarded().request(target.url, LOOPBACK_TOO, SHORT))
    await target.firstClosed
  })

  test('bounds headers that drip', async () => {
    const port = await tcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 20)
      socket.on('close', () => clearInterval(drip))
    })
    await expectDeadline(guarded().request(`http://127.0.0.1:${port}/`, LOOPBACK_TOO, SHORT))
  })

  test('bounds a body that drips', async () => {
    const target = await receiver(drip)
    await expectDeadline(guarded().request(target.url, LOOPBACK_TOO, SHORT))
    await target.firstClosed
  })

  test('bounds a TLS handshake that hangs', async () => {
    const port = await tcpServer(() => {})
    await expectDeadline(guarded().request(`https://127.0.0.1:${port}/`, LOOPBACK_TOO, SHORT))
  })

  test('bounds a name that never resolves', async () => {
    const http = guarded(() => new Promise(() => {}))
    await expectDeadline(http.request('http://hook.test/', PUBLIC_ONLY, SHORT))
  })

  test('bounds a receiver that does not read the body', async () => {
    const port = await tcpServer((socket) => socket.pause())
    const body = Buffer.alloc(50_000_000)
    const request = { ...SHORT, body, timeoutMs: 400 }
    await expectDeadline(guarded().request(`http://127.0.0.1:${port}/`, LOOPBACK_TOO, request))
  })

  test('sends nothing once it has passed', async () => {
    const target = await receiver((_request, response) => response.end())
    const http = guarded(async () => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      return [{ address: '127.0.0.1', family: 4 }]
    })
    await expectDeadline(http.request(`http://hook.test:${target.port}/`, LOOPBACK_TOO, SHORT))
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(target.requests).toBe(0)
  })
})

describe('the size of a response', () => {
  test('may be exactly the limit', async () => {
    const target = await receiver((_request, response) => response.end('x'.repeat(1_000)))
    const response = await guarded().request(target.url, LOOPBACK_TOO, POST)
    expect(response.body.length).toBe(1_000)
  })

  test('is cut one byte beyond', async () => {
    const target = await receiver((_request, response) => response.end('x'.repeat(1_001)))
    const error = await failure(guarded().request(target.url, LOOPBACK_TOO, POST))
    expect(error).toBeInstanceOf(ResponseTooLarge)
  })

  test('is cut in a stream of a gigabyte', async () => {
    const target = await receiver(gigabyte)
    const error = await failure(guarded().request(target.url, LOOPBACK_TOO, POST))
    expect(error).toBeInstanceOf(ResponseTooLarge)
    expect(await target.firstClosed).toBeLessThan(64_000_000)
  })
})

describe('a body of which the beginning is wanted', () => {
  const PEEK = { ...POST, maxBodyBytes: 1_024, peek: true }

  test.each([
    ['a gigabyte', gigabyte, 1_024],
    ['a drip', drip, 1],
  ])('costs no more: %s', async (_name, result, least) => {
    const target = await receiver(result)
    const response = await guarded().request(target.url, LOOPBACK_TOO, PEEK)
    expect(response.status).toBe(200)
    expect(response.body.length).toBeGreaterThanOrEqual(least)
    expect(response.body.length).toBeLessThanOrEqual(1_024)
    expect(response.body.buffer.byteLength).toBeLessThanOrEqual(65_536)
    expect(await target.firstClosed).toBeLessThan(64_000_000)
  })

  test('is whole where it is short', async () => {
    const target = await receiver((_request, response) => response.end('thank you'))
    const response = await guarded().request(target.url, LOOPBACK_TOO, PEEK)
    expect(response.body.toString()).toBe('thank you')
  })

  test('may go on behind the deadline, which is for the headers', async () => {
    const target = await receiver((_request, response) => void response.writeHead(200).write('a'))
    const request = { ...PEEK, timeoutMs: 190 }
    const response = await guarded().request(target.url, LOOPBACK_TOO, request)
    expect(response.body.toString()).toBe('a')
    await target.firstClosed
  })

  test('may end in a reset', async () => {
    const target = await receiver((request, response) => {
      response
        .writeHead(200, { 'content-length': 9 })
        .write('x', () => request.socket.resetAndDestroy())
    })
    expect((await guarded().request(target.url, LOOPBACK_TOO, PEEK)).status).toBe(200)
    await target.firstClosed
  })
})

describe('closing', () => {
  test('waits for the requests under way and ends the connections', async () => {
    const target = await receiver((_request, response) => {
      setTimeout(() => response.end('late'), 100)
    })
    const http = guarded()
    const response = http.request(target.url, LOOPBACK_TOO, POST)
    await http.close()
    expect((await response).body.toString()).toBe('late')
    await target.firstClosed
    await expect(http.request(target.url, LOOPBACK_TOO, POST)).rejects.toThrow()
  })
})

describe('an address that the policy does not allow', () => {
  async function canary(): Promise<Receiver> {
    return receiver((_request, response) => response.end('secret'), '::')
  }

  test.each([
    '127.0.0.1',
    '[::1]',
    '[::ffff:7f00:1]',
    'localhost',
    '2130706433',
    '0.0.0.0',
    '[::]',
  ])('is not reached as %s', async (host) => {
    const target = await canary()
    const { lookup, calls } = answering(['127.0.0.1'])
    const request = guarded(lookup).request(`http://${host}:${target.port}/`, PUBLIC_ONLY, POST)
    expect(await failure(request)).toBeInstanceOf(BlockedAddress)
    expect([target.connections, calls()]).toEqual([0, 0])
  })

  test.each(['0.0.0.0', '[::]', '10.0.0.1', '169.254.169.254'])(
    'is not reached as %s where loopback is allowed',
    async (host) => {
      const target = await canary()
      const request = guarded().request(`http://${host}:${target.port}/`, LOOPBACK_TOO, POST)
      expect(await failure(request)).toBeInstanceOf(BlockedAddress)
      expect(target.connections).toBe(0)
    },
  )

  test.each([
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['127.0.0.1'],
    ['0.0.0.0'],
    ['::1'],
    ['::'],
    ['::ffff:127.0.0.1'],
    ['::127.0.0.1'],
    ['fd00::1'],
    ['fe80::1'],
    ['64:ff9b::7f00:1'],
    ['127.0.0.1', '::1', '10.0.0.1'],
    [],
  ])('is not reached by a name: %s %s %s', async (...addresses) => {
    const target = await canary()
    for (const scheme of ['http', 'https']) {
      const { lookup, calls } = answering(addresses)
      const request = guarded(lookup).request(
        `${scheme}://h.test:${target.port}/`,
        PUBLIC_ONLY,
        POST,
      )
      expect(await failure(request)).toBeInstanceOf(BlockedAddress)
      expect(calls()).toBe(1)
    }
    expect(target.connections).toBe(0)
  })

  test('says nothing about the address that a name has', async () => {
    const { lookup } = answering(['10.1.2.3'])
    const error = await failure(guarded(lookup).request('http://h.test/', PUBLIC_ONLY, POST))
    expect(error.message).toBe('h.test has no public address.')
  })

  test('is dropped from a response that holds a public one too', async () => {
    const target = await canary()
    for (const addresses of [
      [UNASSIGNED, '127.0.0.1'],
      ['::1', UNASSIGNED, '127.0.0.1'],
    ]) {
      const { lookup } = answering(addresses)
      const url = `http://h.test:${target.port}/`
      const request = guarded(lookup).request(url, PUBLIC_ONLY, { ...POST, timeoutMs: 800 })
      expect(await failure(request)).not.toBeInstanceOf(BlockedAddress)
    }
    expect(target.connections).toBe(0)
  })

  test('is dropped while the allowed one beside it is reached', async () => {
    const target = await canary()
    const { lookup } = answering(['10.0.0.1', '127.0.0.1', '169.254.169.254'])
    const url = `http://h.test:${target.port}/`
    const response = await guarded(lookup).request(url, LOOPBACK_TOO, POST)
    expect(response.body.toString()).toBe('secret')
  })

  test('is rejected when the name is rebound between two requests', async () => {
    const target = await canary()
    const { lookup } = answering([UNASSIGNED], ['127.0.0.1'])
    const http = guarded(lookup)
    const url = `http://h.test:${target.port}/`
    const first = await failure(http.request(url, PUBLIC_ONLY, { ...POST, timeoutMs: 300 }))
    expect(first).not.toBeInstanceOf(BlockedAddress)
    expect(await failure(http.request(url, PUBLIC_ONLY, POST))).toBeInstanceOf(BlockedAddress)
    expect(target.connections).toBe(0)
  })

  test('cannot come from a second look-up: what was checked is what is connected to', async () => {
    const target = await canary()
    const { lookup, calls } = answering(['127.0.0.1'], ['10.0.0.1'])
    const url = `http://h.test:${target.port}/`
    expect((await guarded(lookup).request(url, LOOPBACK_TOO, POST)).status).toBe(200)
    expect(calls()).toBe(1)
  })

  test('is not reached over a connection that was kept for another policy', async () => {
    const target = await canary()
    const { lookup } = answering(['127.0.0.1'])
    const http = guarded(lookup)
    const url = `http://h.test:${target.port}/`
    expect((await http.request(url, LOOPBACK_TOO, POST)).status).toBe(200)
    expect(await failure(http.request(url, PUBLIC_ONLY, POST))).toBeInstanceOf(BlockedAddress)
    expect([target.connections, target.requests]).toEqual([1, 1])
  })

  test('is rejected after connecting, before anything is sent', async () => {
    const target = await canary()
    // A response that turns into another one once it has been checked.
    let reads = 0
    const response: LookupAddress = {
      family: 4,
      get address() {
        reads += 1
        return reads === 1 ? '8.8.8.8' : '127.0.0.1'
      },
    }
    const http = guarded(async () => [response])
    const error = await failure(http.request(`http://h.test:${target.port}/`, PUBLIC_ONLY, POST))
    expect(error).toBeInstanceOf(BlockedAddress)
    expect(await target.firstClosed).toBe(0)
    expect([target.connections, target.requests]).toEqual([1, 0])
  })

  test('is rejected by scheme and credentials before any look-up', async () => {
    const { lookup, calls } = answering([UNASSIGNED])
    const http = guarded(lookup)
    for (const url of ['http://h.test/', 'https://me:pass@h.test/', 'ftp://h.test/', '/hook']) {
      expect(await failure(http.request(url, PRODUCTION, POST))).toBeInstanceOf(BlockedAddress)
    }
    expect(calls()).toBe(0)
  })
})

describe('without a look-up of its own', () => {
  test('names are asked of the name servers, in both families', async () => {
    const asked: string[] = []
    const nameServers = dns.getServers()
    const server = await startNameServer((name, type) => {
      asked.push(`${name} ${type}`)
      if (name === 'inside.example') return type === 'A' ? [10, 0, 0, 1] : []
      return name === 'six.example' && type === 'AAAA' ? [0xfd, ...Array(14).fill(0), 1] : null
    })
    dns.setServers([`127.0.0.1:${server.port}`])
    cleanups.push(() => dns.setServers(nameServers))
    cleanups.push(() => server.close())
    const http = guarded()
    for (const name of ['inside.example', 'six.example']) {
      const error = await failure(http.request(`https://${name}/`, PRODUCTION, POST))
      expect(error).toBeInstanceOf(BlockedAddress)
    }
    const error = await failure(http.request('https://none.example/', PRODUCTION, POST))
    expect(error).toMatchObject({ code: 'ENOTFOUND' })
    expect(asked).toEqual(expect.arrayContaining(['inside.example A', 'inside.example AAAA']))
  })
})

describe('targetProblem', () => {
  const FORM = 'must be an absolute http or https URL'
  const HTTPS = 'must use https'
  const CREDENTIALS = 'must not contain credentials'
  const ADDRESS = 'must not point to an address that is not public'
  const LOCALHOST = 'must not point to localhost'

  test.each(PRIVATE_HOSTS)('rejects the address %s', (host) => {
    for (const url of [`https://${host}/`, `http://${host}:8080/a?b#c`, `HTTPS://${host}`]) {
      expect(targetProblem(url, PUBLIC_ONLY)).toBe(ADDRESS)
    }
  })

  test.each([
    'http://localhost',
    'http://LOCALHOST:3000/',
    'http://localhost./',
    'http://foo.localhost',
    'http://a.b.localhost/',
    'https://foo.localhost.:8443/',
    'http://loc%61lhost/',
    'http://ｌｏｃａｌｈｏｓｔ/',
  ])('refuses %s', (url) => {
    expect(targetProblem(url, PUBLIC_ONLY)).toBe(LOCALHOST)
    expect(targetProblem(url, LOOPBACK_TOO)).toBeNull()
  })

  test.each([
    '',
    ' ',
    'hook',
    '/hook',
    '//example.com/hook',
    'example.com',
    'example.com:443',
    'https:',
    'https://',
    'https:example.com',
    'https:/example.com',
    'https:\\\\example.com',
    ' https://example.com',
    'https://example.com ',
    'https://exa mple.com',
    'https://exa\nmple.com',
    'https://example.com/a\tb',
    'https://1.2.3.4.5/',
    'https://256.256.256.256/',
    'https://0x100000000/',
    'https://[::1/',
    'https://[fe80::1%25eth0]/',
    'https://[::ffff:1.2.3]/',
    'https://example.com:99999/',
    'https://exa<mple.com/',
    'ftp://example.com/',
    'ws://example.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:25/',
    'data:text/plain,hi',
    'javascript:alert(1)',
    'blob:https://example.com/1',
    'unix:/var/run/docker.sock',
    'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  ])('refuses %j as no absolute http or https URL', (url) => {
    expect(targetProblem(url, LOOPBACK_TOO)).toBe(FORM)
  })

  test.each([
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://:pass@example.com/',
    'https://8.8.8.8@example.com/',
    'https://example.com%40:x@example.org/',
  ])('refuses the credentials in %s', (url) => {
    expect(targetProblem(url, PUBLIC_ONLY)).toBe(CREDENTIALS)
  })

  test('rejects http unless it is allowed', () => {
    expect(targetProblem('http://example.com/', PRODUCTION)).toBe(HTTPS)
    expect(targetProblem('http://127.0.0.1/', { ...PRODUCTION, allowLoopback: true })).toBe(HTTPS)
    expect(targetProblem('http://example.com/', PUBLIC_ONLY)).toBeNull()
  })

  test.each([
    'https://example.com',
    'https://example.com:8443/hook?token=a@b#c',
    'https://localhost.example.com/',
    'https://notlocalhost/',
    'https://127.0.0.1.example.com/',
    'https://10.example/',
    'https://münchen.example/',
    'https://8.8.8.8/',
    'https://134744072/',
    'https://172.15.255.255/',
    'https://172.32.0.1/',
    'https://100.63.255.255/',
    'https://100.128.0.1/',
    'https://[2606:4700:4700::1111]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[64:ff9b::8.8.8.8]/',
  ])('takes %s', (url) => {
    expect(targetProblem(url, PRODUCTION)).toBeNull()
  })

  test('takes a name beyond ASCII however often it is asked', () => {
    for (let asked = 0; asked < 20_000; asked++) targetProblem('https://example.com/', PRODUCTION)
    expect(targetProblem('https://münchen.example/', PRODUCTION)).toBeNull()
    for (let asked = 0; asked < 20_000; asked++) {
      if (targetProblem('https://münchen.example/', PRODUCTION) !== null)
        throw new Error(`${asked}`)
    }
  })

  test.each(['127.0.0.1', '127.8.9.10', '127.1', '[::1]', '[::ffff:127.0.0.1]'])(
    'takes the loopback address %s when loopback is allowed',
    (host) => {
      expect(targetProblem(`http://${host}/`, LOOPBACK_TOO)).toBeNull()
    },
  )

  test.each(['0.0.0.0', '[::]', '10.0.0.1', '169.254.169.254', '[fd00::1]', '[2002:7f00:1::]'])(
    'refuses %s also when loopback is allowed',
    (host) => {
      expect(targetProblem(`http://${host}/`, LOOPBACK_TOO)).toBe(ADDRESS)
    },
  )
})

describe('isPublicAddress', () => {
  test.each(['1.1.1.1', '9.255.255.255', '11.0.0.0', '2606:4700::1', '::ffff:1.1.1.1'])(
    'takes %s',
    (ip) => {
      expect(isPublicAddress(ip)).toBe(true)
    },
  )

  test.each([
    '',
    'example.com',
    '1.1.1',
    '01.1.1.1',
    '0x1.1.1.1',
    '[2606:4700::1]',
    '::ffff:10.0.0.1',
  ])('refuses %j', (ip) => {
    expect(isPublicAddress(ip)).toBe(false)
  })
})

const drip: RequestListener = (_request, response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write('.'), 20)
  response.on('close', () => clearInterval(timer))
}

const gigabyte: RequestListener = (_request, response) => {
  const chunk = Buffer.alloc(65_536)
  let left = 2 ** 30
  function pour(): void {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length
      if (!response.write(chunk)) {
        response.once('drain', pour)
        return
      }
    }
    response.end()
  }
  pour()
}

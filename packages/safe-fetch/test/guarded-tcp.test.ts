import { type AddressInfo, createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { isAllowed } from '../src/addresses.ts'
import { BlockedAddress, connectTcp, type Reach } from '../src/index.ts'

const server = createServer((socket) => socket.end('hello'))
afterEach(() => void server.close())

const connect = (host: string, reach: Reach, port = 9) =>
  connectTcp({ host, port, reach, signal: AbortSignal.timeout(500) })

test('a connection to this machine stands where it may', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  for (const host of ['127.0.0.1', 'localhost']) {
    const socket = await connect(host, 'loopback', port)
    expect(String(await socket.toArray())).toBe('hello')
  }
  await expect(connect('127.0.0.1', 'public', port)).rejects.toThrow(BlockedAddress)
})

test('private networks are a reach of their own, and link-local addresses are in none', async () => {
  for (const host of ['10.0.0.1', '192.168.1.1', 'fd00::1']) {
    await expect(connect(host, 'loopback')).rejects.toThrow(BlockedAddress)
  }
  for (const host of ['169.254.169.254', '0.0.0.0', 'fe80::1', '100.64.0.1']) {
    await expect(connect(host, 'private')).rejects.toThrow(BlockedAddress)
  }
})

test.each(['10.0.0.1', '172.16.0.1', '192.168.1.1', '::ffff:10.0.0.1', 'fd00::1', '127.0.0.1'])(
  '%s is in the private reach',
  (ip) => {
    expect(isAllowed(ip, 'private')).toBe(true)
    expect(isAllowed(ip, 'public')).toBe(false)
  },
)

test('the signal ends an attempt', async () => {
  await expect(
    connectTcp({
      host: '127.0.0.1',
      port: 9,
      reach: 'loopback',
      signal: AbortSignal.abort(new Error('late')),
    }),
  ).rejects.toThrow('late')
})

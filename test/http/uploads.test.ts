import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeUser, signIn } from '../support/oauth.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** Sends the head of a request with a body that never ends; how long the connection lived, in milliseconds. */
function hold(path: string, authorization: string, trickle: boolean): Promise<number> {
  const { hostname, port } = new URL(service.baseUrl)
  const began = Date.now()
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: text/csv\r\n` +
          `authorization: ${authorization}\r\ntransfer-encoding: chunked\r\n\r\n`,
      )
    })
    const timer = trickle ? setInterval(() => socket.write('1\r\na\r\n'), 500) : undefined
    socket.resume()
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(Date.now() - began)
    })
  })
}

test('a body that hardly comes holds no connection, with a good token or without', async () => {
  const path = '/api/admin/v1/listings/import?environment=sandbox'
  const lived = await Promise.all([
    hold(path, 'Bearer wrong', false),
    hold(path, 'Bearer wrong', true),
    hold(path, `Bearer ${ADMIN_TOKEN}`, false),
    hold(path, `Bearer ${ADMIN_TOKEN}`, true),
    hold('/operator/imports/upload', 'none', true),
  ])
  expect(Math.max(...lived)).toBeLessThan(30_000)
}, 40_000)

test('a request with two hosts is rejected', async () => {
  const { hostname, port } = new URL(service.baseUrl)
  const response = await new Promise<string>((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        'GET /api HTTP/1.1\r\nhost: a.example\r\nhost: b.example\r\nconnection: close\r\n\r\n',
      )
    })
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('close', () => resolve(text))
  })
  expect(response).toMatch(/^HTTP\/1\.1 400/)
})

test('an address with line breaks is no error of ours', async () => {
  await makeUser(service, 'member@example.com')
  const { cookie } = await signIn(service, 'member@example.com')
  for (const target of [
    '/partner/%0d%0a',
    '/partner/%0d%0a/members/x/remove',
    '/partner/%0d%0aset-cookie:%20a=b/orders',
    '/d/%0d%0a',
  ]) {
    const { status } = await service.send({
      method: 'GET',
      target,
      headers: { accept: 'text/html', cookie: cookie ?? '' },
    })
    expect(status, target).toBeLessThan(500)
  }
})

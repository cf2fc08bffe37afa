import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { send } from '../support/client.ts'
import { installed } from '../support/installed.ts'
import { cleanUp, freePort, newFolder } from '../support/process.ts'

const run = promisify(execFile)
const deploy = (file: string) =>
  readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')

const children: ChildProcess[] = []
/** An instance that is ready, hangs up at /broken and never responds at /slow. */
const instance = createServer((request, response) => {
  if (request.url === '/broken') request.socket.destroy()
  else if (request.url !== '/slow') response.end('here')
})
afterAll(async () => {
  for (const child of children) child.kill()
  instance.closeAllConnections()
  instance.close()
  await cleanUp()
})

/** Runs a program with a configuration until it listens, and returns where that is. */
async function launch(
  program: string,
  args: string[],
  config: string,
  port: number,
  env: Record<string, string> = {},
): Promise<string> {
  const folder = await newFolder()
  const file = join(folder, 'config')
  await writeFile(file, config)
  const own = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, ...env }
  children.push(spawn(program, [...args, file], { env: own, stdio: 'ignore' }))
  const url = `http://127.0.0.1:${port}`
  await expect.poll(async () => (await get(url, '*/*')).status).toBeGreaterThan(0)
  return url
}

async function balancer(instancePort: number): Promise<string> {
  const port = await freePort()
  const config = deploy('haproxy.cfg')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('timeout server 10m', 'timeout server 500ms')
    .replace(/^ {4}server-template .*$/m, `    server here 127.0.0.1:${instancePort}`)
    .replace(/^resolvers containers\n(?: {4}.*\n)+/m, '')
    .replace(' resolvers containers init-addr none', '')
  return launch('haproxy', ['-db', '-q', '-f'], config, port)
}

/** Over a connection of its own: on one that was used before, HAProxy hangs up where an instance does. */
const get = (url: string, accept: string) => {
  const { origin, pathname } = new URL(url)
  return send(origin, {
    method: 'GET',
    target: pathname,
    headers: { accept, connection: 'close' },
  })
}

/** What callers of the API are told. */
async function told(url: string) {
  const { status, headers, body } = await get(url, 'application/json')
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/^[\w-]+$/),
  })
  expect(body.error).toEqual({
    code: expect.any(String),
    message: expect.any(String),
    request_id: headers['x-request-id'],
  })
  return { status, code: body.error.code, retryAfter: headers['retry-after'] }
}

/** What a person is shown. */
async function shown(url: string) {
  const { status, headers, text } = await get(url, 'text/html,application/xhtml+xml')
  expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'retry-after': '2' })
  expect(text).toContain('<h1>Back in a moment</h1>')
  return status
}

describe.skipIf(!installed('haproxy'))('deploy/haproxy.cfg', () => {
  test('has the form of our errors where no instance is ready, and a page for people', async () => {
    const url = await balancer(await freePort())
    const away = { status: 503, code: 'unavailable', retryAfter: '2' }
    await expect.poll(() => told(`${url}/search`)).toEqual(away)
    expect(await shown(`${url}/d/name.example`)).toBe(503)
    const denied = { status: 403, code: 'forbidden', retryAfter: undefined }
    for (const path of ['/metrics', '/api/admin/v1/orders', '/api/%61dmin/v1/orders']) {
      expect(await told(url + path), path).toEqual(denied)
    }
  })

  test('is healthy to Compose while it responds, with instances or without', async () => {
    const { test: check } = parse(deploy('compose.yaml'), { merge: true }).services.balancer
      .healthcheck
    const [kind, program, ...args] = check
    expect(kind).toBe('CMD')
    const healthy = (url: string) => {
      const own = args.map((arg: string) =>
        arg.replaceAll('$$', '$').replace('8080', new URL(url).port),
      )
      return run(program, own).then(
        () => true,
        () => false,
      )
    }
    expect(await healthy(await balancer(await freePort()))).toBe(true)
    expect(await healthy(`http://127.0.0.1:${await freePort()}`)).toBe(false)
  })

  test('has it where an instance breaks off or does not respond in time', async () => {
    await new Promise<void>((resolve) => instance.listen(0, '127.0.0.1', resolve))
    const url = await balancer((instance.address() as AddressInfo).port)
    await expect.poll(async () => (await get(url, '*/*')).text).toBe('here')
    const failed = { code: 'unavailable', retryAfter: '2' }
    expect(await told(`${url}/broken`)).toEqual({ status: 502, ...failed })
    expect(await told(`${url}/slow`)).toEqual({ status: 504, ...failed })
  })
})

describe.skipIf(!installed('caddy'))('deploy/Caddyfile', () => {
  test('has the form of our errors where the upstream is away, and a page for people', async () => {
    const port = await freePort()
    const own = `{\n\thttps_port ${await freePort()}\n\tlocal_certs\n\tskip_install_trust\n\tadmin off\n`
    const config = deploy('Caddyfile').replace('{\n', own)
    const url = await launch('caddy', ['run', '--adapter', 'caddyfile', '--config'], config, port, {
      MARKET_HOST: `http://127.0.0.1:${port}`,
      UPSTREAM: `127.0.0.1:${await freePort()}`,
    })
    const away = { status: 502, code: 'unavailable', retryAfter: '2' }
    expect(await told(`${url}/search`)).toEqual(away)
    expect(await shown(`${url}/d/name.example`)).toBe(502)
    expect((await get(`${url}/metrics`, '*/*')).status).toBe(403)
  })
})

import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signWebhook } from '../../client/src/webhooks.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url))

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const isThere = (...programs: string[]) =>
  programs.every((program) => spawnSync('which', [program]).status === 0)

describe('the examples sell a domain and check a webhook', () => {
  const trying = (file: string, program: string, ...needed: string[]) =>
    // A machine without the language cannot try its example.
    test.skipIf(!isThere(program, ...needed))(
      `with ${program}`,
      async () => sells(file, program),
      120_000,
    )
  trying('sell.sh', 'bash', 'curl', 'openssl', 'jq')
  trying('sell.py', 'python3')
  trying('sell.php', 'php')

  const BODY = '{"id":"evt_1","data":{"name":"ü"}}'
  const SECRET = 'a-secret-of-16-or-more'
  const now = () => Math.floor(Date.now() / 1000)

  /** The header fields of a delivery, as the service sends them. */
  async function signed(secret: string, timestamp = now()) {
    const headers = await signWebhook(secret, { id: 'evt_1' }, BODY, new Date(timestamp * 1000))
    return {
      WEBHOOK_SECRET: secret,
      WEBHOOK_BODY: BODY,
      WEBHOOK_ID: 'evt_1',
      WEBHOOK_TIMESTAMP: String(timestamp),
      WEBHOOK_SIGNATURE: `v1,b3RoZXI= ${headers['webhook-signature']}`,
    }
  }

  const example = (
    file: string,
    program: string,
    { credential }: PartnerClient,
    domain: string,
    webhook: Record<string, string>,
  ) =>
    run(program, [EXAMPLES + file, domain], {
      timeout: 60_000,
      env: {
        ...process.env,
        SERVICE_URL: service.baseUrl,
        SERVICE_KEY_ID: credential.key_id,
        SERVICE_SECRET: credential.secret,
        ...webhook,
      },
    })

  async function sells(file: string, program: string): Promise<void> {
    const partner = await service.partner()
    const domain = await freshName(service)
    const { stdout } = await example(file, program, partner, domain, await signed(SECRET))
    const [sold = '', ...webhook] = stdout.trim().split('\n')
    const { orders } = (await partner.get('/orders')).body
    expect(JSON.parse(sold)).toEqual({
      public_id: orders[0].public_id,
      domain,
      status: 'EXTERNALLY_PAID',
    })
    expect(orders).toHaveLength(1)
    expect(webhook).toEqual(['webhook: right', 'webhook: altered'])

    const right = await signed(SECRET)
    const rejected = example(file, program, partner, 'nobody-lists-this.test', right)
    const said = { code: 1, stderr: expect.stringContaining('404') }
    await expect(rejected).rejects.toMatchObject(said)
    const bytes = [0, 10, 255, 92, 37]
    for (const key of [bytes, Array.from({ length: 18 }, () => bytes).flat()]) {
      const encoded = await signed(`whsec_${Buffer.from(key).toString('base64')}`)
      const verified = await example(file, program, partner, await freshName(service), encoded)
      expect(verified.stdout).toContain('webhook: right')
    }
    for (const wrong of [
      { ...right, WEBHOOK_SIGNATURE: 'ü', WEBHOOK_TIMESTAMP: 'now' },
      { ...right, WEBHOOK_SIGNATURE: 'ü' },
      await signed(SECRET, now() - 310),
    ]) {
      const forged = await example(file, program, partner, await freshName(service), wrong)
      expect(forged.stdout).not.toContain('webhook: right')
    }
  }
})

test.skipIf(!isThere('bash', 'curl', 'openssl', 'jq'))(
  'no program that the example for curl runs is given a secret as an argument',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'arguments-'))
    const log = join(folder, 'arguments.log')
    for (const program of ['openssl', 'curl', 'jq', 'od', 'cut', 'tr', 'sed']) {
      const real = spawnSync('which', [program], { encoding: 'utf8' }).stdout.trim()
      const logging = `#!/bin/sh\nprintf '%s ' ${program} "$@" >> ${log}\nexec ${real} "$@"\n`
      await writeFile(join(folder, program), logging, { mode: 0o755 })
    }
    const { credential } = await service.partner()
    const webhook = {
      WEBHOOK_SECRET: 'a-secret-of-16-or-more',
      WEBHOOK_BODY: '{}',
      WEBHOOK_ID: 'evt_1',
      WEBHOOK_TIMESTAMP: String(Math.floor(Date.now() / 1000)),
      WEBHOOK_SIGNATURE: 'v1,b3RoZXI=',
    }
    await run('bash', [`${EXAMPLES}sell.sh`, await freshName(service)], {
      env: {
        ...process.env,
        PATH: `${folder}:${process.env['PATH']}`,
        SERVICE_URL: service.baseUrl,
        SERVICE_KEY_ID: credential.key_id,
        SERVICE_SECRET: credential.secret,
        ...webhook,
      },
    })
    const seen = await readFile(log, 'utf8')
    expect(seen).toContain('openssl dgst -sha256')
    expect(seen).toContain('curl ')
    expect(seen).not.toContain(credential.secret)
    expect(seen).not.toContain(Buffer.from(credential.secret).toString('hex'))
    expect(seen).not.toContain(webhook.WEBHOOK_SECRET)
    await rm(folder, { recursive: true })
  },
  60_000,
)

test('no document puts a secret into the arguments of a program', async () => {
  const guides = fileURLToPath(new URL('../../docs/guides/', import.meta.url))
  for (const folder of [guides, EXAMPLES]) {
    for (const file of await readdir(folder)) {
      const text = await readFile(join(folder, file), 'utf8')
      expect(text, file).not.toMatch(/-hmac "?\$|^.*(?:curl|-H) .*Bearer \$|'\$\w*SECRET'/m)
    }
  }
})

describe('the examples that try again', () => {
  const CREDENTIAL = { SERVICE_KEY_ID: 'pk_sandbox_1', SERVICE_SECRET: 'sk' }
  const QUOTE = JSON.stringify({ quote_id: 'qt_1', price_cents: 100 })
  const ORDER = { public_id: 'ord_1', domain: 'a.test', status: 'EXTERNALLY_PAID' }

  /** Runs an example against a server that responds to its requests for a quote one after another as told. */
  async function tried(
    program: string,
    file: string,
    responses: ((response: ServerResponse) => void)[],
  ) {
    const keys: (string | string[] | undefined)[] = []
    const server = createServer((request, response) => {
      request.resume()
      if (request.url?.endsWith('/quotes')) {
        keys.push(request.headers['idempotency-key'])
        responses[Math.min(keys.length, responses.length) - 1]?.(response)
      } else {
        response.end(JSON.stringify(request.method === 'GET' ? { orders: [ORDER] } : ORDER))
      }
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const env = { ...process.env, ...CREDENTIAL, SERVICE_URL: `http://127.0.0.1:${port}` }
    try {
      const { stdout } = await run(program, [EXAMPLES + file, 'a.test'], { env, timeout: 25_000 })
      return { keys, stdout, stderr: '' }
    } catch (error) {
      return { keys, ...(error as { stdout: string; stderr: string }) }
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  const cut = (response: ServerResponse) => {
    response.writeHead(200, { 'content-length': '99' }).write(QUOTE.slice(0, 9))
    setTimeout(() => response.destroy(), 20)
  }
  const saying =
    (status: number, retryAfter: string, body = '<html>') =>
    (response: ServerResponse) =>
      response.writeHead(status, { 'retry-after': retryAfter }).end(body)
  const past = 'Sun, 06 Nov 1994 08:49:37 GMT'

  describe.each([
    ['python3', 'sell.py'],
    ['php', 'sell.php'],
  ])('with %s', (program, file) => {
    const trying = test.skipIf(!isThere(program))

    trying('get past a cut answer and any Retry-After, with one key', async () => {
      const responses = [cut, saying(503, past), saying(409, '0'), saying(201, '0', QUOTE)]
      const { keys, stdout, stderr } = await tried(program, file, responses)
      expect({ stderr, said: stdout && JSON.parse(stdout) }).toEqual({ stderr: '', said: ORDER })
      expect(keys).toHaveLength(4)
      expect(new Set(keys).size).toBe(1)
    })

    trying.each([502, 200])('tell of a %d that is no JSON', async (status) => {
      const { keys, stderr } = await tried(program, file, [saying(status, '0')])
      expect(stderr.trim().split('\n').at(-1)).toContain(` ${status} `)
      if (status === 502) expect(keys).toHaveLength(4)
    })
  })

  test.skipIf(!isThere('python3'))('sign queries that repeat a key', async () => {
    const { credential } = await service.partner()
    const code = `from market import call
print(call('GET', '/api/partner/v1/orders', [('status', 'SETTLED'), ('status', 'PAID'), ('limit', '1')]))`
    const asked = run('python3', ['-c', code], {
      cwd: EXAMPLES,
      env: {
        ...process.env,
        PYTHONDONTWRITEBYTECODE: '1',
        SERVICE_URL: service.baseUrl,
        SERVICE_KEY_ID: credential.key_id,
        SERVICE_SECRET: credential.secret,
      },
    })
    const { stderr } = await asked.catch((error: { stderr: string }) => error)
    // Rejected behind its signature, which was right, and with both.
    expect(stderr).toContain('status: is given more than once')
  })
})

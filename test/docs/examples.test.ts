import { execFile, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
    test.skipIf(!isThere(program, ...needed))(`with ${program}`, async () => sells(file, program))
  trying('sell.sh', 'bash', 'curl', 'openssl', 'jq')
  trying('sell.py', 'python3')
  trying('sell.php', 'php')

  const BODY = '{"id":"evt_1","data":{"name":"ü"}}'
  const RIGHT = createHmac('sha256', 'a-secret-of-16-or-more').update(BODY).digest('hex')

  const example = (
    file: string,
    program: string,
    { credential }: PartnerClient,
    domain: string,
    signature = RIGHT,
  ) =>
    run(program, [EXAMPLES + file, domain], {
      timeout: 25_000,
      env: {
        ...process.env,
        SERVICE_URL: service.baseUrl,
        SERVICE_KEY_ID: credential.key_id,
        SERVICE_SECRET: credential.secret,
        WEBHOOK_SECRET: 'a-secret-of-16-or-more',
        WEBHOOK_BODY: BODY,
        WEBHOOK_SIGNATURE: signature,
      },
    })

  async function sells(file: string, program: string): Promise<void> {
    const partner = await service.partner()
    const domain = await freshName(service)
    const { stdout } = await example(file, program, partner, domain)
    const [sold = '', ...webhook] = stdout.trim().split('\n')
    const { orders } = (await partner.get('/orders')).body
    expect(JSON.parse(sold)).toEqual({
      public_id: orders[0].public_id,
      domain,
      status: 'EXTERNALLY_PAID',
    })
    expect(orders).toHaveLength(1)
    expect(webhook).toEqual(['webhook: right', 'webhook: altered'])

    const rejected = example(file, program, partner, 'nobody-lists-this.test')
    const said = { code: 1, stderr: expect.stringContaining('404') }
    await expect(rejected).rejects.toMatchObject(said)
    const forged = await example(file, program, partner, await freshName(service), 'ü')
    expect(forged.stdout).not.toContain('webhook: right')
  }
})

describe('the examples that try again', () => {
  const CREDENTIAL = { SERVICE_KEY_ID: 'pk_sandbox_1', SERVICE_SECRET: 'sk' }
  const QUOTE = JSON.stringify({ quote_id: 'qt_1', price_cents: 100 })
  const ORDER = { public_id: 'ord_1', domain: 'a.test', status: 'EXTERNALLY_PAID' }

  /** Runs an example against a server that answers its requests for a quote one after another as told. */
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

import { execFile, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
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

    const refused = example(file, program, partner, 'nobody-lists-this.test')
    const said = { code: 1, stderr: expect.stringContaining('404') }
    await expect(refused).rejects.toMatchObject(said)
    const forged = await example(file, program, partner, await freshName(service), 'ü')
    expect(forged.stdout).not.toContain('webhook: right')
  }
})

import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Buyer } from '../support/buyer.ts'
import { freshName, must } from '../support/market.ts'
import { SECRETS_KEY, startService, type TestService } from '../support/service.ts'

const DAY = 86_400_000

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** The cookie of a click as 0.1.0 sealed it, which browsers keep for thirty days. */
function sealedBefore(
  linkId: string,
  at: number,
  key = Buffer.from(SECRETS_KEY, 'base64'),
): string {
  const salt = randomBytes(16)
  const derived = new Uint8Array(hkdfSync('sha256', key, salt, 'token', 32))
  const cipher = createCipheriv('aes-256-gcm', derived, Buffer.alloc(12)).setAAD(
    Buffer.from('click'),
  )
  const text = Buffer.concat([cipher.update(JSON.stringify([linkId, at, 'v'])), cipher.final()])
  return Buffer.concat([salt, cipher.getAuthTag(), text]).toString('base64url')
}

async function salesAfter(cookie: (linkId: string, now: number) => string): Promise<unknown[]> {
  const client = await service.partner({ affiliate: true })
  const link = must(await client.post('/links', { type: 'generic' }), 201).body
  const buyer = new Buyer(service)
  buyer.carry('click', cookie(link.id, service.clock.now().getTime()))
  await buyer.pay(`/d/${await freshName(service)}`)
  expect(buyer.publicId).toBeDefined()
  return must(await client.get('/me/sales'), 200).body.sales
}

test('a click from before an upgrade earns the sale that follows it', async () => {
  expect(await salesAfter((id, now) => sealedBefore(id, now - DAY))).toHaveLength(1)
})

test.each([
  ['is too old', (id: string, now: number) => sealedBefore(id, now - 31 * DAY)],
  ['was made up', (id: string, now: number) => sealedBefore(id, now, Buffer.alloc(32, 8))],
])('one that %s does not', async (_, cookie) => {
  expect(await salesAfter(cookie)).toEqual([])
})

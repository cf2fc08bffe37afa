import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { PartnerClient } from '../support/client.ts'
import { freshName, must, operate } from '../support/market.ts'
import { quote, sold } from '../support/sale.ts'
import { type ServiceOptions, startService, type TestService } from '../support/service.ts'

const [OLD, NEW] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)]
const options: ServiceOptions & { settings: NonNullable<ServiceOptions['settings']> } = {
  settings: { secretsKeys: [OLD] },
}

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService(options)
  partner = await service.partner()
})
afterAll(() => service.stop())

type Key = Uint8Array<ArrayBuffer>

/** The same partner, at wherever the service is now. */
function again({ credential, partner_id }: PartnerClient): PartnerClient {
  return new PartnerClient(service.baseUrl, service.clock.now, { ...credential, partner_id })
}

async function restartWith(...keys: [Key, ...Key[]]) {
  options.settings.secretsKeys = keys
  service = await service.restart()
  partner = again(partner)
}

async function reseal() {
  const sum: Record<string, number> = {}
  let cursor: string | null = null
  do {
    const { body } = must(await service.admin('POST', '/secrets/reseal', { cursor }), 200)
    sum[body.column] = (sum[body.column] ?? 0) + body.resealed
    cursor = body.next_cursor
  } while (cursor !== null)
  return sum
}

describe('SECRETS_KEY', () => {
  test('takes keys that were replaced, and reseals all that they sealed', async () => {
    const payee = { name: 'A', country: 'DE', iban: 'DE89370400440532013000', currency: 'EUR' }
    must(await service.admin('PUT', `/partners/${partner.partner_id}/payee`, { payee }), 200)
    const registrar = { name: 'by-hand', driver: 'manual', config: { tlds: ['dev'] } }
    must(await service.admin('POST', '/registrars', registrar), 201)
    const { public_id } = await sold(partner, await freshName(service))
    await operate(service, public_id, 'start')
    // The simulated registrar makes a code of its own, and what comes last is the order's code.
    await vi.waitFor(
      async () => {
        const { body } = await partner.get(`/orders/${public_id}`)
        expect(body.transfer.code_available).toBe(true)
      },
      { timeout: 20_000, interval: 100 },
    )
    must(await service.admin('POST', `/orders/${public_id}/code`, { code: 'the-code' }), 200)
    const code = async () =>
      must(await partner.get(`/orders/${public_id}/transfer-code`), 200).body.auth_code

    await restartWith(NEW, OLD)
    expect(await code()).toBe('the-code')
    const first = await reseal()
    expect(first).toMatchObject({
      'credentials.secret_sealed': expect.any(Number),
      'orders.transfer_code': 1,
      'payees.details': 1,
      'registrars.config': 1,
      'signing_keys.private_jwk_sealed': 1,
    })
    expect(first['credentials.secret_sealed']).toBeGreaterThan(0)
    const again = await reseal()
    expect(Object.values(again).every((count) => count === 0)).toBe(true)

    // Whatever was left out would not open any more.
    await restartWith(NEW)
    expect(await code()).toBe('the-code')
    must(await service.admin('POST', '/registrars/by-hand/test', {}), 200)
    must(await service.admin('POST', '/secrets/reseal', { cursor: '99:' }), 400)
  })

  test('that fits nothing stops the start', async () => {
    options.settings.secretsKeys = [OLD]
    await expect(service.restart()).rejects.toThrow('SECRETS_KEY does not fit')
    options.settings.secretsKeys = [NEW]
    service = await service.restart()
    partner = again(partner)
  })
})

describe('the signing key', () => {
  test('is replaced, and what the old one signed still verifies', async () => {
    const keys = async () =>
      must(await service.send({ method: 'GET', target: '/.well-known/jwks.json' }), 200).body
    const before = await keys()
    const domain = await freshName(service)
    const old = await quote(partner, domain)
    const { kid } = must(await service.admin('POST', '/signing-keys', {}), 201).body
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    const after = await keys()
    expect(after.keys.map((key: { kid: string }) => key.kid)).toEqual([kid, before.keys[0].kid])
    const fresh = await quote(partner, await freshName(service))
    const jwks = createLocalJWKSet(after)
    const signedBy = async (token: string) =>
      (await jwtVerify(token, jwks, { currentDate: service.clock.now() })).protectedHeader.kid
    expect(await signedBy(old.quote_token)).toBe(before.keys[0].kid)
    expect(await signedBy(fresh.quote_token)).toBe(kid)
    must(await partner.get(`/quotes/${old.quote_token}`), 200)
  })
})

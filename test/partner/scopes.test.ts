import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES, type Scope } from '../../src/core/caller.ts'
import { type PartnerOperation, scopesOf } from '../../src/core/operation.ts'
import { PARTNER_OPERATIONS } from '../../src/http/partner/operations.ts'
import type { PartnerClient, Result } from '../support/client.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partnerId: string
beforeAll(async () => {
  service = await startService()
  partnerId = (await service.partner({ affiliate: true })).partner_id
})
afterAll(() => service.stop())

const clients = new Map<string, Promise<PartnerClient>>()

/** One credential for each set of scopes, all of one partner that has an affiliate account. */
function holding(scopes: readonly Scope[], environment: 'sandbox' | 'live' = 'sandbox') {
  const name = [environment, ...scopes].join(' ')
  const known = clients.get(name) ?? service.partner({ environment, scopes, partner_id: partnerId })
  clients.set(name, known)
  return known
}

/** Nothing that a path, query or body could say matters before the scope is checked. */
async function call(client: PartnerClient, operation: PartnerOperation): Promise<Result> {
  const base = operation.unversioned ? '/api/partner' : '/api/partner/v1'
  const path = base + operation.path.replace(/\{\w+\}/g, 'unknown')
  const takesBody = operation.method === 'POST' || operation.method === 'PUT'
  return await client.call(operation.method, path, takesBody ? {} : undefined)
}

describe.each(PARTNER_OPERATIONS.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_name, operation) => {
    const opening = scopesOf(operation)

    test('is named by the specification with at least one scope', () => {
      expect(opening.length).toBeGreaterThan(0)
      expect(SCOPES).toEqual(expect.arrayContaining([...opening]))
    })

    test('is rejected to a credential that holds every other scope', async () => {
      const client = await holding(SCOPES.filter((scope) => !opening.includes(scope)))
      const response = await call(client, operation)
      expect(response.status, response.text).toBe(403)
      expect(response.body.error).toMatchObject({
        code: 'forbidden',
        details: { missing_scope: opening.length === 1 ? opening[0] : opening },
      })
    })

    test.each(opening)('is open to a credential that holds %s alone', async (scope) => {
      const response = await call(await holding([scope]), operation)
      expect(response.status, response.text).not.toBe(403)
      expect(response.status, response.text).toBeLessThan(500)
      expect([401, 405, 429], response.text).not.toContain(response.status)
      expect(response.text).not.toContain('There is nothing at this path')
    })

    test(
      operation.sandboxOnly
        ? 'does not exist for a live credential'
        : 'exists for a live credential',
      async () => {
        const response = await call(await holding(SCOPES, 'live'), operation)
        if (operation.sandboxOnly) {
          expect(response.status, response.text).toBe(404)
          expect(response.body.error.code).toBe('not_found')
          const bare = await call(await holding(['refer'], 'live'), operation)
          expect(bare.status, 'the scope tells nothing either').toBe(404)
        } else {
          expect(response.text).not.toContain('no such path')
          expect([401, 403, 405, 429], response.text).not.toContain(response.status)
        }
      },
    )
  },
)

test('Every operation has a name, a method and a path of its own', () => {
  const names = PARTNER_OPERATIONS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  const places = PARTNER_OPERATIONS.map(({ method, path, unversioned }) =>
    [method, unversioned, path.replace(/\{\w+\}/g, '{}')].join(' '),
  )
  expect(new Set(places).size).toBe(places.length)
})

describe('the scopes of the specification', () => {
  const expected: Record<string, readonly Scope[]> = {
    'GET /domains/search': ['search'],
    'GET /domains/{name}': ['search'],
    'GET /availability': ['search'],
    'GET /pricing': ['search'],
    'POST /quotes': ['buy'],
    'GET /quotes/{quote_id}': ['buy'],
    'DELETE /quotes/{quote_id}': ['buy'],
    'POST /orders': ['buy'],
    'GET /orders': ['search', 'buy'],
    'GET /orders/{public_id}': ['search', 'buy'],
    'POST /refunds': ['buy'],
    'GET /settlements': ['buy'],
    'GET /settlements/{id}': ['buy'],
    'POST /checkout-session': ['embed'],
    'GET /checkout-session/{id}': ['embed'],
    'GET /transactions': ['report'],
    'GET /payouts': ['report'],
    'GET /payouts/{id}': ['report'],
    'POST /links': ['refer'],
    'GET /links': ['refer'],
    'GET /me/clicks': ['report'],
    'GET /me/sales': ['report'],
    'GET /me/commissions': ['report'],
    'GET /me/payouts': ['report'],
    'GET /analytics': ['report'],
    'PUT /webhooks': ['webhook'],
    'GET /webhooks': ['webhook'],
    'GET /webhooks/deliveries': ['webhook'],
    'POST /webhooks/deliveries/{id}/resend': ['webhook'],
    'POST /webhooks/test': ['webhook'],
    'GET /events': ['webhook'],
    'POST /sandbox/orders/{public_id}/clear-review': ['buy'],
    'POST /sandbox/orders/{public_id}/start-transfer': ['buy'],
    'POST /sandbox/orders/{public_id}/complete-transfer': ['buy'],
    'POST /sandbox/orders/{public_id}/fail-transfer': ['buy'],
    'POST /sandbox/settlement-runs': ['buy'],
    'POST /sandbox/reset': ['buy'],
  }

  test.each(Object.entries(expected))('%s', (place, scopes) => {
    const blank = (text: string) => text.replace(/\{\w+\}/g, '{}')
    const operation = PARTNER_OPERATIONS.find(
      ({ method, path }) => blank(`${method} ${path}`) === blank(place),
    )
    expect(operation && [...scopesOf(operation)].toSorted()).toEqual([...scopes].toSorted())
  })
})

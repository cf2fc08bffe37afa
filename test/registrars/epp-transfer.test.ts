import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { transferData } from '../../packages/epp-client/test/support/markup.ts'
import { EppTestServer } from '../../packages/epp-client/test/support/server.ts'
import type { PartnerClient } from '../support/client.ts'
import { must, offer, operate } from '../support/market.ts'
import { orderBody } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const LOCK = 'clientTransferProhibited'

let service: TestService
let server: EppTestServer
let partner: PartnerClient
beforeAll(async () => {
  server = await new EppTestServer().start()
  service = await startService({ settings: { registry: 'live' } })
  partner = await service.partner({ environment: 'live' })
  const config = { ...server.access, tlds: ['example'], command_timeout_ms: 1_000 }
  must(await service.admin('POST', '/registrars', { name: 'epp', driver: 'epp', config }), 201)
})
afterAll(async () => {
  await service.stop()
  await server.stop()
  expect(await server.problems()).toEqual([])
})

/** An order of a locked domain of ours whose transfer has started. */
async function started(domain: string) {
  const held = server.add(domain, { statuses: new Set([LOCK]) })
  await offer(service, 'live', [domain])
  const quote = must(await partner.post('/quotes', { domain }), 201).body
  const { public_id } = must(await partner.post('/orders', orderBody(quote)), 201).body
  await operate(service, public_id, 'start')
  return { held, id: String(public_id) }
}

const shown = async (id: string) => must(await partner.get(`/orders/${id}`), 200).body

async function codeOf(id: string): Promise<string> {
  return await vi.waitFor(
    async () => {
      service.clock.advance(3_000)
      expect((await shown(id)).transfer.code_available).toBe(true)
      return must(await partner.get(`/orders/${id}/transfer-code`), 200).body.auth_code
    },
    { timeout: 20_000, interval: 200 },
  )
}

describe('a transfer by code', () => {
  test('sets a code and unlocks the domain in one command', async () => {
    const { held, id } = await started('plain.example')
    const code = await codeOf(id)
    expect(code).toMatch(/^[\x21-\x7e]{20,}$/)
    expect(held.authInfo).toBe(code)
    expect(held.statuses).not.toContain(LOCK)
    expect(server.performed.filter((each) => each === 'update plain.example')).toHaveLength(1)
  })

  test('whose response was lost ends with the same code at both sides', async () => {
    server.faults.push({ on: 'update', does: 'drop_after' })
    const { held, id } = await started('lost.example')
    expect(held.authInfo).toBeNull()
    const code = await codeOf(id)
    expect(held.authInfo).toBe(code)
    expect(held.statuses).not.toContain(LOCK)
  })

  test('that fails unsets the code and locks the domain again', async () => {
    const { held, id } = await started('failing.example')
    await codeOf(id)
    await operate(service, id, 'fail')
    await unset(held)
  })

  test.each([
    ['rejects to unset one', 'stubborn'],
    ['says that it unset one, and did not', 'forgetful'],
  ])('leaves a code that nobody knows where the registry %s', async (_, registry) => {
    const { held, id } = await started(`${registry}.example`)
    const code = await codeOf(id)
    if (registry === 'forgetful') server.keepsCodes = true
    else server.faults.push({ on: 'update', about: '<domain:null/>', does: { code: 2306 } })
    await operate(service, id, 'fail')
    await vi.waitFor(
      () => {
        service.clock.advance(3_000)
        expect(held.statuses).toContain(LOCK)
        expect(held.authInfo).not.toBe(code)
      },
      { timeout: 20_000, interval: 200 },
    )
    server.keepsCodes = false
    expect(held.authInfo).not.toBeNull()
    expect(
      JSON.stringify(await service.app.db.selectFrom('orders').selectAll().execute()),
    ).not.toContain(held.authInfo)
  })

  test('is complete at once when the registry says that it has taken place', async () => {
    const { held, id } = await started('moved.example')
    await codeOf(id)
    held.sponsor = 'registrar-2'
    held.authInfo = null
    server.messages.push({
      id: '7',
      text: 'Transfer approved.',
      data: transferData('moved.example', 'serverApproved', 'registrar-2'),
    })
    await vi.waitFor(
      async () => {
        service.clock.advance(60_000)
        expect((await shown(id)).status).toBe('TRANSFER_COMPLETED')
      },
      { timeout: 20_000, interval: 300 },
    )
    expect((await shown(id)).transfer.proof).toMatchObject({ source: 'registrar' })
    expect(server.acknowledged).toEqual(['7'])
  })

  test('of a domain that the registry rejects to unlock fails with its words', async () => {
    server.faults.push({ on: 'update', does: { code: 2304, reason: 'Court order.' } })
    const { id } = await started('barred.example')
    await vi.waitFor(
      async () => {
        service.clock.advance(3_000)
        expect((await shown(id)).transfer.status).toBe('failed')
      },
      { timeout: 20_000, interval: 200 },
    )
    const { body } = await service.admin('GET', '/registrar-operations?domain=barred.example')
    const asked = body.operations.find(({ op }: { op: string }) => op === 'set_auth_code')
    expect(asked.error).toEqual({
      code: '2304',
      message: 'Error 2304',
      reason: 'Court order.',
    })
  })
})

async function unset(held: { authInfo: string | null; statuses: Set<string> }): Promise<void> {
  await vi.waitFor(
    () => {
      service.clock.advance(3_000)
      expect(held.authInfo).toBeNull()
      expect(held.statuses).toContain(LOCK)
    },
    { timeout: 20_000, interval: 200 },
  )
}

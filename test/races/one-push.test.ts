import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { checkTransfers } from '../../src/domain/orders/check-transfers.ts'
import { workOperations } from '../../src/domain/registrars/work-operations.ts'
import { FINISHERS } from '../../src/http/registrar-finishers.ts'
import type { PartnerClient } from '../support/client.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { must, offer, operate } from '../support/market.ts'
import { registered } from '../support/registered.ts'
import { sell } from '../support/sale.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'

const ROUNDS = 4
const AT_ONCE = 6
const never = new AbortController().signal
const work = workOperations(FINISHERS)
const names = Array.from({ length: ROUNDS * AT_ONCE }, (_, index) => `race-${index}.org`)
const delivery = { method: 'push', account: 'acct-9' }

let service: TestService
let partner: PartnerClient
let registrar: ScriptedRegistrar
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  await holdJobs(service, work, checkTransfers)
  vi.spyOn(service.app.registry, 'lookup').mockImplementation(async () => registered())
  partner = await service.partner({ environment: 'live' })
  registrar = new ScriptedRegistrar(names)
  await connectScripted(service, registrar, ['org'])
  await offer(service, 'live', names)
})
afterAll(() => service.stop())

/** Asks for the refund of an order until it is refunded, or cannot be any more. */
async function refunded(id: string): Promise<boolean> {
  for (;;) {
    const { status, body, text } = await partner.post('/refunds', { public_id: id })
    if (status === 201) return true
    expect(status, text).toBe(409)
    if (body.error.details.status !== 'TRANSFER_IN_PROGRESS') return false
  }
}

test('of a refund and a push at once, one alone takes place', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const orders = await Promise.all(
      names.slice(round * AT_ONCE, (round + 1) * AT_ONCE).map(async (domain) => {
        const { public_id } = must(await sell(partner, domain, { delivery }), 201).body
        await operate(service, public_id, 'start')
        return { domain, id: String(public_id) }
      }),
    )
    // The worker comes when the first of some has been refunded; in the first round, at once.
    const early = orders.slice(0, round).map(({ id }) => refunded(id))
    if (round > 0) await Promise.race(early)
    const late = orders.slice(round).map(({ id }) => refunded(id))
    const [refunds] = await Promise.all([
      Promise.all([...early, ...late]),
      work.run(service.app, never),
    ])
    for (const [index, { domain, id }] of orders.entries()) {
      const { status } = must(await partner.get(`/orders/${id}`), 200).body
      expect(status).toBe(refunds[index] ? 'REFUNDED' : 'TRANSFER_COMPLETED')
      expect(registrar.domains.has(domain)).toBe(refunds[index])
    }
  }
})

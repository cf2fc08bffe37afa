import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { checkTransfers } from '../../src/domain/orders/check-transfers.ts'
import { RegistrarRejected } from '../../src/domain/registrars/driver.ts'
import { workOperations } from '../../src/domain/registrars/work-operations.ts'
import { FINISHERS } from '../../src/http/registrar-finishers.ts'
import type { PartnerClient, Result } from '../support/client.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { must, offer, operate } from '../support/market.ts'
import { registered } from '../support/registered.ts'
import { sell } from '../support/sale.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'

const never = new AbortController().signal
const work = workOperations(FINISHERS)
const registrar = new ScriptedRegistrar(['kept.org', 'resold.org', 'lost.org'])

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  await holdJobs(service, work, checkTransfers)
  vi.spyOn(service.app.registry, 'lookup').mockImplementation(async () => registered())
  partner = await service.partner({ environment: 'live' })
  await connectScripted(service, registrar, ['org'])
})
afterAll(() => service.stop())

async function started(domain: string): Promise<string> {
  const { public_id } = must(await sell(partner, domain), 201).body
  await operate(service, public_id, 'start')
  await work.run(service.app, never)
  return public_id
}

async function operationOf(id: string, op: string): Promise<Result['body']> {
  const path = `/registrar-operations?public_id=${id}`
  const { operations } = must(await service.admin('GET', path), 200).body
  return operations.find((each: { op: string }) => each.op === op)
}

/** A refunded order whose registrar has not taken the code back. */
async function refunded(domain: string): Promise<{ id: string; retry: () => Promise<Result> }> {
  await offer(service, 'live', [domain])
  const id = await started(domain)
  registrar.faults.push(new RegistrarRejected('2304', 'Object status prohibits operation'))
  must(await partner.post('/refunds', { public_id: id }), 201)
  await work.run(service.app, never)
  const { operation_id, status } = await operationOf(id, 'clear_auth_code')
  expect(status).toBe('failed')
  const retry = () => service.admin('POST', `/registrar-operations/${operation_id}/retry`, {})
  return { id, retry }
}

test('a code that a registrar does not take back alerts operators, who can try it again', async () => {
  const { id, retry } = await refunded('kept.org')
  const alerts = await service.app.db
    .selectFrom('alerts')
    .select('data')
    .where('type', '=', 'alert.code_not_cleared')
    .execute()
  expect(alerts).toMatchObject([{ data: { public_id: id, domain: 'kept.org' } }])
  expect(registrar.domains.get('kept.org')?.locked).toBe(false)
  must(await retry(), 202)
  await work.run(service.app, never)
  expect((await operationOf(id, 'clear_auth_code')).status).toBe('succeeded')
  expect(registrar.domains.get('kept.org')?.locked).toBe(true)
})

test('a code is not taken back while the next transfer of its domain is in progress', async () => {
  const { retry } = await refunded('resold.org')
  await started('resold.org')
  const { status, body } = await retry()
  expect(status).toBe(409)
  expect(body.error.message).toContain('Another transfer')
})

test('a code whose response was lost is given by hand, and that ends the operation', async () => {
  await offer(service, 'live', ['lost.org'])
  registrar.faults.push('after')
  const id = await started('lost.org')
  const { operation_id, status } = await operationOf(id, 'set_auth_code')
  expect(status).toBe('unknown')
  const said = { outcome: 'succeeded', reason: 'Its console shows the domain unlocked.' }
  const settled = await service.admin('POST', `/registrar-operations/${operation_id}/settle`, said)
  expect(settled.status).toBe(409)
  expect(settled.body.error.message).toContain('order set-code')
  must(await service.admin('POST', `/orders/${id}/code`, { code: 'Theirs-4711' }), 200)
  expect((await operationOf(id, 'set_auth_code')).status).toBe('succeeded')
  const { auth_code } = must(await partner.get(`/orders/${id}/transfer-code`), 200).body
  expect(auth_code).toBe('Theirs-4711')
})

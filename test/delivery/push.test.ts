import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
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

const MINUTE = 60_000
const never = new AbortController().signal
const work = workOperations(FINISHERS)
const delivery = { method: 'push', account: 'acct-9' }

let service: TestService
let partner: PartnerClient
let registrar: ScriptedRegistrar
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  await holdJobs(service, work, checkTransfers)
  vi.spyOn(service.app.registry, 'lookup').mockImplementation(async () => registered())
  partner = await service.partner({ environment: 'live' })
  registrar = new ScriptedRegistrar([])
  await connectScripted(service, registrar, ['org'])
})
afterAll(() => service.stop())
beforeEach(() => {
  registrar.performed.length = 0
  registrar.faults.length = 0
  registrar.isDown = false
})

/** An order of a domain in our account whose push is queued. */
async function started(domain: string): Promise<string> {
  for (const [name, state] of new ScriptedRegistrar([domain]).domains)
    registrar.domains.set(name, state)
  await offer(service, 'live', [domain])
  const { public_id } = must(await sell(partner, domain, { delivery }), 201).body
  await operate(service, public_id, 'start')
  return public_id
}

/** Each operation of the order as `op status`, with the code of its error if it has one. */
async function operationsOf(id: string): Promise<string[]> {
  const { body } = must(await service.admin('GET', `/registrar-operations?public_id=${id}`), 200)
  return body.operations.map(({ op, status, error }: Result['body']) =>
    [op, status, error?.code].filter(Boolean).join(' '),
  )
}

/** Whatever waits for another attempt is due. */
async function worked(): Promise<void> {
  service.clock.advance(5 * MINUTE)
  await work.run(service.app, never)
}

const refund = (id: string) => partner.post('/refunds', { public_id: id })
const fail = (id: string) => service.admin('POST', `/orders/${id}/fail`, {})
const statusOf = async (id: string) => must(await partner.get(`/orders/${id}`), 200).body.status

async function rejectsBoth(id: string): Promise<void> {
  for (const { status, body } of [await refund(id), await fail(id)]) {
    expect(status).toBe(409)
    expect(body.error.details).toEqual({
      reason: 'not_allowed_now',
      status: 'TRANSFER_IN_PROGRESS',
    })
    expect(body.error.message).toContain('may be under way')
  }
  expect(await statusOf(id)).toBe('TRANSFER_IN_PROGRESS')
}

describe('a push that waits for its registrar', () => {
  test('ends with the refund of its order, and the domain stays', async () => {
    const id = await started('refunded.org')
    registrar.isDown = true
    await worked()
    expect(await operationsOf(id)).toEqual(['push queued registrar_unreachable'])
    must(await refund(id), 201)
    expect(await operationsOf(id)).toEqual(['push failed withdrawn'])
    registrar.isDown = false
    await worked()
    expect(registrar.performed).toEqual([])
    expect(await statusOf(id)).toBe('REFUNDED')
    expect((await partner.get('/domains/refunded.org')).body.status).toBe('listed')
  })

  test('is made once when its order fails and is started anew', async () => {
    const id = await started('anew.org')
    registrar.isDown = true
    await worked()
    await operate(service, id, 'fail', 'start')
    registrar.isDown = false
    await worked()
    expect(registrar.performed).toEqual(['push anew.org'])
    expect(await operationsOf(id)).toEqual(['push succeeded', 'push failed withdrawn'])
    expect(await statusOf(id)).toBe('TRANSFER_COMPLETED')
  })

  test('is not tried again by an operator', async () => {
    const id = await started('retried.org')
    must(await refund(id), 201)
    const { body } = await service.admin('GET', `/registrar-operations?public_id=${id}`)
    const path = `/registrar-operations/${body.operations[0].operation_id}/retry`
    expect((await service.admin('POST', path, {})).status).toBe(409)
  })
})

describe('the order of a push that may have been sent is neither refunded nor failed', () => {
  test('while its response is lost', async () => {
    const id = await started('lost.org')
    registrar.faults.push('after')
    await worked()
    expect(await operationsOf(id)).toEqual(['push unknown response_lost'])
    await rejectsBoth(id)
    await worked()
    expect(registrar.performed).toEqual(['push lost.org'])
    expect(await statusOf(id)).toBe('TRANSFER_COMPLETED')
  })

  test('while its registrar is gone for good, until an operator says what became of it', async () => {
    const id = await started('gone.org')
    registrar.faults.push('before')
    await worked()
    registrar.isDown = true
    await worked()
    expect(await operationsOf(id)).toEqual(['push unknown registrar_unreachable'])
    await rejectsBoth(id)
    const { body } = await service.admin('GET', `/registrar-operations?public_id=${id}`)
    const settle = (said: object) =>
      service.admin('POST', `/registrar-operations/${body.operations[0].operation_id}/settle`, said)
    expect((await settle({ outcome: 'succeeded' })).body.error.message).toContain('reason')
    const reason = 'Their support says that it is still in our account.'
    must(await settle({ outcome: 'failed', reason }), 200)
    expect(await operationsOf(id)).toEqual(['push failed by_hand'])
    must(await service.admin('POST', `/orders/${id}/refund`, {}), 200)
    expect(await statusOf(id)).toBe('REFUNDED')
  })

  test('while the registrar has not responded yet', async () => {
    const id = await started('slow.org')
    let respond = () => {}
    const response = new Promise<void>((resolve) => {
      respond = resolve
    })
    const perform = vi.spyOn(registrar, 'perform').mockImplementationOnce(async () => {
      await response
      return {}
    })
    const working = worked()
    await vi.waitFor(() => expect(perform).toHaveBeenCalled(), { timeout: 20_000 })
    await rejectsBoth(id)
    respond()
    await working
    perform.mockRestore()
    expect(await statusOf(id)).toBe('TRANSFER_COMPLETED')
  })

  test('while an operator does it by hand, until they say that it failed', async () => {
    registrar.capabilities.push('by_hand')
    const id = await started('by-hand.org')
    await worked()
    registrar.capabilities.pop()
    await rejectsBoth(id)
    const { body } = await service.admin('GET', `/registrar-operations?public_id=${id}`)
    const path = `/registrar-operations/${body.operations[0].operation_id}/settle`
    const outcome = { outcome: 'failed', reason: 'There is no such account.' }
    must(await service.admin('POST', path, outcome), 200)
    must(await refund(id), 201)
    await worked()
    expect(registrar.performed).toEqual([])
  })
})

test('a push that the registrar rejects fails its order', async () => {
  const id = await started('rejected.org')
  registrar.faults.push(new RegistrarRejected('2304', 'Object status prohibits operation'))
  await worked()
  expect(await operationsOf(id)).toEqual(['push failed 2304'])
  const order = must(await partner.get(`/orders/${id}`), 200).body
  expect(order).toMatchObject({ held: true, hold_reason: 'transfer_failed' })
  must(await refund(id), 201)
})

test('a simulated push is withdrawn with its order, also while it is under way', async () => {
  const sandbox = await service.partner()
  const { db } = service.app
  for (const [domain, status] of [
    ['queued.test', 'queued'],
    ['running.test', 'running'],
  ] as const) {
    await offer(service, 'sandbox', [domain])
    const { public_id } = must(await sell(sandbox, domain, { delivery }), 201).body
    must(await sandbox.post(`/sandbox/orders/${public_id}/start-transfer`), 200)
    await db
      .updateTable('registrar_operations')
      .set({ status })
      .where('public_id', '=', public_id)
      .execute()
    must(await sandbox.post(`/sandbox/orders/${public_id}/fail-transfer`), 200)
    must(await sandbox.post('/refunds', { public_id }), 201)
    await worked()
    expect((await sandbox.get(`/orders/${public_id}`)).body.status).toBe('REFUNDED')
  }
})

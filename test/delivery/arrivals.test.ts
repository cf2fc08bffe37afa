import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { checkTransfers } from '../../src/domain/orders/check-transfers.ts'
import { pollRegistrars } from '../../src/domain/registrars/poll-registrars.ts'
import { workOperations } from '../../src/domain/registrars/work-operations.ts'
import { FINISHERS, onTransfer } from '../../src/http/registrar-finishers.ts'
import type { PartnerClient, Result } from '../support/client.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { eventsOf, mailsTo, must, offer, operate } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { registered } from '../support/registered.ts'
import { repeatOrder, sell } from '../support/sale.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const never = new AbortController().signal
const work = workOperations(FINISHERS)
const poll = pollRegistrars(onTransfer)
const BUYER = 'buyer@example.com'
const hold = { method: 'hold' }

let service: TestService
let partner: PartnerClient
let registrar: ScriptedRegistrar
let buyerId: string
/** The statuses that the registry shows of a domain. */
const atRegistry = new Map<string, string[]>()
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  await holdJobs(service, work, checkTransfers, poll)
  vi.spyOn(service.app.registry, 'lookup').mockImplementation(async (domain) =>
    registered({ status: atRegistry.get(domain) ?? [] }),
  )
  partner = await service.partner({ environment: 'live' })
  buyerId = await makeUser(service, BUYER)
  registrar = new ScriptedRegistrar([])
  await connectScripted(service, registrar, ['org'])
})
afterAll(() => service.stop())

/** An order, whose transfer has started, of a domain that is in our account. */
async function started(domain: string, delivery: object): Promise<string> {
  addDomain(domain)
  await offer(service, 'live', [domain])
  return await start(domain, delivery)
}

async function start(domain: string, delivery: object): Promise<string> {
  const { public_id } = must(await sell(partner, domain, { delivery }), 201).body
  await operate(service, public_id, 'start')
  return public_id
}

function addDomain(domain: string): void {
  for (const [name, state] of new ScriptedRegistrar([domain]).domains)
    registrar.domains.set(name, state)
}

/** A user lists a domain of theirs. */
async function listedByUser(email: string, domain: string): Promise<void> {
  await makeUser(service, email, [domain])
  const { token } = must(await service.admin('POST', '/user-tokens', { email }), 201).body
  const { body } = await readerOf(() => service, token).post('/api/domains/bulk/list_for_sale', {
    domains: [domain],
    params: { price_cents: 10_000 },
  })
  expect(body.results).toMatchObject([{ status: 200 }])
}

async function shown(id: string): Promise<Result['body']> {
  return must(await partner.get(`/orders/${id}`), 200).body
}

/** Whether we take the domain to be in an account of ours. */
async function isOurs(domain: string): Promise<boolean> {
  const { body } = must(await service.admin('GET', `/registrar-domains?domain=${domain}`), 200)
  return body.domains.length > 0
}

async function ownerOf(domain: string): Promise<string | undefined> {
  const owned = await service.app.db
    .selectFrom('owned_domains')
    .select('user_id')
    .where('domain', '=', domain)
    .executeTakeFirst()
  return owned?.user_id
}

describe('a domain that is kept for its buyer', () => {
  test('is theirs once it is delivered, whoever collected the payment', async () => {
    addDomain('kept.org')
    await listedByUser('seller@example.com', 'kept.org')
    const id = await start('kept.org', hold)
    must(await service.admin('POST', `/orders/${id}/complete`, { reason: 'It is here.' }), 200)
    expect(await ownerOf('kept.org')).toBe(buyerId)
  })

  test('is delivered once its registrar says that it is in our account', async () => {
    const id = await started('here.org', hold)
    const { started_at, expected_by } = (await shown(id)).transfer
    expect(Date.parse(expected_by) - Date.parse(started_at)).toBe(5 * DAY)
    await checkTransfers.run(service.app, never)
    const { status, transfer } = await shown(id)
    expect(status).toBe('TRANSFER_COMPLETED')
    expect(transfer.proof).toMatchObject({
      source: 'registrar',
      note: 'scripted has the domain in our account.',
    })
  })

  test('is stalled after five days without that word', async () => {
    const missing = await started('missing.org', hold)
    registrar.domains.delete('missing.org')
    await listedByUser('outside@example.com', 'outside.net')
    const outside = await start('outside.net', hold)
    service.clock.advance(5 * DAY)
    await checkTransfers.run(service.app, never)
    for (const id of [missing, outside]) {
      const { status, transfer } = await shown(id)
      expect(status).toBe('TRANSFER_IN_PROGRESS')
      expect(transfer).toMatchObject({ stalled: true, proof: null })
    }
  })

  test('is delivered an hour after the start in the sandbox', async () => {
    const sandbox = await service.partner()
    await offer(service, 'sandbox', ['kept.test'])
    const { public_id } = must(await sell(sandbox, 'kept.test', { delivery: hold }), 201).body
    must(await sandbox.post(`/sandbox/orders/${public_id}/start-transfer`), 200)
    await checkTransfers.run(service.app, never)
    expect((await sandbox.get(`/orders/${public_id}`)).body.status).toBe('TRANSFER_IN_PROGRESS')
    service.clock.advance(HOUR)
    await checkTransfers.run(service.app, never)
    const { status, transfer } = (await sandbox.get(`/orders/${public_id}`)).body
    expect(status).toBe('TRANSFER_COMPLETED')
    expect(transfer.proof).toMatchObject({ source: 'simulated' })
  })
})

describe('a domain that the gaining registrar has asked for', () => {
  const submitted = async (id: string) => {
    const events = await eventsOf(partner)
    return events.filter(
      ({ type, data }) => type === 'transfer.submitted' && data.order.public_id === id,
    )
  }

  test.each(['pendingTransfer', 'PENDING_TRANSFER'])(
    'is reported once, where its registrar says so: %s',
    async (status) => {
      const domain = `asked-${status.toLowerCase().replace('_', '-')}.org`
      const id = await started(domain, { method: 'auth_code' })
      await work.run(service.app, never)
      await checkTransfers.run(service.app, never)
      expect(await submitted(id)).toEqual([])
      const known = registrar.domains.get(domain)
      if (known) registrar.domains.set(domain, { ...known, statuses: [status] })
      for (const statuses of [[], ['pendingTransfer'], []]) {
        atRegistry.set(domain, statuses)
        service.clock.advance(HOUR)
        await checkTransfers.run(service.app, never)
        expect(await submitted(id)).toHaveLength(1)
      }
      const [event] = await submitted(id)
      expect(event?.data.transfer).toMatchObject({ status: 'in_progress', stalled: false })
      const { status: state, timeline } = await shown(id)
      expect(state).toBe('TRANSFER_IN_PROGRESS')
      expect(timeline.at(-1).type).toBe('transfer.submitted')
    },
  )

  test('is reported once, where the registry says so', async () => {
    const id = await started('asked-there.org', { method: 'auth_code' })
    await work.run(service.app, never)
    atRegistry.set('asked-there.org', ['pendingTransfer'])
    for (const _ of [1, 2]) {
      service.clock.advance(HOUR)
      await checkTransfers.run(service.app, never)
    }
    expect(await submitted(id)).toHaveLength(1)
  })
})

describe('a domain that its registrar has not any more', () => {
  test('is delivered as soon as its registrar says that the transfer ended', async () => {
    const id = await started('told.org', { method: 'auth_code' })
    await work.run(service.app, never)
    await checkTransfers.run(service.app, never)
    registrar.domains.delete('told.org')
    registrar.messages.push({
      id: '1',
      domain: 'told.org',
      kind: 'transfer',
      text: 'Transfer approved.',
      queuedAt: null,
    })
    await poll.run(service.app, never)
    await checkTransfers.run(service.app, never)
    expect((await shown(id)).status).toBe('TRANSFER_COMPLETED')
  })

  test('once its transfer by code is complete is not taken to be in our account', async () => {
    const id = await started('pulled.org', { method: 'auth_code' })
    expect(await isOurs('pulled.org')).toBe(true)
    await work.run(service.app, never)
    expect((await shown(id)).transfer.code_available).toBe(true)
    registrar.domains.delete('pulled.org')
    await checkTransfers.run(service.app, never)
    expect(await shown(id)).toMatchObject({
      status: 'TRANSFER_COMPLETED',
      transfer: { proof: { source: 'registrar' } },
    })
    expect(await isOurs('pulled.org')).toBe(false)
  })

  test.each([
    ['auth_code', 'left.org'],
    ['push', 'pushed-before.org'],
  ])('before its delivery by %s is not delivered', async (method, domain) => {
    const email = `seller-of-${domain}@example.com`
    addDomain(domain)
    await listedByUser(email, domain)
    const id = await start(domain, { method, ...(method === 'push' && { account: 'acct-9' }) })
    registrar.domains.delete(domain)
    await checkTransfers.run(service.app, never)
    expect((await shown(id)).status).toBe('TRANSFER_IN_PROGRESS')
    await work.run(service.app, never)
    expect(await shown(id)).toMatchObject({ held: true, hold_reason: 'transfer_failed' })
    expect(await isOurs(domain)).toBe(false)
    // The next attempt is not at this registrar: a code can be asked of the seller.
    await operate(service, id, 'start')
    const asked = `Please give us the transfer code of ${domain}`
    expect((await mailsTo(service, email)).includes(asked)).toBe(method === 'auth_code')
  })
})

test('of more transfers than one look takes in, those that waited longest have their turn', async () => {
  const sandbox = await service.partner()
  await offer(service, 'sandbox', ['many.test'])
  const order = must(await sell(sandbox, 'many.test'), 201).body
  must(await sandbox.post(`/sandbox/orders/${order.public_id}/start-transfer`), 200)
  await repeatOrder(service, order, 101)
  const orders = service.app.db
    .updateTable('orders')
    .where('public_id', 'like', `${order.public_id}%`)
  const now = service.clock.now().getTime()
  await orders.set({ transfer_checked_at: new Date(now - HOUR) }).execute()
  // The last two by their ids.
  const waiting = new Map([
    [`${order.public_id}98`, new Date(now - 2 * HOUR)],
    [`${order.public_id}99`, null],
  ])
  for (const [id, transfer_checked_at] of waiting) {
    await orders.set({ transfer_checked_at }).where('public_id', '=', id).execute()
  }
  await checkTransfers.run(service.app, never)
  const rows = await service.app.db
    .selectFrom('orders')
    .select('transfer_checked_at')
    .where('public_id', 'in', [...waiting.keys()])
    .execute()
  for (const { transfer_checked_at } of rows) {
    expect(transfer_checked_at?.getTime()).toBeGreaterThanOrEqual(now)
  }
})

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { checkTransfers } from '../../src/domain/orders/check-transfers.ts'
import { workOperations } from '../../src/domain/registrars/work-operations.ts'
import { FINISHERS } from '../../src/http/registrar-finishers.ts'
import type { PartnerClient, Result } from '../support/client.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { must, offer, operate } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { registered } from '../support/registered.ts'
import { sell } from '../support/sale.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'

const never = new AbortController().signal
const work = workOperations(FINISHERS)
const BUYER = 'buyer@example.com'
const hold = { method: 'hold' }

let service: TestService
let partner: PartnerClient
let registrar: ScriptedRegistrar
let buyerId: string
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  await holdJobs(service, work, checkTransfers)
  vi.spyOn(service.app.registry, 'lookup').mockImplementation(async () => registered())
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
})

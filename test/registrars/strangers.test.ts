import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { releaseFound } from '../../src/domain/orders/release-found.ts'
import { type FeeCheck, NotPerformed } from '../../src/domain/registrars/driver.ts'
import { Turns } from '../../src/domain/registrars/turns.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { must, offer, operate } from '../support/market.ts'
import type { Reader } from '../support/reader.ts'
import { registered } from '../support/registered.ts'
import { domainOwner } from '../support/registrar.ts'
import { orderBody, sold } from '../support/sale.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'
import { realtimeRegisterBench } from './benches/realtime-register.ts'

const SECOND = 1_000
const PATIENCE = { timeout: 25_000, interval: 100 }
const NEVER = new AbortController().signal

/** Says what names cost, and how often it was asked about each. */
class AskedRegistrar extends ScriptedRegistrar {
  readonly asked: string[] = []
  isSilent = false
  /** What comes before it says what a name costs. */
  before = Promise.resolve()

  override async info(domain: string) {
    this.asked.push(domain)
    return await super.info(domain)
  }

  async checkFees(domain: string): Promise<FeeCheck> {
    this.asked.push(domain)
    await this.before
    if (this.isSilent) throw new NotPerformed('It says nothing.')
    const register = { cents: 250_000, currency: 'USD' }
    return { available: true, reason: null, premium: true, register, renew: null }
  }

  timesAsked(domain: string): number {
    return this.asked.filter((each) => each === domain).length
  }
}

let service: TestService
let ann: Reader
const registrar = new AskedRegistrar([])
registrar.capabilities.push('check_fees')
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live', searchTlds: ['com'] } })
  await holdJobs(service, releaseFound)
  vi.spyOn(service.app.registry, 'lookup').mockImplementation(async (domain) =>
    domain.startsWith('free-')
      ? { ...registered(), state: 'available', record: null }
      : registered(),
  )
  ann = await domainOwner(service, 'ann@example.com', ['one.com'])
  await connectScripted(service, registrar, ['net'])
})
afterAll(() => service.stop())

async function search(q: string) {
  const response = await service.send({
    method: 'POST',
    target: '/api/domain/search',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ q }),
  })
  return must(response, 200).body.results[0]
}

async function lock(domain: string) {
  const response = await ann.post('/api/domains/bulk/lock', { domains: [domain] })
  return must(response, 200).body.results[0]
}

describe('the price of a name that anybody searches for', () => {
  test('is asked for once, however many search at once', async () => {
    let say = () => {}
    registrar.before = new Promise((resolve) => {
      say = resolve
    })
    const searches = [search('free-at-once.net')]
    await expect.poll(() => registrar.timesAsked('free-at-once.net'), PATIENCE).toBe(1)
    searches.push(search('free-at-once.net'), search('free-at-once.net'))
    const lookups = vi.mocked(service.app.registry.lookup).mock.calls
    const lookedUp = () => lookups.filter(([domain]) => domain === 'free-at-once.net').length
    await expect.poll(lookedUp, PATIENCE).toBeGreaterThan(1)
    say()
    for (const result of await Promise.all(searches)) {
      expect(result).toMatchObject({ state: 'premium', registration_price_cents: 250_000 })
    }
    expect(registrar.timesAsked('free-at-once.net')).toBe(1)
  })

  test('is not asked for again at once where the registrar says nothing', async () => {
    registrar.isSilent = true
    for (const _ of [1, 2, 3]) {
      expect(await search('free-silent.net')).toMatchObject({ state: 'available' })
    }
    expect(registrar.timesAsked('free-silent.net')).toBe(1)
    registrar.isSilent = false
    service.clock.advance(10 * SECOND)
    expect(await search('free-silent.net')).toMatchObject({ state: 'premium' })
  })

  test('keeps no operation waiting that the registrar is to perform', async () => {
    const bench = await realtimeRegisterBench()
    const config = { ...bench.config, requests_per_minute: 120 }
    const connection = { name: 'rtr', driver: 'realtime-register', config }
    must(await service.admin('POST', '/registrars', connection), 201)
    const names = Array.from({ length: 150 }, (_, index) => `free-${index}.com`)
    const searches = names.map((name) => search(name))
    await Promise.all(searches.slice(0, 10))
    // The registrar takes over a minute for so many questions.
    const { status, operation_id } = await lock('one.com')
    expect(status).toBe(202)
    const statusOf = async () =>
      (await ann.get(`/api/domains/operations/${operation_id}`)).body.status
    await expect.poll(statusOf, PATIENCE).toBe('succeeded')
    await Promise.all(searches)
    await bench.stop()
  })
})

describe('a turn at a registrar', () => {
  test('is given back by who gives up, and who waits as long as it takes goes first', async () => {
    const turns = new Turns(120)
    const leaving = Array.from({ length: 1_000 }, () => new AbortController())
    const served: string[] = []
    const take = async (name: string, signal: AbortSignal, patienceMs?: number) => {
      await turns.take(signal, patienceMs)
      served.push(name)
    }
    await take('first', NEVER)
    const stranger = take('stranger', NEVER, 5_000)
    const left = leaving.map(({ signal }) => take('left', signal))
    const operation = take('operation', NEVER)
    for (const each of leaving) each.abort()
    for (const each of await Promise.allSettled(left)) {
      expect(each).toMatchObject({ status: 'rejected', reason: expect.any(NotPerformed) })
    }
    await Promise.all([stranger, operation])
    expect(served).toEqual(['first', 'operation', 'stranger'])
  })

  test('is refused at once to a stranger whose time is over before it', async () => {
    const turns = new Turns(1)
    await turns.take(NEVER, 1_000)
    await expect(turns.take(NEVER, 1_000)).rejects.toThrow(NotPerformed)
    await expect(turns.take(AbortSignal.abort())).rejects.toThrow(NotPerformed)
  })
})

describe('a domain that is in no account', () => {
  test('is asked for again after half a minute', async () => {
    await offer(service, 'live', ['absent.net'])
    const partner = await service.partner({ environment: 'live' })
    const buy = async () => {
      const { body } = must(await partner.post('/quotes', { domain: 'absent.net' }), 201)
      const wrong = orderBody(body, { sale_price_cents: 1 })
      expect((await partner.post('/orders', wrong)).body.error.code).toBe('price_mismatch')
    }
    for (const _ of [1, 2, 3]) await buy()
    expect(registrar.timesAsked('absent.net')).toBe(1)
    service.clock.advance(30 * SECOND)
    await buy()
    expect(registrar.timesAsked('absent.net')).toBe(2)
  })

  test('and arrives before its transfer starts is handed over by the registrar', async () => {
    await offer(service, 'live', ['arrives.net'])
    const partner = await service.partner({ environment: 'live' })
    const { public_id } = await sold(partner, 'arrives.net')
    expect(registrar.timesAsked('arrives.net')).toBe(1)
    const arrived = new ScriptedRegistrar(['arrives.net']).domains.get('arrives.net')
    if (arrived) registrar.domains.set('arrives.net', arrived)
    const reason = { reason: 'Bought today.' }
    must(await service.admin('POST', `/orders/${public_id}/clear`, reason), 200)
    await operate(service, public_id, 'start')
    await expect
      .poll(() => registrar.performed, PATIENCE)
      .toContainEqual('set_auth_code arrives.net')
  })
})

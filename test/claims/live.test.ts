import type { WhoisRecord } from 'domain-marketplace-registry-lookup'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { checkClaims } from '../../src/domain/domains/check-claims.ts'
import { releaseFound } from '../../src/domain/orders/release-found.ts'
import { DnsServer } from '../support/dns-server.ts'
import { mailsTo, must } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { Operator } from '../support/operator.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { registered } from '../support/registered.ts'
import { sold } from '../support/sale.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'

const DAY = 24 * 3_600_000

let dns: DnsServer
let service: TestService
let ann: Reader
/** What else it says of some. */
const records = new Map<string, Partial<WhoisRecord>>()
const registrar = new ScriptedRegistrar(['kept.com', 'inaccount.com', 'late.com'])
/** Where the registry says that names are. */
const registrarOf = new Map<string, string>()
beforeAll(async () => {
  dns = await DnsServer.start()
  service = await startService({ settings: { registry: 'live', dnsServers: [dns.address] } })
  vi.spyOn(service.app.registry, 'lookup').mockImplementation(async (domain) =>
    registered({
      registrar: { name: 'A registrar', iana_id: registrarOf.get(domain) ?? '292' },
      expires_at: '2028-03-04T05:06:07.000Z',
      ...records.get(domain),
    }),
  )
  // The service's own run is done, and the next is a minute away.
  await vi.waitFor(async () => expect(await ownRun()).not.toBeNull(), { timeout: 30_000 })
  await makeUser(service, 'ann@example.com', ['given.com'])
  const { token } = (await service.admin('POST', '/user-tokens', { email: 'ann@example.com' })).body
  ann = readerOf(() => service, token)
})
afterAll(async () => {
  await service.stop()
  await dns.stop()
})

const runJob = () => checkClaims.run(service.app, new AbortController().signal)

async function ownRun(): Promise<Date | null> {
  const job = await service.app.db
    .selectFrom('scheduled_jobs')
    .select('finished_at')
    .where('name', '=', checkClaims.name)
    .executeTakeFirst()
  return job?.finished_at ?? null
}

async function prove(domain: string): Promise<void> {
  const [claim] = must(await ann.post('/api/domains/claims', { domains: [domain] }), 200).body
    .claims
  dns.txt.set(claim.txt.name, [[claim.txt.value]])
  const checked = must(await ann.post('/api/domains/claims/check', { domains: [domain] }), 200)
  expect(checked.body.claims).toMatchObject([{ status: 'verified' }])
}

async function expiry(domain: string): Promise<Date | null | undefined> {
  const row = await service.app.db
    .selectFrom('owned_domains')
    .select('expires_at')
    .where('domain', '=', domain)
    .executeTakeFirst()
  return row?.expires_at
}

describe('with real registries', () => {
  test('no expiry is invented: it is what the registry says', async () => {
    expect(await expiry('given.com')).toBeNull()
    await runJob()
    expect(await expiry('given.com')).toEqual(new Date('2028-03-04T05:06:07.000Z'))
    await prove('proven.com')
    expect(await expiry('proven.com')).toEqual(new Date('2028-03-04T05:06:07.000Z'))
  })

  test('a renewal at the registrar of the owner is seen, and its grace at the registry is none', async () => {
    await prove('renewed.com')
    const says = async (expires_at: string, ...status: string[]) => {
      records.set('renewed.com', { expires_at, status })
      service.clock.advance(DAY)
      await runJob()
      return await expiry('renewed.com')
    }
    const before = new Date('2028-03-04T05:06:07.000Z')
    const after = '2029-03-04T05:06:07.000Z'
    expect(await says(after, 'autoRenewPeriod')).toEqual(before)
    expect(await says(after, 'ok')).toEqual(new Date(after))
    expect(await says(before.toISOString(), 'ok')).toEqual(new Date(after))
  })

  test('a registrar that changed takes the name off the market at once', async () => {
    await prove('moving.com')
    const body = { domains: ['moving.com'], params: { price_cents: 9_900 } }
    must(await ann.post('/api/domains/bulk/list_for_sale', body), 200)
    registrarOf.set('moving.com', '146')
    service.clock.advance(DAY)
    await runJob()
    const { body: claims } = await ann.get('/api/domains/claims?status=lost')
    expect(claims.claims).toMatchObject([
      { domain: 'moving.com', problem: expect.stringContaining('another registrar') },
    ])
    expect(await expiry('moving.com')).toBeUndefined()
    const partner = await service.partner({ environment: 'live' })
    expect((await partner.post('/quotes', { domain: 'moving.com' })).status).toBe(404)
    expect(await mailsTo(service, 'ann@example.com')).toContain(
      'No longer proven to be yours: moving.com',
    )
  })

  test('one that moved between accounts of ours is as before', async () => {
    await prove('kept.com')
    await connectScripted(service, registrar, ['com'])
    must(await ann.post('/api/domains/bulk/lock', { domains: ['kept.com'] }), 200)
    registrarOf.set('kept.com', '146')
    service.clock.advance(DAY)
    await runJob()
    expect(await expiry('kept.com')).toBeInstanceOf(Date)
  })
})

describe('an order of a name that nothing proves to be ours', () => {
  test('is held until an operator says why it is', async () => {
    await service.list('live', 'domain,price_cents\nimported.com,50000\n')
    const partner = await service.partner({ environment: 'live' })
    const order = await sold(partner, 'imported.com')
    expect(order).toMatchObject({ held: true, hold_reason: 'ownership_not_verified' })
    const move = (name: string, body: object = {}) =>
      service.admin('POST', `/orders/${order.public_id}/${name}`, body)
    expect(await move('start', { reason: 'It is ours.' })).toMatchObject({
      status: 409,
      body: { error: { details: { reason: 'ownership_not_verified' } } },
    })
    expect(await move('clear')).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'reason' }] } },
    })
    const cleared = await move('clear', { reason: 'Bought from its owner, invoice 17.' })
    expect(cleared).toMatchObject({ status: 200, body: { held: false, hold_reason: null } })
    expect(await move('start')).toMatchObject({ status: 200 })
  })

  test('is cleared by itself once a registrar shows it in our account', async () => {
    const names = ['inaccount.com', 'late.com', 'elsewhere.com']
    await service.list('live', `domain,price_cents\n${names.join(',50000\n')},50000\n`)
    const partner = await service.partner({ environment: 'live' })
    const known = await sold(partner, 'inaccount.com')
    registrar.isDown = true
    const orders = [await sold(partner, 'late.com'), await sold(partner, 'elsewhere.com')]
    registrar.isDown = false
    expect([known, ...orders].map(({ held }) => held)).toEqual([false, true, true])
    // The service's own run of the job may have looked while the registrar was down.
    service.clock.advance(31 * 60_000)
    await releaseFound.run(service.app, new AbortController().signal)
    const after = await Promise.all(
      orders.map(async ({ public_id }) => (await partner.get(`/orders/${public_id}`)).body),
    )
    expect(after).toMatchObject([
      { held: false, hold_reason: null },
      { held: true, hold_reason: 'ownership_not_verified' },
    ])
    expect(after[0].timeline.at(-1).note).toBe('It is in our account at scripted.')
  })

  test('is let go on, and delivered, in the console with a note that says why', async () => {
    await service.list('live', 'domain,price_cents\nnoted.com,50000\n')
    const partner = await service.partner({ environment: 'live' })
    const { public_id } = await sold(partner, 'noted.com')
    const olga = await Operator.enter(service)
    await olga.visit(`/operator/orders/${public_id}`)
    expect(olga.page.text).toContain('Required to approve the order')
    await olga.submit('operate_order', { move: 'clear', reason: 'Invoice 17.' }, { public_id })
    await olga.submit('operate_order', { move: 'start' }, { public_id })
    await olga.visit('/operator/transfers?view=started')
    expect(olga.forms('operate_order', { public_id, move: 'complete' })).toEqual([])
    expect(olga.page.text).toContain(`href="/operator/orders/${public_id}"`)
    await olga.visit(`/operator/orders/${public_id}`)
    expect(olga.page.text).toContain('Required to mark the order as delivered')
    const delivered = { move: 'complete', reason: 'The buyer says so.' }
    must(await olga.submit('operate_order', delivered, { public_id }), 200)
    expect(olga.notice).toContain('The order of noted.com is now')
  })

  test('is not held where its seller has proven it', async () => {
    await prove('sellers.com')
    const body = { domains: ['sellers.com'], params: { price_cents: 9_900 } }
    must(await ann.post('/api/domains/bulk/list_for_sale', body), 200)
    const partner = await service.partner({ environment: 'live' })
    expect(await sold(partner, 'sellers.com')).toMatchObject({ held: false, hold_reason: null })
  })

  test('is not held where an operator has proven it', async () => {
    await prove('operators.com')
    const are = (is_operator: boolean) =>
      service.app.db
        .updateTable('users')
        .set({ is_operator, role: is_operator ? 'admin' : null })
        .where('email', '=', 'ann@example.com')
        .execute()
    await are(true)
    expect(await service.list('live', 'operators.com,500,,\n')).toMatchObject({ created: 1 })
    const partner = await service.partner({ environment: 'live' })
    expect(await sold(partner, 'operators.com')).toMatchObject({ held: false })
    await are(false)
  })

  test('is held although a user has proven that it is theirs', async () => {
    await service.list('live', 'domain,price_cents\ntheirs.com,50000\n')
    await prove('theirs.com')
    const partner = await service.partner({ environment: 'live' })
    expect(await sold(partner, 'theirs.com')).toMatchObject({
      held: true,
      hold_reason: 'ownership_not_verified',
    })
  })
})

describe('a name that cannot be handed over now', () => {
  const soon = () => new Date(service.app.clock.now().getTime() - 59 * DAY).toISOString()
  test.each<[string, () => Partial<WhoisRecord>, string]>([
    ['is locked by its registry', () => ({ status: ['serverTransferProhibited'] }), 'locked'],
    ['is on hold', () => ({ status: ['ok', 'clientHold'] }), 'on hold'],
    ['is in redemption', () => ({ status: ['redemptionPeriod'] }), 'redemption'],
    ['is young', () => ({ created_at: soon() }), 'less than 60 days ago'],
    ['has expired', () => ({ expires_at: '2020-01-01T00:00:00.000Z' }), 'has expired'],
  ])('%s: is not listed, quoted or linked', async (label, record, words) => {
    const domain = `${label.replaceAll(' ', '-')}.com`
    const rejection = { code: 'conflict', details: { reason: 'not_transferable' } }
    const message = expect.stringContaining(words)
    await prove(domain)
    const body = { domains: [domain], params: { price_cents: 9_900 } }
    const list = async () =>
      (await ann.post('/api/domains/bulk/list_for_sale', body)).body.results[0]
    records.set(domain, record())
    expect(await list()).toMatchObject({ status: 409, error: { ...rejection, message } })
    records.delete(domain)
    expect(await list()).toMatchObject({ status: 200 })
    records.set(domain, record())
    const partner = await service.partner({ environment: 'live' })
    for (const path of ['/quotes', '/checkout-session']) {
      const rejected = await partner.post(path, { domain })
      expect(rejected.body.error, path).toMatchObject({ ...rejection, message })
      expect(rejected.status).toBe(409)
    }
    records.delete(domain)
    must(await partner.post('/quotes', { domain }), 201)
  })

  test('may be locked by its registrar, who unlocks it', async () => {
    await prove('usual.com')
    records.set('usual.com', { status: ['clientTransferProhibited'] })
    const body = { domains: ['usual.com'], params: { price_cents: 9_900 } }
    const { results } = must(await ann.post('/api/domains/bulk/list_for_sale', body), 200).body
    expect(results[0].status).toBe(200)
  })
})

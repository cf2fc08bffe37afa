import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkClaims } from '../../src/domain/domains/check-claims.ts'
import { DnsServer } from '../support/dns-server.ts'
import { mailsTo, must, operate } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const OURS = ['ns1.market.example', 'ns2.market.example']

let dns: DnsServer
let service: TestService
let ann: Reader
let ben: Reader
let annId: string
let benId: string
beforeAll(async () => {
  dns = await DnsServer.start()
  const settings = { dnsServers: [dns.address], marketplaceNameservers: OURS }
  service = await startService({ settings })
  annId = await makeUser(service, 'ann@example.com', ['given.com'])
  benId = await makeUser(service, 'ben@example.com')
  ann = await reader('ann@example.com')
  ben = await reader('ben@example.com')
})
afterAll(async () => {
  await service.stop()
  await dns.stop()
})

async function reader(email: string): Promise<Reader> {
  const { token } = must(await service.admin('POST', '/user-tokens', { email }), 201).body
  return readerOf(() => service, token)
}

const claim = async (who: Reader, ...domains: string[]) =>
  must(await who.post('/api/domains/claims', { domains }), 200).body.claims
const check = async (who: Reader, ...domains: string[]) =>
  must(await who.post('/api/domains/claims/check', { domains }), 200).body.claims
const list = async (who: Reader, query = '') =>
  must(await who.get(`/api/domains/claims${query}`), 200).body
const runJob = () => checkClaims.run(service.app, new AbortController().signal)

async function proveByTxt(who: Reader, domain: string): Promise<void> {
  const [{ txt }] = await claim(who, domain)
  dns.txt.set(txt.name, [[txt.value]])
  expect(await check(who, domain)).toMatchObject([{ domain, status: 'verified', method: 'txt' }])
}

async function listed(domain: string) {
  return await service.app.db
    .selectFrom('listings')
    .select(['status', 'seller_id'])
    .where('environment', '=', 'live')
    .where('domain', '=', domain)
    .executeTakeFirst()
}

async function sell(who: Reader, domain: string) {
  const body = { domains: [domain], params: { price_cents: 9_900 } }
  return must(await who.post('/api/domains/bulk/list_for_sale', body), 200).body.results[0]
}

describe('a claim', () => {
  test('is pending, and says what proves it', async () => {
    const [one] = await claim(ann, 'Pending.com')
    expect(one).toEqual({
      domain: 'pending.com',
      status: 'pending',
      method: null,
      txt: {
        name: '_marketplace.pending.com',
        value: expect.stringMatching(/^marketplace-verification=[0-9a-f]{32}$/),
      },
      nameservers: OURS,
      verified_at: null,
      checked_at: null,
      problem: null,
    })
    expect(await claim(ann, 'pending.com')).toEqual([one])
    const [others] = await claim(ben, 'pending.com')
    expect(others.txt.value).not.toBe(one.txt.value)
  })

  test('is verified by its TXT record, and the domain can be sold then', async () => {
    const [{ txt }] = await claim(ann, 'txt.com')
    expect((await check(ann, 'txt.com'))[0]).toMatchObject({
      status: 'pending',
      problem: expect.stringContaining('no TXT record at _marketplace.txt.com'),
      checked_at: expect.any(String),
    })
    expect(await sell(ann, 'txt.com')).toMatchObject({
      status: 409,
      error: { code: 'conflict', details: { reason: 'ownership_not_verified' } },
    })
    dns.txt.set(txt.name, [['v=spf1 -all'], [txt.value.slice(0, 20), txt.value.slice(20)]])
    const verified = {
      status: 'verified',
      method: 'txt',
      verified_at: expect.any(String),
      problem: null,
    }
    expect((await check(ann, 'txt.com'))[0]).toMatchObject(verified)
    expect(await sell(ann, 'txt.com')).toMatchObject({ status: 200 })
  })

  test('is verified through a CNAME', async () => {
    const [{ txt }] = await claim(ann, 'alias.com')
    dns.cname.set(txt.name, 'hop.example')
    dns.cname.set('hop.example', 'proof.example')
    dns.txt.set('proof.example', [[txt.value]])
    expect((await check(ann, 'alias.com'))[0]).toMatchObject({ status: 'verified', method: 'txt' })
  })

  test('is not verified by a record of another user', async () => {
    const [{ txt }] = await claim(ann, 'mixed.com')
    await claim(ben, 'mixed.com')
    dns.txt.set(txt.name, [[txt.value]])
    expect((await check(ben, 'mixed.com'))[0]).toMatchObject({
      status: 'pending',
      problem: expect.stringContaining('does not hold the value'),
    })
  })

  test('is verified by delegation to our name servers alone', async () => {
    await claim(ann, 'delegated.com', 'half.com')
    dns.ns.set('delegated.com', ['NS1.market.example', 'ns2.market.example'])
    dns.ns.set('half.com', ['ns1.market.example', 'ns1.other.example'])
    expect(await check(ann, 'delegated.com', 'half.com')).toMatchObject([
      { status: 'verified', method: 'nameservers' },
      { status: 'pending' },
    ])
  })

  test('delegation proves neither of two', async () => {
    await claim(ann, 'both.com')
    await claim(ben, 'both.com')
    dns.ns.set('both.com', OURS)
    expect((await check(ann, 'both.com'))[0]).toMatchObject({
      status: 'pending',
      problem: expect.stringContaining('Another user claims it'),
    })
    await proveByTxt(ben, 'both.com')
  })

  test('of a name that another user has verified is a conflict on that name', async () => {
    await proveByTxt(ann, 'taken.com')
    expect(await claim(ben, 'taken.com', 'free.com')).toMatchObject([
      { domain: 'taken.com', status: 409, error: { code: 'conflict' } },
      { domain: 'free.com', status: 'pending' },
    ])
    // Even with a record of their own.
    const { claims } = await list(ben, '?limit=100')
    const { txt } = claims.find(({ domain }: { domain: string }) => domain === 'taken.com')
    dns.txt.set(txt.name, [...(dns.txt.get(txt.name) ?? []), [txt.value]])
    expect((await check(ben, 'taken.com'))[0]).toMatchObject({ status: 'pending' })
  })

  test('that is proven for a name that another user has verified meanwhile is told to operators, once', async () => {
    const [{ txt }] = await claim(ben, 'second.com')
    await proveByTxt(ann, 'second.com')
    const alerts = async () => {
      const rows = await service.app.db
        .selectFrom('alerts')
        .select('data')
        .where('type', '=', 'alert.claim_conflict')
        .execute()
      return rows.filter(({ data }) => data.domain === 'second.com')
    }
    await check(ben, 'second.com')
    expect(await alerts()).toEqual([])
    service.clock.advance(2 * 60 * MINUTE)
    dns.txt.set(txt.name, [...(dns.txt.get(txt.name) ?? []), [txt.value]])
    for (const _ of [1, 2]) {
      expect((await check(ben, 'second.com'))[0]).toMatchObject({
        status: 'pending',
        problem: expect.stringContaining('Ask an operator to decide'),
      })
      service.clock.advance(2 * 60 * MINUTE)
    }
    expect(await alerts()).toEqual([{ data: { domain: 'second.com', user_id: benId } }])
  })

  test('each entry fails alone', async () => {
    expect(
      await claim(ann, 'no domain', 'www.sub.com', 'co.uk', 'fine.co.uk', 'FINE.co.uk'),
    ).toMatchObject([
      { domain: 'no domain', status: 400, error: { code: 'validation_error' } },
      {
        domain: 'www.sub.com',
        status: 400,
        error: { message: expect.stringContaining('sub.com') },
      },
      { domain: 'co.uk', status: 400 },
      { domain: 'fine.co.uk', status: 'pending' },
      { domain: 'fine.co.uk', status: 'pending' },
    ])
    expect(await check(ann, 'never-claimed.com')).toMatchObject([
      { domain: 'never-claimed.com', status: 404, error: { code: 'not_found' } },
    ])
    for (const domains of [[], Array.from({ length: 1_001 }, (_, index) => `n${index}.com`)]) {
      expect((await ann.post('/api/domains/claims', { domains })).status).toBe(400)
    }
    expect((await readerOf(() => service).post('/api/domains/claims', {})).status).toBe(401)
  })

  test('says nothing while its name servers fail', async () => {
    const [servfail, timeout] = await claim(ann, 'servfail.com', 'timeout.com')
    dns.failing.add(servfail.txt.name)
    dns.silent.add(timeout.txt.name)
    for (const one of await check(ann, 'servfail.com', 'timeout.com')) {
      expect(one).toMatchObject({
        status: 'pending',
        problem: expect.stringContaining('did not respond'),
      })
    }
  }, 30_000)

  test('lists are newest first, by status and in pages', async () => {
    expect((await list(ann, '?status=verified&limit=100')).claims).toContainEqual(
      expect.objectContaining({ domain: 'given.com', method: 'operator', status: 'verified' }),
    )
    const whole = (await list(ann, '?limit=100')).claims
    expect(whole.at(-1)).toMatchObject({ domain: 'given.com' })
    const first = await list(ann, '?limit=2')
    const second = await list(ann, `?limit=2&cursor=${first.next_cursor}`)
    expect([...first.claims, ...second.claims]).toEqual(whole.slice(0, 4))
    expect((await ann.get('/api/domains/claims?cursor=x')).body.error.code).toBe('invalid_cursor')
    expect((await ann.get('/api/domains/claims?status=x')).status).toBe(400)
  })
})

describe('the job', () => {
  beforeEach(async () => {
    await runJob()
  })

  test('finds a proof by itself', async () => {
    const [{ txt }] = await claim(ann, 'soon.com')
    await runJob()
    dns.txt.set(txt.name, [[txt.value]])
    service.clock.advance(MINUTE)
    await runJob()
    expect((await list(ann, '?status=verified&limit=100')).claims).toContainEqual(
      expect.objectContaining({ domain: 'soon.com' }),
    )
  })

  test('takes a name off the market once its proof is gone twice, a day apart', async () => {
    await proveByTxt(ann, 'gone.com')
    await sell(ann, 'gone.com')
    dns.failing.add('_marketplace.gone.com')
    service.clock.advance(2 * DAY)
    await runJob()
    expect(await listed('gone.com')).toMatchObject({ status: 'listed' })
    dns.failing.clear()
    dns.txt.delete('_marketplace.gone.com')
    service.clock.advance(DAY)
    await runJob()
    expect(await listed('gone.com')).toMatchObject({ status: 'listed' })
    expect((await check(ann, 'gone.com'))[0]).toMatchObject({ status: 'verified' })
    service.clock.advance(DAY)
    await runJob()
    expect(await listed('gone.com')).toMatchObject({ status: 'delisted' })
    expect((await check(ann, 'gone.com'))[0]).toMatchObject({
      status: 'lost',
      problem: expect.stringContaining('no TXT record'),
    })
    expect(await mailsTo(service, 'ann@example.com')).toContain(
      'No longer proven to be yours: gone.com',
    )
    expect(await sell(ann, 'gone.com')).toMatchObject({ status: 409 })
    // It can be claimed and proven again.
    await proveByTxt(ann, 'gone.com')
    expect(await sell(ann, 'gone.com')).toMatchObject({ status: 200 })
  })

  test('a proof that is back between two looks is as if it had not been gone', async () => {
    await proveByTxt(ann, 'flaky.com')
    const records = dns.txt.get('_marketplace.flaky.com') ?? []
    for (let day = 0; day < 4; day += 1) {
      if (day % 2 === 0) dns.txt.delete('_marketplace.flaky.com')
      else dns.txt.set('_marketplace.flaky.com', records)
      service.clock.advance(DAY)
      await runJob()
    }
    expect((await list(ann, '?status=lost')).claims).toEqual([])
  })
})

test('an operator decides whose a domain is', async () => {
  await proveByTxt(ann, 'disputed.com')
  await sell(ann, 'disputed.com')
  await claim(ben, 'disputed.com')
  const { body } = await service.admin('GET', '/claims?domain=disputed.com')
  expect(body.claims.map(({ user_id }: { user_id: string }) => user_id).toSorted()).toEqual(
    [annId, benId].toSorted(),
  )
  const decision = { user_id: benId, reason: 'He has the invoice of its registrar.' }
  expect(
    must(await service.admin('PUT', '/claims/disputed.com', decision), 200).body,
  ).toMatchObject({
    domain: 'disputed.com',
    user_id: benId,
    status: 'verified',
    method: 'operator',
  })
  expect(await listed('disputed.com')).toMatchObject({ status: 'delisted' })
  expect(await sell(ann, 'disputed.com')).toMatchObject({ status: 404 })
  expect(await sell(ben, 'disputed.com')).toMatchObject({ status: 200 })
  expect(await mailsTo(service, 'ann@example.com')).toContain(
    'No longer proven to be yours: disputed.com',
  )
  for (const [path, change, status] of [
    ['/claims/disputed.com', { user_id: 'usr_none', reason: 'x' }, 404],
    ['/claims/disputed.com', { user_id: benId }, 400],
    ['/claims/no-domain', decision, 400],
  ] as const) {
    expect((await service.admin('PUT', path, change)).status).toBe(status)
  }
})

test('a delivered sale ends the claim of its seller', async () => {
  await proveByTxt(ann, 'resold.com')
  await sell(ann, 'resold.com')
  const partner = await service.partner({ environment: 'live' })
  const order = await sold(partner, 'resold.com')
  await operate(service, order.public_id, 'start')
  // Its proof is not asked for while it is being delivered.
  dns.txt.clear()
  service.clock.advance(3 * DAY)
  await runJob()
  expect((await list(ann, '?status=verified&limit=100')).claims).toContainEqual(
    expect.objectContaining({ domain: 'resold.com' }),
  )
  await operate(service, order.public_id, 'complete')
  const { claims } = await list(ann, '?limit=100')
  expect(claims).not.toContainEqual(expect.objectContaining({ domain: 'resold.com' }))
})

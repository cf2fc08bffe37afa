import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { checkTransfers } from '../../src/domain/orders/check-transfers.ts'
import { remindSellers } from '../../src/domain/orders/remind-sellers.ts'
import { Buyer } from '../support/buyer.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { mailsTo, must, operate } from '../support/market.ts'
import { type Browser, makeUser, PASSWORD, signIn } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { registered } from '../support/registered.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const never = new AbortController().signal
const CODE = 'Abc&4711-seller'

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  await holdJobs(service, remindSellers, checkTransfers)
  vi.spyOn(service.app.registry, 'lookup').mockImplementation(async () => registered())
})
afterAll(() => service.stop())

/** A user's own domain that somebody has bought on its page. */
async function sale(label: string, tld = 'com') {
  const domain = `${label}.${tld}`
  const email = `${label}@example.com`
  await makeUser(service, email, [domain])
  const { token } = must(await service.admin('POST', '/user-tokens', { email }), 201).body
  const params = { price_cents: 10_000 }
  const listed = await readerOf(() => service, token).post('/api/domains/bulk/list_for_sale', {
    domains: [domain],
    params,
  })
  expect(listed.body.results, listed.text).toMatchObject([{ status: 200 }])
  const buyer = new Buyer(service)
  await buyer.pay(`/d/${domain}`, undefined, { email: `buyer-of-${label}@example.com` })
  expect(buyer.publicId, buyer.page.text).toBeDefined()
  const id = buyer.publicId ?? ''
  return { domain, email, id, path: `/account/sales/${id}/transfer-code` }
}

/** The mail with this subject. */
async function mailOf(to: string, subject: string): Promise<string> {
  const { body } = await service.app.db
    .selectFrom('mails')
    .select('body')
    .where('recipient', '=', to)
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow()
  return body ?? ''
}

/** What the buyer reads behind the link that they were mailed. */
async function readByBuyer({ domain, email }: { domain: string; email: string }): Promise<string> {
  const mail = await mailOf(`buyer-of-${email}`, `The transfer code of ${domain} is ready`)
  const target = /http:\/\/localhost:3000(\/orders\/[\w-]+)/.exec(mail)?.[1] ?? ''
  const page = await service.send({
    method: 'POST',
    target,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
    },
    body: '',
  })
  expect(page.status).toBe(200)
  return /Transfer code: <code>([^<]*)</.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
}

describe('the seller of a domain at a registrar of theirs', () => {
  test('is asked for its code, gives it, and the buyer reads it', async () => {
    const sold = await sale('outside')
    const { id, email, domain, path } = sold
    const browser = await signIn(service, email)
    expect((await browser.get('/account/sales')).text).not.toContain(path)
    await operate(service, id, 'start')
    const subject = `Please give us the transfer code of ${domain}`
    expect(await mailOf(email, subject)).toContain(`http://localhost:3000${path}`)
    expect((await browser.get('/account/sales')).text).toContain(`href="${path}"`)

    const page = must(await browser.get(path), 200)
    expect(page.text).toContain('A registrar')
    expect(page.text).toContain('Unlock outside.com')
    expect(page.text).toMatch(/<input name="code"[^>]*autocomplete="off"/)
    for (const code of ['', '   ', 'x'.repeat(201), 'two\nlines']) {
      const rejected = must(await browser.post(path, { code }), 400)
      expect(rejected.text).toContain('id="code-note" class="problem"')
      expect(rejected.text).not.toContain('xxx')
    }
    expect(await mailsTo(service, `buyer-of-${email}`)).not.toContain(
      `The transfer code of ${domain} is ready`,
    )

    const given = must(await browser.post(path, { code: ` ${CODE} ` }), 303)
    expect(given.headers.location).toBe('/account/sales')
    expect((await browser.get('/account/sales')).text).toContain('The buyer can use the code now.')
    expect(await readByBuyer(sold)).toBe(CODE)

    const again = must(await browser.get(path), 200)
    expect(again.text).toContain('The code was given on')
    expect(again.text).not.toContain('4711')
    must(await browser.post(path, { code: `${CODE}-2` }), 303)
    expect(await readByBuyer(sold)).toBe(`${CODE}-2`)

    const { entries } = must(
      await service.admin('GET', `/audit-entries?subject=${id}&operation=give_transfer_code`),
      200,
    ).body
    expect(entries).toHaveLength(2)
    expect(entries[0]).toMatchObject({ actor: email, input: { public_id: id }, outcome: 'done' })
    const { db } = service.app
    const kept = [
      await db.selectFrom('idempotency_keys').selectAll().execute(),
      await db.selectFrom('audit_entries').selectAll().execute(),
      await db.selectFrom('events').selectAll().execute(),
      await db.selectFrom('mails').selectAll().execute(),
      await db.selectFrom('orders').selectAll().execute(),
    ]
    expect(JSON.stringify(kept) + service.logs.join()).not.toContain('4711')
  })

  test('completes the sale by the code, though the registry said nothing when it started', async () => {
    const { id, email, domain, path } = await sale('silent')
    const says = vi.mocked(service.app.registry.lookup)
    const usual = says.getMockImplementation()
    const isAt = (iana_id: string | null) =>
      says.mockImplementation(async () =>
        iana_id === null
          ? { ...registered(), state: 'unknown', record: null }
          : registered({ registrar: { name: 'A registrar', iana_id } }),
      )
    const transfer = async () =>
      must(await service.admin('GET', `/orders/${id}`), 200).body.transfer
    const look = async () => {
      service.clock.advance(DAY / 4)
      await checkTransfers.run(service.app, never)
    }
    isAt(null)
    await operate(service, id, 'start')
    await look()
    expect(await transfer()).toMatchObject({ registrar: null, proof: null })
    isAt('292')
    await look()
    expect(await transfer()).toMatchObject({ registrar: { iana_id: '292' }, proof: null })
    must(await (await signIn(service, email)).post(path, { code: CODE }), 303)
    await look()
    expect(await transfer()).toMatchObject({ registrar: { iana_id: '292' }, proof: null })
    isAt('146')
    await look()
    const { proof } = await transfer()
    expect(proof, domain).toMatchObject({ source: 'registry', registrar_iana_id: '146' })
    if (usual) says.mockImplementation(usual)
  })

  test('delivers nothing by moving the domain to another registrar before there is a code', async () => {
    const { id, email, path } = await sale('elsewhere')
    const says = vi.mocked(service.app.registry.lookup)
    const usual = says.getMockImplementation()
    const look = async (iana_id: string) => {
      says.mockImplementation(async () => registered({ registrar: { name: null, iana_id } }))
      service.clock.advance(HOUR)
      await checkTransfers.run(service.app, never)
      return must(await service.admin('GET', `/orders/${id}`), 200).body
    }
    await operate(service, id, 'start')
    const moved = { registrar: { iana_id: '146' }, proof: null }
    expect(await look('146')).toMatchObject({ status: 'TRANSFER_IN_PROGRESS', transfer: moved })
    must(await (await signIn(service, email)).post(path, { code: CODE }), 303)
    expect(await look('146')).toMatchObject({ status: 'TRANSFER_IN_PROGRESS', transfer: moved })
    const { transfer } = await look('299')
    expect(transfer.proof).toMatchObject({ source: 'registry', registrar_iana_id: '299' })
    if (usual) says.mockImplementation(usual)
  })

  test('is reminded every two days until the transfer has stalled, which operators see', async () => {
    const { id, email, domain, path } = await sale('forgetful')
    const reminder = `Reminder: please give us the transfer code of ${domain}`
    const reminders = async () =>
      (await mailsTo(service, email)).filter((subject) => subject === reminder).length
    const later = async (days: number) => {
      service.clock.advance(days * DAY)
      await remindSellers.run(service.app, never)
    }
    await operate(service, id, 'start')
    await later(1.9)
    expect(await reminders()).toBe(0)
    await later(0.1)
    expect(await reminders()).toBe(1)
    expect(await mailOf(email, reminder)).toContain(`http://localhost:3000${path}`)
    await later(1)
    expect(await reminders()).toBe(1)
    await later(1)
    expect(await reminders()).toBe(2)
    await later(2)
    expect(await reminders()).toBe(2)
    await checkTransfers.run(service.app, never)
    const { orders } = must(await service.admin('GET', '/transfers?stage=stalled'), 200).body
    const seen = orders.find(({ public_id }: { public_id: string }) => public_id === id)
    expect(seen).toMatchObject({ transfer: { stalled: true } })
  })

  test('is reminded no more once the code is given, nor while the order is held', async () => {
    const given = await sale('prompt')
    const held = await sale('under-review')
    for (const { id } of [given, held]) await operate(service, id, 'start')
    must(await (await signIn(service, given.email)).post(given.path, { code: CODE }), 303)
    const { db } = service.app
    await db.updateTable('orders').set({ held: true }).where('public_id', '=', held.id).execute()
    service.clock.advance(3 * DAY)
    await remindSellers.run(service.app, never)
    for (const { email, domain } of [given, held]) {
      expect(await mailsTo(service, email)).not.toContain(
        `Reminder: please give us the transfer code of ${domain}`,
      )
    }
  })

  test('is told to have a code replaced that was given for a sale that is taken back', async () => {
    const given = await sale('regretted')
    const waiting = await sale('unasked')
    for (const { id } of [given, waiting]) await operate(service, id, 'start')
    must(await (await signIn(service, given.email)).post(given.path, { code: CODE }), 303)
    const advice = 'ask there for a new transfer code'
    for (const { id, email, domain } of [given, waiting]) {
      await operate(service, id, 'refund')
      const mail = await mailOf(email, `The sale of ${domain} was taken back`)
      expect(mail.includes(advice)).toBe(id === given.id)
    }
  })

  test('is asked anew when the transfer starts anew', async () => {
    const { id, email, domain, path } = await sale('anew')
    const browser = await signIn(service, email)
    await operate(service, id, 'start')
    must(await browser.post(path, { code: CODE }), 303)
    await operate(service, id, 'fail', 'start')
    const asked = `Please give us the transfer code of ${domain}`
    expect((await mailsTo(service, email)).filter((subject) => subject === asked)).toHaveLength(2)
    expect((await browser.get(path)).text).not.toContain('The code was given on')
    must(await browser.post(path, { code: CODE }), 303)
  })

  test('confirms first that it is them, when their sign-in is old', async () => {
    const { id, email, path } = await sale('old')
    const browser = await signIn(service, email)
    await operate(service, id, 'start')
    service.clock.advance(11 * 60_000)
    for (const asked of [await browser.get(path), await browser.post(path, { code: CODE })]) {
      expect(asked.status).toBe(303)
      expect(asked.headers.location).toBe(`/confirm?next=${encodeURIComponent(path)}`)
    }
    must(await browser.post('/confirm', { next: path, password: PASSWORD }), 303)
    must(await browser.post(path, { code: CODE }), 303)
  })

  test('is the one who may, from our own page', async () => {
    const { id, email, path } = await sale('own')
    await operate(service, id, 'start')
    await makeUser(service, 'stranger@example.com')
    const stranger = await signIn(service, 'stranger@example.com')
    const nobody = '/account/sales/ord_00000000000000000000000000/transfer-code'
    for (const target of [path, nobody]) {
      must(await stranger.get(target), 404)
      must(await stranger.post(target, { code: CODE }), 404)
    }
    const seller = await signIn(service, email)
    must(await seller.post(path, { code: CODE }, { 'sec-fetch-site': 'cross-site' }), 403)
    expect(await codeAt(id)).toBeNull()
  })
})

describe('no code is taken', () => {
  async function rejects(browser: Browser, path: string, why: string): Promise<void> {
    for (const page of [await browser.get(path), await browser.post(path, { code: CODE })]) {
      expect(page.status).toBe(409)
      expect(page.text).toContain(why)
      expect(page.text).not.toContain('name="code"')
    }
  }

  test('before the transfer starts, nor after it', async () => {
    const { id, email, path } = await sale('early')
    const browser = await signIn(service, email)
    await rejects(browser, path, 'The transfer of early.com has not started yet.')
    await operate(service, id, 'start', 'refund')
    await rejects(browser, path, 'The transfer of early.com is over')
    expect(await codeAt(id)).toBeNull()
  })

  test('where a connection has the domain, whether or not it can do the transfer', async () => {
    const registrar = new ScriptedRegistrar(['able.org', 'unable.net'])
    await connectScripted(service, registrar, ['org'])
    const weak = new ScriptedRegistrar(['unable.net'])
    weak.capabilities.splice(0, weak.capabilities.length, 'info')
    await connectScripted(service, weak, ['net'], 'weak')
    for (const [label, tld] of [
      ['able', 'org'],
      ['unable', 'net'],
    ] as const) {
      const { id, email, domain, path } = await sale(label, tld)
      await operate(service, id, 'start')
      const browser = await signIn(service, email)
      await rejects(browser, path, `We transfer ${domain} to its buyer ourselves`)
      expect((await browser.get('/account/sales')).text).not.toContain(path)
      expect(await mailsTo(service, email)).not.toContain(
        `Please give us the transfer code of ${domain}`,
      )
    }
  })
})

async function codeAt(id: string): Promise<Date | null> {
  const order = await service.app.db
    .selectFrom('orders')
    .select('code_available_at')
    .where('public_id', '=', id)
    .executeTakeFirstOrThrow()
  return order.code_available_at
}

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { transferData } from '../../packages/epp-client/test/support/markup.ts'
import { schemaProblems } from '../../packages/epp-client/test/support/schemas.ts'
import { EppTestServer, type Trouble } from '../../packages/epp-client/test/support/server.ts'
import type { Reader } from '../support/reader.ts'
import { domainOwner, operationEnded } from '../support/registrar.ts'
import { startService, type TestService } from '../support/service.ts'

/** Every point at which a command's response can be lost. */
const LOST = [
  'drop_before',
  'drop_after',
  'silence_before',
  'silence_after',
  'half_after',
  'garbage_after',
  'not_xml_after',
  'doctype_after',
  'wrong_id_after',
  'no_id_after',
  'huge_after',
] as const satisfies readonly Trouble[]
const nameFor = (op: string, trouble: (typeof LOST)[number]) =>
  `${op}-${trouble}.com`.replaceAll('_', '-')
const OPS = ['renew', 'lock', 'servers']
const NAMES = ['one', 'two', 'three', 'four', 'five', 'midnight', 'gold', 'silver', 'guarded'].map(
  (name) => `${name}.com`,
)

let service: TestService
let server: EppTestServer
let ann: Reader
beforeAll(async () => {
  server = await new EppTestServer().start()
  service = await startService({ settings: { registry: 'live' } })
  const domains = [...NAMES, ...OPS.flatMap((op) => LOST.map((trouble) => nameFor(op, trouble)))]
  for (const domain of domains) server.add(domain)
  ann = await domainOwner(service, 'ann@example.com', domains)
  const config = {
    ...server.access,
    tlds: ['com'],
    login_timeout_ms: 3_000,
    command_timeout_ms: 1_000,
  }
  const added = await service.admin('POST', '/registrars', { name: 'epp', driver: 'epp', config })
  expect(added.status).toBe(201)
})
afterAll(async () => {
  await service.stop()
  await server.stop()
  expect(await schemaProblems([...server.received, ...server.sent])).toEqual([])
})
afterEach(() => {
  server.faults.length = 0
  server.currency = 'USD'
  server.tellsFees = true
})

async function ask(op: string, domain: string, params: object = {}): Promise<string> {
  const { body } = await ann.post(`/api/domains/bulk/${op}`, { domains: [domain], params })
  expect(body.results).toMatchObject([{ status: 202 }])
  return body.results[0].operation_id
}

const performedOn = (domain: string) =>
  server.performed.filter((each) => each.endsWith(` ${domain}`))
const idsOf = (command: string, operationId: string) =>
  server.commands.filter((each) => each.startsWith(`${command} ${operationId}`))

describe('an operation', () => {
  test('has its id as clTRID, and its helpers that id and a suffix', async () => {
    server.commands.length = 0
    const id = await ask('lock', 'one.com')
    const row = await operationEnded(service, id)
    expect(row.attempts).toBe(1)
    expect(idsOf('update', id)).toEqual([`update ${id}`])
    expect(idsOf('info', id)).toEqual([`info ${id}-info`, `info ${id}-state`])
    expect(server.domains.get('one.com')?.statuses).toContain('clientTransferProhibited')
    const shown = await ann.get(`/api/domains/operations/${id}`)
    expect(shown.body).toMatchObject({ op: 'lock', registrar: 'epp', status: 'succeeded' })
  })

  test('that would change nothing succeeds without a command', async () => {
    const before = performedOn('one.com').length
    await operationEnded(service, await ask('lock', 'one.com'))
    await operationEnded(service, await ask('unlock', 'one.com'))
    await operationEnded(service, await ask('unlock', 'one.com'))
    expect(performedOn('one.com').length).toBe(before + 1)
  })

  test('renews from the expiry that the registry shows, and takes the new one over', async () => {
    const id = await ask('renew', 'one.com', { years: 2 })
    await operationEnded(service, id)
    expect(server.domains.get('one.com')?.expiresAt.getUTCFullYear()).toBe(2029)
    const renewal = server.received.find((frame) => frame.includes(`<clTRID>${id}</clTRID>`)) ?? ''
    expect(renewal).toContain('<domain:curExpDate>2027-06-01</domain:curExpDate>')
    expect(renewal).toContain('<fee:fee>20.00</fee:fee>')
    const owned = await service.app.db
      .selectFrom('owned_domains')
      .select('expires_at')
      .where('domain', '=', 'one.com')
      .executeTakeFirstOrThrow()
    expect(owned.expires_at).toEqual(new Date('2029-06-01T12:00:00.000Z'))
  })

  test('renews from the day as the registry writes it, in whichever time zone', async () => {
    server.add('midnight.com', { expiresAt: new Date('2027-05-31T22:00:00.0Z') })
    server.zone = 2
    await operationEnded(service, await ask('renew', 'midnight.com', { years: 1 }))
    server.zone = 0
    expect(performedOn('midnight.com')).toEqual(['renew midnight.com'])
    expect(server.received.join()).toContain('<domain:curExpDate>2027-06-01</domain:curExpDate>')
    expect(server.received.join()).not.toContain('<domain:curExpDate>2027-05-31')
  })

  test('creates the hosts that the registry does not know, and keeps DNSSEC', async () => {
    const ds = { keyTag: 1, algorithm: 13, digestType: 2, digest: 'AB'.repeat(32) }
    const two = server.add('two.com', { ds: [ds] })
    server.hosts.add('ns1.known.net')
    const nameservers = ['ns1.known.net', 'ns1.unknown.net', 'ns2.unknown.net']
    await operationEnded(service, await ask('set_nameservers', 'two.com', { nameservers }))
    expect(two.nameservers).toEqual(nameservers)
    expect(two.ds).toEqual([ds])
    expect(performedOn('ns1.unknown.net')).toEqual(['create ns1.unknown.net'])
    expect(performedOn('ns1.known.net')).toEqual([])
  })

  test('is tried again where the registry did nothing, and not where it rejected', async () => {
    server.faults.push(
      { on: 'update', does: { code: 2400 } },
      { on: 'update', does: { code: 2502 } },
    )
    const again = await operationEnded(service, await ask('lock', 'three.com'))
    expect(again.attempts).toBe(3)
    server.faults.push({ on: 'update', does: { code: 2306, reason: 'Not on Mondays.' } })
    const failed = await operationEnded(service, await ask('unlock', 'three.com'), 'failed')
    expect(failed.error).toEqual({ code: '2306', message: 'Error 2306', reason: 'Not on Mondays.' })
  })

  test('waits for a session, and takes nothing for sent before there is one', async () => {
    await operationEnded(service, await ask('unlock', 'four.com'))
    server.dropAll()
    server.faults.push(
      { on: 'greeting', does: 'drop_before' },
      { on: 'login', does: 'silence_after' },
    )
    const row = await operationEnded(service, await ask('lock', 'four.com'))
    expect(row.attempts).toBeGreaterThan(1)
    expect(performedOn('four.com')).toEqual(['update four.com'])
  })

  test('a domain that its registrar protects is changed, and protected again', async () => {
    const five = server.add('five.com', { statuses: new Set(['clientUpdateProhibited']) })
    await operationEnded(service, await ask('lock', 'five.com'))
    expect([...five.statuses].toSorted()).toEqual([
      'clientTransferProhibited',
      'clientUpdateProhibited',
    ])
  })

  describe('that has to remove the protection of a domain', () => {
    const LOCKED = ['clientTransferProhibited', 'clientUpdateProhibited']
    const guarded = () =>
      server.add('guarded.com', { statuses: new Set(['clientUpdateProhibited']) })
    const statuses = () => [...(server.domains.get('guarded.com')?.statuses ?? [])].toSorted()

    test.each<[string, Trouble]>([
      ['open', 'drop_before'],
      ['open', 'drop_after'],
      ['open', 'silence_after'],
      ['close', 'drop_before'],
      ['close', 'drop_after'],
      ['close', { code: 2400 }],
    ])('restores it whatever becomes of %s: %j', async (helper, does) => {
      guarded()
      server.faults.push({ on: 'update', about: `-${helper}<`, does })
      const { protection_removed } = await operationEnded(service, await ask('lock', 'guarded.com'))
      expect(server.faults).toEqual([])
      expect(statuses()).toEqual(LOCKED)
      expect(protection_removed).toBe(false)
    })

    test('restores it once the response to the change itself is lost, too', async () => {
      guarded()
      server.faults.push(
        { on: 'update', about: '"clientTransferProhibited"', does: 'drop_after' },
        { on: 'update', about: '-close<', does: 'drop_before' },
      )
      await operationEnded(service, await ask('lock', 'guarded.com'))
      expect(statuses()).toEqual(LOCKED)
    })

    test('restores it before it fails', async () => {
      guarded()
      server.faults.push(
        { on: 'update', about: '-open<', does: 'drop_after' },
        { on: 'update', about: '"clientTransferProhibited"', does: { code: 2304 } },
      )
      const row = await operationEnded(service, await ask('lock', 'guarded.com'), 'failed')
      expect(row.error?.code).toBe('2304')
      expect(statuses()).toEqual(['clientUpdateProhibited'])
    })

    test('fails where the registry rejects to restore it, and restores it when retried', async () => {
      guarded()
      server.faults.push({ on: 'update', about: '-close<', does: { code: 2304, reason: 'No.' } })
      const id = await ask('lock', 'guarded.com')
      const row = await operationEnded(service, id, 'failed')
      expect(row.error).toEqual({
        code: '2304',
        message: 'The domain is not protected again: Error 2304',
        reason: 'No.',
      })
      expect(statuses()).toEqual(['clientTransferProhibited'])
      const retried = await service.admin('POST', `/registrar-operations/${id}/retry`)
      expect(retried.status).toBe(202)
      await operationEnded(service, id)
      expect(statuses()).toEqual(LOCKED)
    })
  })

  test('a rejection of what is so by then is a success', async () => {
    const four = server.add('four.com')
    // Somebody else locks it after its state was read, so that the registry rejects the command.
    const handle = server.handle.bind(server)
    const handled = vi.spyOn(server, 'handle').mockImplementation((query) => {
      if (query.command.name === 'update') four.statuses.add('clientTransferProhibited')
      return handle(query)
    })
    const row = await operationEnded(service, await ask('lock', 'four.com'))
    handled.mockRestore()
    expect(row.attempts).toBe(1)
    expect(server.sent.some((frame) => frame.includes(`code="2306"`))).toBe(true)
  })

  test('a registry that does it later is asked until it has, and no second time', async () => {
    server.isPending = true
    const id = await ask('renew', 'five.com', { years: 1 })
    await vi.waitFor(() => expect(performedOn('five.com')).toContain('renew five.com'), 10_000)
    server.isPending = false
    const five = server.domains.get('five.com')
    if (!five) throw new Error('no domain')
    server.renewNow(five, 1)
    await operationEnded(service, id)
    expect(performedOn('five.com').filter((each) => each.startsWith('renew'))).toHaveLength(1)
  })
})

describe('what a renewal costs', () => {
  const chargeOf = (domain: string) =>
    service.app.db
      .selectFrom('charges as c')
      .innerJoin('renewals as r', 'r.charge_id', 'c.id')
      .select(['c.status', 'c.amount_cents', 'c.capture_cents', 'r.status as renewal', 'r.reason'])
      .where('r.domain', '=', domain)
      .orderBy('r.created_at', 'desc')
      .executeTakeFirstOrThrow()

  test('is no more than is paid for it: a premium name is not renewed at the price of others', async () => {
    server.add('gold.com', { fee: '1000.00', feeClass: 'premium' })
    const row = await operationEnded(
      service,
      await ask('renew', 'gold.com', { years: 2 }),
      'failed',
    )
    expect(row.error).toMatchObject({
      code: 'fee_exceeded',
      message: 'The renewal costs 2,000.00 USD, and 29.98 USD is paid for it.',
    })
    expect(performedOn('gold.com')).toEqual([])
    const charge = await vi.waitFor(async () => {
      const found = await chargeOf('gold.com')
      expect(found.status).not.toMatch(/^(?:authorized|capture_due)$/)
      return found
    }, 20_000)
    expect(charge).toMatchObject({ capture_cents: 0, renewal: 'failed' })
    expect(charge.reason).toContain('The renewal costs 2,000.00 USD')
    const { body } = await service.admin('GET', '/registrar-operations?status=failed')
    expect(body.operations).toContainEqual(
      expect.objectContaining({ domain: 'gold.com', error: row.error }),
    )
  })

  test('in another currency is the usual fee, and of a premium name none', async () => {
    server.currency = 'EUR'
    server.add('silver.com', { fee: '20.00' })
    await operationEnded(service, await ask('renew', 'silver.com', { years: 1 }))
    expect(server.received.join()).toContain('<fee:currency>EUR</fee:currency><fee:fee>20.00')
    server.add('gold.com', { fee: '5.00', feeClass: 'premium' })
    const row = await operationEnded(
      service,
      await ask('renew', 'gold.com', { years: 1 }),
      'failed',
    )
    expect(row.error).toMatchObject({ code: 'fee_currency' })
    expect(performedOn('gold.com')).toEqual([])
  })

  test('is the usual fee where the registry tells none, except of a premium name', async () => {
    server.tellsFees = false
    server.add('silver.com')
    const before = performedOn('silver.com').length
    await operationEnded(service, await ask('renew', 'silver.com', { years: 1 }))
    expect(performedOn('silver.com')).toHaveLength(before + 1)
    server.add('gold.com', { feeClass: 'premium' })
    const row = await operationEnded(
      service,
      await ask('renew', 'gold.com', { years: 1 }),
      'failed',
    )
    expect(row.error).toMatchObject({ code: 'fee_unknown' })
    expect(performedOn('gold.com')).toEqual([])
  })
})

describe('a lost response, at whichever point,', () => {
  /** Asks for all at once: each loses the response to its command once, in another way. */
  async function askForAll(op: string, on: string, params: object, prefix = op) {
    const domains = LOST.map((does) => nameFor(prefix, does))
    for (const [index, does] of LOST.entries()) {
      server.faults.push({ on, about: `>${domains[index]}<`, does })
    }
    const { body } = await ann.post(`/api/domains/bulk/${op}`, { domains, params })
    return await Promise.all(
      body.results.map(({ operation_id }: { operation_id: string }) =>
        operationEnded(service, operation_id),
      ),
    )
  }

  test('of a renewal renews once', async () => {
    const rows = await askForAll('renew', 'renew', { years: 1 })
    for (const { domain, result, attempts } of rows) {
      expect(attempts).toBeGreaterThan(1)
      expect(result).toEqual({ expires_at: '2028-06-01T12:00:00.000Z' })
      expect(performedOn(domain)).toEqual([`renew ${domain}`])
    }
    const charge = await vi.waitFor(async () => {
      const found = await service.app.db
        .selectFrom('charges as c')
        .innerJoin('renewals as r', 'r.charge_id', 'c.id')
        .select(['c.status', 'c.amount_cents', 'c.capture_cents'])
        .where('r.domain', '=', rows[0]?.domain ?? '')
        .executeTakeFirstOrThrow()
      expect(found.status).toBe('succeeded')
      return found
    }, 20_000)
    expect(charge.capture_cents).toBe(charge.amount_cents)
  })

  test('of a lock locks once', async () => {
    for (const { domain, attempts } of await askForAll('lock', 'update', {})) {
      expect(attempts).toBeGreaterThan(1)
      expect(performedOn(domain)).toEqual([`update ${domain}`])
    }
  })

  test('of name servers sets them once, and creates their hosts once', async () => {
    const nameservers = LOST.map((_, index) => `ns1.host-${index}.net`)
    for (const [index, does] of LOST.entries()) {
      server.faults.push({ on: 'host:create', about: `>${nameservers[index]}<`, does })
    }
    const rows = await askForAll('set_nameservers', 'update', { nameservers }, 'servers')
    for (const { domain } of rows) {
      expect(performedOn(domain)).toEqual([`update ${domain}`])
      expect(server.domains.get(domain)?.nameservers.toSorted()).toEqual(nameservers.toSorted())
    }
    for (const host of nameservers) expect(performedOn(host)).toEqual([`create ${host}`])
  })
})

describe('poll messages', () => {
  test('are kept, and acknowledged once, also when responses are lost', async () => {
    const texts = ['Transfer requested.', 'Low balance.', 'Maintenance on Sunday.']
    for (const [index, text] of texts.entries()) {
      server.messages.push({
        id: String(index + 1),
        text,
        ...(index === 0 && { data: transferData('one.com', 'pending', 'registrar-2') }),
      })
    }
    server.faults.push(
      { on: 'poll', does: 'drop_after' },
      { on: 'poll', does: 'wrong_id_after' },
      { on: 'poll', does: 'half_after' },
    )
    await vi.waitFor(
      () => {
        service.clock.advance(60_000)
        expect(server.acknowledged).toEqual(['1', '2', '3'])
      },
      { timeout: 20_000, interval: 200 },
    )
    const kept = await service.app.db
      .selectFrom('registrar_messages')
      .select(['message_id', 'domain', 'kind', 'text'])
      .orderBy('message_id')
      .execute()
    expect(kept).toEqual([
      { message_id: '1', domain: 'one.com', kind: 'transfer', text: texts[0] },
      { message_id: '2', domain: null, kind: 'other', text: texts[1] },
      { message_id: '3', domain: null, kind: 'other', text: texts[2] },
    ])
  })
})

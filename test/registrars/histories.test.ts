import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { advanceCharges } from '../../src/domain/domains/collect.ts'
import {
  type CallOptions,
  NotPerformed,
  type RegistrarCommand,
  RegistrarRejected,
  ResponseLost,
} from '../../src/domain/registrars/driver.ts'
import { pollRegistrars } from '../../src/domain/registrars/poll-registrars.ts'
import { workOperations } from '../../src/domain/registrars/work-operations.ts'
import { FINISHERS, onTransfer } from '../../src/http/registrar-finishers.ts'
import { must } from '../support/market.ts'
import { makeUser, signIn } from '../support/oauth.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'

/** More of them on request; a run on every change is to be short. */
const RUNS = Number(process.env.REGISTRAR_RUNS ?? 15)
/** To play the same histories again. */
const SEED = process.env.REGISTRAR_SEED

const MINUTE = 60_000
const YEAR = 365 * 24 * 60 * MINUTE
const NEVER = new AbortController().signal
const work = workOperations(FINISHERS)
const poll = pollRegistrars(onTransfer)

/** Loses sessions and acknowledgements, repeats messages, and rejects, as a history has it. */
class UnreliableRegistrar extends ScriptedRegistrar {
  /** How many acknowledgements get lost, each with its message still there. */
  lostAcks = 0
  isSessionDropped = false

  override async info(domain: string) {
    if (this.isSessionDropped) {
      this.isSessionDropped = false
      throw new NotPerformed('The session was dropped.')
    }
    return await super.info(domain)
  }

  override async perform(domain: string, command: RegistrarCommand, options: CallOptions) {
    if (this.isDown) throw new NotPerformed('The registrar is down.')
    return await super.perform(domain, command, options)
  }

  override async acknowledge(id: string): Promise<void> {
    if (this.lostAcks > 0) {
      this.lostAcks -= 1
      throw new ResponseLost('The connection was lost.')
    }
    await super.acknowledge(id)
  }
}

let service: TestService
let registrar: UnreliableRegistrar
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  registrar = new UnreliableRegistrar([])
  await connectScripted(service, registrar, ['com'])
})
afterAll(() => service.stop())

const step = fc.record({
  what: fc.constantFrom(
    ...(['renew', 'renew', 'renew', 'lock', 'unlock', 'name servers'] as const),
    ...(['lose before', 'lose after', 'lose after', 'reject', 'drop session'] as const),
    ...(['message', 'lose ack', 'go down', 'come back', 'work', 'work', 'charge', 'poll'] as const),
  ),
  name: fc.nat({ max: 2 }),
  years: fc.integer({ min: 1, max: 3 }),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** What happens at the same time, one group after the other. */
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), {
  minLength: 6,
  maxLength: 20,
})

interface Player {
  reader: Reader
  names: string[]
  userId: string
  messages: number
}

let players = 0

/** A user with a card, whose three names are at the registrar. */
async function newPlayer(): Promise<Player> {
  players += 1
  const names = [1, 2, 3].map((each) => `name-${players}-${each}.com`)
  const email = `user-${players}@example.com`
  const userId = await makeUser(service, email, names)
  const { body } = must(await service.admin('POST', '/user-tokens', { email }), 201)
  // While its jobs catch up with the clock, a service on a loaded machine says 503.
  const browser = await vi.waitFor(() => signIn(service, email), { timeout: 60_000 })
  const card = { card_number: '4242 4242 4242 4242', card_expiry: '12/39', card_cvc: '123' }
  expect((await browser.post('/account/payment-method', card)).status).toBe(303)
  for (const [name, state] of new ScriptedRegistrar(names).domains)
    registrar.domains.set(name, state)
  return { reader: readerOf(() => service, body.token), names, userId, messages: 0 }
}

async function play({ what, name, years }: Step, player: Player): Promise<void> {
  const { reader, names } = player
  const bulk = async (op: string, params: object) => {
    const { status, text } = await reader.post(`/api/domains/bulk/${op}`, {
      domains: [names[name]],
      params,
    })
    expect(status, text).toBeLessThan(500)
  }
  switch (what) {
    case 'renew':
      return await bulk('renew', { years })
    case 'lock':
    case 'unlock':
      return await bulk(what, {})
    case 'name servers':
      return await bulk('set_nameservers', {
        nameservers: [`ns1.host-${years}.example`, `ns2.host-${years}.example`],
      })
    case 'lose before':
      registrar.faults.push('before')
      return
    case 'lose after':
      registrar.faults.push('after')
      return
    case 'reject':
      registrar.faults.push(new RegistrarRejected('2304', 'Object status prohibits operation'))
      return
    case 'drop session':
      registrar.isSessionDropped = true
      return
    case 'message':
      player.messages += 1
      registrar.messages.push({
        id: `message-${player.userId}-${player.messages}`,
        domain: names[name] ?? '',
        kind: 'other',
        text: 'Something happened.',
        queuedAt: null,
      })
      return
    case 'lose ack':
      registrar.lostAcks += 1
      return
    case 'go down':
      registrar.isDown = true
      return
    case 'come back':
      registrar.isDown = false
      return
    case 'work':
      return await work.run(service.app, NEVER)
    case 'charge':
      return await advanceCharges.run(service.app, NEVER)
    case 'poll':
      return await poll.run(service.app, NEVER)
  }
}

const operationsOf = ({ names }: Player) =>
  service.app.db
    .selectFrom('registrar_operations')
    .selectAll()
    .where('domain', 'in', names)
    .orderBy('operation_id')
    .execute()

/** The registrar is well again, and all that is open ends. */
async function calmDown(player: Player): Promise<void> {
  registrar.isDown = false
  registrar.isSessionDropped = false
  registrar.faults.length = 0
  registrar.lostAcks = 0
  for (let tries = 0; tries < 60; tries++) {
    await work.run(service.app, NEVER)
    await advanceCharges.run(service.app, NEVER)
    await poll.run(service.app, NEVER)
    const open = (await operationsOf(player)).filter(({ finished_at }) => finished_at === null)
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from charges
      where user_id = ${player.userId} and status not in ('succeeded', 'failed')`.execute(
      service.app.db,
    )
    if (open.length === 0 && rows[0]?.n === 0 && registrar.messages.length === 0) return
    service.clock.advance(5 * MINUTE)
  }
  throw new Error('something is still open')
}

async function expectOnce(player: Player, expiries: Map<string, number>): Promise<void> {
  const { names } = player
  const operations = await operationsOf(player)
  const renewals = await service.app.db
    .selectFrom('renewals as r')
    .leftJoin('charges as c', 'c.id', 'r.charge_id')
    .select([
      'r.domain',
      'r.status',
      'r.price_cents',
      'r.years',
      'c.id',
      'c.status as charge_status',
    ])
    .select(['c.amount_cents'])
    .where('r.domain', 'in', names)
    .execute()
  for (const name of names) {
    const own = operations.filter(({ domain }) => domain === name)
    const renewed = own.filter(({ op, status }) => op === 'renew' && status === 'succeeded')
    // What the registrar did is what succeeded here: nothing twice, and nothing that was then called failed.
    const performed = registrar.performed.filter((each) => each === `renew ${name}`)
    expect([name, performed.length]).toEqual([name, renewed.length])
    const years = renewed.reduce(
      (sum, { params }) => sum + Number((params as { years?: number }).years),
      0,
    )
    const there = registrar.domains.get(name)
    expect(there?.expiresAt?.getTime()).toBe((expiries.get(name) ?? 0) + years * YEAR)

    // Each renewal was paid once, and none that was not made.
    const paid = renewals.filter(({ domain, status }) => domain === name && status === 'paid')
    expect(paid.length).toBe(renewed.length)
    expect(paid.reduce((sum, renewal) => sum + renewal.years, 0)).toBe(years)
    for (const { charge_status } of paid) expect(charge_status).toBe('succeeded')
    const unpaid = renewals.filter(({ domain, status }) => domain === name && status !== 'paid')
    for (const { status } of unpaid) expect(status).toBe('failed')

    // What is shown here is how it is there.
    const shown = await service.app.db
      .selectFrom('owned_domains')
      .selectAll()
      .where('domain', '=', name)
      .executeTakeFirstOrThrow()
    const changed = own.filter(({ status }) => status === 'succeeded').map(({ op }) => op)
    if (changed.includes('lock') || changed.includes('unlock')) {
      expect(shown.locked).toBe(there?.locked)
    }
    if (changed.includes('set_nameservers')) expect(shown.nameservers).toEqual(there?.nameservers)
    if (renewed.length > 0) expect(shown.expires_at).toEqual(there?.expiresAt)
  }
  for (const { id, charge_status, amount_cents } of renewals) {
    if (id === null) continue
    const { rows } = await sql<{ cents: number }>`
      select coalesce(sum(e.amount_cents), 0)::bigint as cents from ledger_entries e
      join ledger_transactions t on t.id = e.transaction_id
      where t.source = ${id} and e.account = 'card_funds'`.execute(service.app.db)
    expect(rows[0]?.cents).toBe(charge_status === 'succeeded' ? amount_cents : 0)
  }
  const kept = await service.app.db
    .selectFrom('registrar_messages')
    .select('message_id')
    .where('domain', 'in', names)
    .execute()
  expect(kept).toHaveLength(player.messages)
}

test(
  'whatever a registrar loses, repeats or rejects, nothing is done or paid twice, and nothing is forgotten',
  async () => {
    await fc.assert(
      fc.asyncProperty(history, async (groups) => {
        const player = await newPlayer()
        const expiries = new Map(
          player.names.map((name) => [
            name,
            registrar.domains.get(name)?.expiresAt?.getTime() ?? 0,
          ]),
        )
        for (const group of groups) {
          await Promise.all(group.map((one) => play(one, player)))
          service.clock.advance(MINUTE)
        }
        await calmDown(player)
        await expectOnce(player, expiries)
      }),
      { numRuns: RUNS, endOnFailure: true, ...(SEED !== undefined && { seed: Number(SEED) }) },
    )
  },
  300_000 + RUNS * 4_000,
)

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moveCase, openCase } from '../support/brokerage.ts'
import type { PartnerClient, Result } from '../support/client.ts'
import { eventsOf, ledgerOf, must, refusal } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

/** How an operator gets a case into each state. */
const WAYS_TO = {
  open: [],
  sourcing: ['source'],
  contacted: ['source', 'contact'],
  negotiating: ['source', 'contact', 'negotiate'],
  agreed: ['source', 'contact', 'negotiate', 'agree'],
  completed: ['source', 'contact', 'negotiate', 'agree', 'complete'],
  declined: ['source', 'contact', 'decline'],
  no_contact: ['source', 'no-contact'],
  cancelled: ['cancel'],
} as const satisfies Record<string, readonly string[]>
type State = keyof typeof WAYS_TO
const STATES = Object.keys(WAYS_TO) as State[]

const MOVES = [
  'source',
  'contact',
  'negotiate',
  'agree',
  'complete',
  'decline',
  'no-contact',
  'cancel',
] as const
type Move = (typeof MOVES)[number]

/** What is legal, from the contract (section 9); every pair that is not here is rejected. */
const LEGAL: Record<State, Partial<Record<Move, State>>> = {
  open: { source: 'sourcing', cancel: 'cancelled' },
  sourcing: { contact: 'contacted', 'no-contact': 'no_contact', cancel: 'cancelled' },
  contacted: {
    negotiate: 'negotiating',
    decline: 'declined',
    'no-contact': 'no_contact',
    cancel: 'cancelled',
  },
  negotiating: { agree: 'agreed', decline: 'declined', cancel: 'cancelled' },
  agreed: { complete: 'completed', decline: 'declined', cancel: 'cancelled' },
  completed: {},
  declined: {},
  no_contact: {},
  cancelled: {},
}

const DOORS = {
  'an operator': (service: TestService, _client: PartnerClient, id: string, move: string) =>
    service.admin('POST', `/brokerage/${id}/${move}`, { price_cents: 400_000 }),
  'the partner in the sandbox': (
    _service: TestService,
    client: PartnerClient,
    id: string,
    move: string,
  ) => client.post(`/sandbox/brokerage/${id}/${move}`, { price_cents: 400_000 }),
} satisfies Record<
  string,
  (service: TestService, client: PartnerClient, id: string, move: string) => Promise<Result>
>

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

async function caseIn(state: State) {
  const client = await service.partner()
  const opened = await openCase(client)
  await moveCase(service, opened.case_id, ...WAYS_TO[state])
  return { client, id: opened.case_id as string, domain: opened.domain as string }
}

async function look(client: PartnerClient, id: string, domain: string) {
  const partner = { partnerId: client.partner_id, environment: 'sandbox' as const }
  return {
    row: must(await client.get(`/brokerage/${id}`), 200).body,
    events: await eventsOf(client),
    ledger: await ledgerOf(service, partner),
    eligible: (await client.get(`/brokerage/eligibility?domain=${domain}`)).body,
    mails: must(await service.admin('GET', '/mails?limit=100'), 200).body.mails[0]?.id,
  }
}

const pairs = STATES.flatMap((state) =>
  MOVES.flatMap((move) =>
    (Object.keys(DOORS) as (keyof typeof DOORS)[]).map((door) => ({ state, move, door })),
  ),
)

test('there are as many pairs as states and moves', () => {
  expect(pairs).toHaveLength(9 * 8 * 2)
  expect(pairs.filter(({ state, move }) => LEGAL[state][move])).toHaveLength(15 * 2)
})

describe.each(pairs.filter(({ state, move }) => LEGAL[state][move]))(
  '$door: $move of a case that is $state',
  ({ state, move, door }) => {
    test('does what it should, and nothing else', async () => {
      const to = LEGAL[state][move] as State
      const { client, id, domain } = await caseIn(state)
      const before = await look(client, id, domain)
      const moved = must(await DOORS[door](service, client, id, move), 200)
      const after = await look(client, id, domain)
      expect(moved.body).toMatchObject(after.row)
      expect(after.row.status).toBe(to)
      expect(after.row.timeline.slice(0, -1)).toEqual(before.row.timeline)
      expect(after.row.timeline.at(-1)).toMatchObject({
        type: `brokerage.case_${to}`,
        status: to,
        price_cents: move === 'agree' || move === 'complete' ? 400_000 : null,
      })
      expect(after.eligible.reason).toBe(
        Object.keys(LEGAL[to]).length > 0 ? 'already_in_case' : null,
      )

      const events = after.events.slice(before.events.length)
      const entries = after.ledger.slice(before.ledger.length)
      if (move !== 'complete') {
        expect({ events, entries }).toEqual({ events: [], entries: [] })
        return
      }
      expect(events).toMatchObject([{ type: 'brokerage.case_completed' }])
      expect(events[0]?.data).toEqual({
        case: {
          case_id: id,
          domain,
          tier: 'self_serve',
          status: 'completed',
          budget: 500_000,
          currency: 'USD',
          price_cents: 400_000,
          commission_cents: 40_000,
        },
      })
      expect(after.row).toMatchObject({ price_cents: 400_000, commission_cents: 40_000 })
      expect(
        entries.map(({ code, source, account, amount_cents }) => [
          code,
          source,
          account,
          amount_cents,
        ]),
      ).toEqual([
        ['deal', id, 'brokered_funds', 400_000],
        ['deal', id, 'owner_proceeds', -400_000],
        ['commission', id, 'commission_cost', 40_000],
        ['commission', id, 'commission_payable', -40_000],
      ])
    })
  },
)

describe.each(pairs.filter(({ state, move }) => !LEGAL[state][move]))(
  '$door: $move of a case that is $state',
  ({ state, move, door }) => {
    test('is rejected and changes nothing', async () => {
      const { client, id, domain } = await caseIn(state)
      const before = await look(client, id, domain)
      const response = await DOORS[door](service, client, id, move)
      expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
      expect(response.body.error.details).toEqual({ reason: 'not_allowed_now', status: state })
      expect(await look(client, id, domain)).toEqual(before)
    })
  },
)

test('a move that there is not is a 400 that names those there are', async () => {
  const { client, id } = await caseIn('open')
  for (const response of [
    await service.admin('POST', `/brokerage/${id}/sell`, {}),
    await client.post(`/sandbox/brokerage/${id}/sell`, {}),
  ]) {
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(response.body.error.message).toContain('no-contact')
  }
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient, Result } from '../support/client.ts'
import { eventsOf, freshName, ledgerOf, must, operate, refusal } from '../support/market.ts'
import { quote, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

/** Every state that an order can be in, and how an operator gets it there. */
const STATES = {
  waiting: [],
  held: [],
  'cleared of its hold': ['clear'],
  'in transfer': ['start'],
  'needing action': ['start', 'action-required'],
  'failed in transfer': ['start', 'fail'],
  'cleared after a failure': ['start', 'fail', 'clear'],
  'in its second transfer': ['start', 'fail', 'start'],
  completed: ['start', 'complete'],
  settled: ['start', 'complete', 'settle'],
  refunded: ['refund'],
  'refunded in transfer': ['start', 'refund'],
  cancelled: ['cancel'],
} as const satisfies Record<string, readonly string[]>
type State = keyof typeof STATES

const HELD_FROM_THE_START: State[] = ['held', 'cleared of its hold']

interface Outcome {
  status: string
  held: boolean
  hold_reason?: string
  transfer: string
  events: string[]
  ledger?: string[]
  market?: 'sold' | 'listed'
}

const RECORDED = 'EXTERNALLY_PAID'
const CLEARED: Outcome = {
  status: RECORDED,
  held: false,
  transfer: 'pending',
  events: ['order.manual_review_cleared'],
}
const STARTED: Outcome = {
  status: 'TRANSFER_IN_PROGRESS',
  held: false,
  transfer: 'in_progress',
  events: ['order.transfer_started'],
}
const CLEARED_AND_STARTED: Outcome = {
  ...STARTED,
  events: ['order.manual_review_cleared', 'order.transfer_started'],
}
const ACTION_REQUIRED: Outcome = {
  status: 'TRANSFER_IN_PROGRESS',
  held: false,
  transfer: 'action_required',
  events: ['transfer.action_required'],
}
const COMPLETED: Outcome = {
  status: 'TRANSFER_COMPLETED',
  held: false,
  transfer: 'completed',
  events: ['order.transfer_completed'],
  ledger: ['delivery'],
}
const FAILED: Outcome = {
  status: RECORDED,
  held: true,
  hold_reason: 'transfer_failed',
  transfer: 'failed',
  events: ['transfer.failed'],
}
const CANCELLED: Outcome = {
  status: 'CANCELLED',
  held: false,
  transfer: 'cancelled',
  events: ['order.refunded'],
  ledger: ['refund'],
  market: 'listed',
}
const REFUNDED: Outcome = { ...CANCELLED, status: 'REFUNDED' }
const SETTLED: Outcome = {
  status: 'SETTLED',
  held: false,
  transfer: 'completed',
  events: ['order.settled'],
}

const MOVES = [
  'clear',
  'start',
  'action-required',
  'complete',
  'fail',
  'cancel',
  'refund',
  'settle',
] as const
type Move = (typeof MOVES)[number]

/** What is legal, from the contract; every pair that is not here is rejected. */
const LEGAL: Record<State, Partial<Record<Move, Outcome>>> = {
  waiting: { start: STARTED, cancel: CANCELLED, refund: REFUNDED },
  held: { clear: CLEARED, start: CLEARED_AND_STARTED, cancel: CANCELLED, refund: REFUNDED },
  'cleared of its hold': { start: STARTED, cancel: CANCELLED, refund: REFUNDED },
  'in transfer': {
    'action-required': ACTION_REQUIRED,
    complete: COMPLETED,
    fail: FAILED,
    refund: REFUNDED,
  },
  'needing action': {
    'action-required': ACTION_REQUIRED,
    complete: COMPLETED,
    fail: FAILED,
    refund: REFUNDED,
  },
  'failed in transfer': {
    clear: { ...CLEARED, transfer: 'failed' },
    start: CLEARED_AND_STARTED,
    refund: REFUNDED,
  },
  'cleared after a failure': { start: STARTED, refund: REFUNDED },
  'in its second transfer': {
    'action-required': ACTION_REQUIRED,
    complete: COMPLETED,
    fail: FAILED,
    refund: REFUNDED,
  },
  completed: { settle: SETTLED },
  settled: {},
  refunded: {},
  'refunded in transfer': {},
  cancelled: {},
}

/** Who can make a move, and how; a settlement run rejects nothing, it passes over. */
interface Way {
  name: string
  move: Move
  make(client: PartnerClient, publicId: string): Promise<Result>
}
const ADMIN_WAYS: Way[] = MOVES.filter((move) => move !== 'settle').map((move) => ({
  name: `an operator's ${move}`,
  move,
  make: (_client, publicId) =>
    service.admin('POST', `/orders/${publicId}/${move}`, { reason: 'said so' }),
}))
const SANDBOX_WAYS: Way[] = (
  [
    ['clear-review', 'clear'],
    ['start-transfer', 'start'],
    ['complete-transfer', 'complete'],
    ['fail-transfer', 'fail'],
  ] as const
).map(([path, move]) => ({
  name: `the sandbox's ${path}`,
  move,
  make: (client, publicId) =>
    client.post(`/sandbox/orders/${publicId}/${path}`, { reason: 'said so' }),
}))
const PARTNER_REFUND: Way = {
  name: "the partner's refund",
  move: 'refund',
  make: (client, public_id) => client.post('/refunds', { public_id, note: 'said so' }),
}
const SETTLEMENT_RUN: Way = {
  name: 'a settlement run',
  move: 'settle',
  make: (client) => client.post('/sandbox/settlement-runs'),
}
const WAYS = [...ADMIN_WAYS, ...SANDBOX_WAYS, PARTNER_REFUND, SETTLEMENT_RUN]

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** An order of a partner of its own, in a state. */
async function orderIn(state: State) {
  const client = await service.partner({ scopes: ['search', 'buy', 'webhook'] })
  const label = HELD_FROM_THE_START.includes(state) ? 'manual-review' : undefined
  const domain = await freshName(service, 'sandbox', { ...(label && { label }) })
  const { public_id } = await sold(client, domain)
  for (const step of STATES[state]) {
    if (step === 'settle') must(await client.post('/sandbox/settlement-runs'), 201)
    else await operate(service, public_id, step)
  }
  return { client, publicId: public_id as string, domain }
}

/** Everything that a move may change. */
async function look(client: PartnerClient, publicId: string, domain: string) {
  const [order, listing, events, ledger, refunds] = await Promise.all([
    client.get(`/orders/${publicId}`),
    client.get(`/domains/${domain}`),
    eventsOf(client),
    ledgerOf(service, { partnerId: client.partner_id, environment: 'sandbox' }),
    service.app.db.selectFrom('refunds').selectAll().where('public_id', '=', publicId).execute(),
  ])
  return { order: order.body, listing: listing.body, events, ledger, refunds }
}

const pairs = (Object.keys(STATES) as State[]).flatMap((state) =>
  WAYS.map((way) => ({ state, way, outcome: LEGAL[state][way.move] })),
)
const legal = pairs.flatMap(({ outcome, ...pair }) =>
  outcome ? [{ ...pair, outcome, name: pair.way.name }] : [],
)
const illegal = pairs
  .filter(({ outcome }) => !outcome)
  .map(({ state, way }) => ({ state, way, name: way.name }))

describe('a move that the state allows', () => {
  test.each(legal)('an order $state: $name', async ({ state, way, outcome }) => {
    const { client, publicId, domain } = await orderIn(state)
    const before = await look(client, publicId, domain)
    const response = await way.make(client, publicId)
    expect(response.status).toBeLessThan(300)
    const after = await look(client, publicId, domain)

    expect(after.order).toMatchObject({
      status: outcome.status,
      held: outcome.held,
      hold_reason: outcome.hold_reason ?? null,
      transfer: { status: outcome.transfer },
    })
    const { public_id, sale_price_cents, currency } = before.order
    const added = after.events.slice(before.events.length)
    expect(after.events.slice(0, before.events.length)).toEqual(before.events)
    expect(added.map(({ type }) => type)).toEqual(outcome.events)
    for (const { type, data } of added) {
      const isCleared = type === 'order.manual_review_cleared'
      expect(data).toEqual({
        order: {
          public_id,
          domain,
          status: isCleared ? RECORDED : outcome.status,
          sale_price_cents,
          currency,
        },
        ...(type.startsWith('transfer.') && { reason: 'said so' }),
      })
    }
    const steps = after.order.timeline.slice(before.order.timeline.length)
    expect(after.order.timeline.slice(0, before.order.timeline.length)).toEqual(
      before.order.timeline,
    )
    expect(steps.map(({ type }: { type: string }) => type)).toEqual(outcome.events)
    expect(steps.at(-1).status).toBe(outcome.status)

    const posted = after.ledger.slice(before.ledger.length)
    const codes = [
      ...new Set(posted.filter(({ source }) => source === publicId).map((l) => l.code)),
    ]
    expect(codes).toEqual(outcome.ledger ?? [])
    expect(after.listing.status).toBe(outcome.market ?? 'sold')
    expect(after.refunds).toHaveLength(['CANCELLED', 'REFUNDED'].includes(outcome.status) ? 1 : 0)
  })
})

describe('a move that the state does not allow is rejected and changes nothing', () => {
  test.each(illegal)('an order $state: $name', async ({ state, way }) => {
    const { client, publicId, domain } = await orderIn(state)
    const before = await look(client, publicId, domain)
    const response = await way.make(client, publicId)
    if (way.move === 'settle') expect(response.body.order_count).toBe(0)
    else expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    const after = await look(client, publicId, domain)
    expect(after).toEqual(before)
  })
})

describe('what a move leaves behind', () => {
  test('a refunded order puts the domain back on the market, where it can be sold again', async () => {
    const { client, domain } = await orderIn('refunded')
    expect((await client.get(`/availability?domain=${domain}`)).body.available).toBe(true)
    await sold(client, domain)
    expect((await client.get(`/domains/${domain}`)).body.status).toBe('sold')
  })

  test('a cancelled order puts the domain back on the market too', async () => {
    const { client, domain } = await orderIn('cancelled')
    expect((await quote(client, domain)).status).toBe('active')
  })

  test('an unknown move is rejected', async () => {
    const { publicId } = await orderIn('waiting')
    const response = await service.admin('POST', `/orders/${publicId}/settle`, {})
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
  })

  test('the reason of a failure stands in the order, and leaves it with the next start', async () => {
    const { client, publicId } = await orderIn('in transfer')
    must(await service.admin('POST', `/orders/${publicId}/fail`, { reason: 'Locked.' }), 200)
    const failed = await client.get(`/orders/${publicId}`)
    expect(failed.body.transfer).toMatchObject({ status: 'failed', reason: 'Locked.' })
    await operate(service, publicId, 'start')
    const started = await client.get(`/orders/${publicId}`)
    expect(started.body.transfer).toMatchObject({ status: 'in_progress', reason: null })
  })
})

describe('the sandbox name whose transfer fails', () => {
  test('fails instead of completing, for the operator as well as the partner', async () => {
    const client = await service.partner()
    for (const way of [ADMIN_WAYS[3], SANDBOX_WAYS[2]] as Way[]) {
      const domain = await freshName(service, 'sandbox', { label: 'transfer-fails' })
      const { public_id } = await sold(client, domain)
      await operate(service, public_id, 'start')
      const before = await eventsOf(client)
      expect((await way.make(client, public_id)).body).toMatchObject({
        status: RECORDED,
        held: true,
      })
      const added = (await eventsOf(client)).slice(before.length)
      expect(added.map(({ type }) => type)).toEqual(['transfer.failed'])
    }
  })

  test('is an ordinary name in live', async () => {
    const client = await service.partner({ environment: 'live' })
    const domain = await freshName(service, 'live', { label: 'transfer-fails' })
    const { public_id } = await sold(client, domain)
    const order = await operate(service, public_id, 'start', 'complete')
    expect(order.status).toBe('TRANSFER_COMPLETED')
  })
})

import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from './support/client.ts'
import { freshName, ledgerOf, must, offer, operate } from './support/market.ts'
import { sold } from './support/sale.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { settlementSchedule: 'manual' } })
})
afterAll(() => service.stop())

async function partnerAt(bps: number): Promise<PartnerClient> {
  const made = must(
    await service.admin('POST', '/partners', {
      name: 'Rated',
      email: 'rated@example.com',
      partner_collected_bps: bps,
    }),
    201,
  )
  return service.partner({ partner_id: made.body.partner_id })
}

/** One step of a history: who, what, and which of the partner's orders or which price it concerns. */
const step = fc.record({
  who: fc.nat({ max: 2 }),
  what: fc.constantFrom(
    ...(['sell', 'sell', 'sell', 'start', 'start', 'complete', 'complete'] as const),
    ...(['fail', 'refund', 'cancel', 'clear', 'run', 'run for all'] as const),
  ),
  which: fc.nat({ max: 4 }),
  price: fc.oneof(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 100_000_000_000 })),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const history = fc.record({
  rates: fc.tuple(
    fc.integer({ min: 0, max: 10_000 }),
    fc.constantFrom(0, 1, 3_333, 9_999, 10_000),
    fc.integer({ min: 0, max: 10_000 }),
  ),
  steps: fc.array(step, { minLength: 10, maxLength: 40 }),
})

interface Statement {
  id: string
  status: string
  order_count: number
  gross_sold_cents: number
  commission_retained_cents: number
  refunded_cents: number
  amount_owed_cents: number
  lines: {
    public_id: string
    type: 'sale' | 'refund'
    gross_cents: number
    commission_cents: number
    owed_cents: number
  }[]
}

let names = 0

/** Plays the steps; those that a state does not allow are rejected, which is part of the history. */
async function play(clients: PartnerClient[], steps: Step[]): Promise<void> {
  const orders = clients.map((): string[] => [])
  const closed = new Map<string, string>()
  for (const { who, what, which, price } of steps) {
    const client = clients[who] as PartnerClient
    const own = orders[who] as string[]
    if (what === 'sell') {
      names += 1
      const domain = `money-${names}.test`
      await offer(service, 'sandbox', [domain], price)
      own.push((await sold(client, domain)).public_id)
    } else if (what === 'run') {
      must(await client.post('/sandbox/settlement-runs'), 201)
    } else if (what === 'run for all') {
      must(await service.admin('POST', '/settlement-runs', { environment: 'sandbox' }), 201)
    } else if (own.length > 0) {
      const publicId = own[which % own.length]
      const { status } = await service.admin('POST', `/orders/${publicId}/${what}`, {})
      expect([200, 409]).toContain(status)
    }
    await expectUnchanged(clients, closed)
  }
}

/** What was billed once reads the same for ever. */
async function expectUnchanged(clients: PartnerClient[], closed: Map<string, string>) {
  const { rows } = await sql<{ id: string; entered: string }>`
    select t.settlement_id as id,
      string_agg(t.id || e.account || e.amount_cents, ',' order by t.id, e.account) as entered
    from ledger_transactions t
    join ledger_entries e on e.transaction_id = t.id
    join settlements s on s.id = t.settlement_id
    where s.status = 'closed' and s.partner_id = any (${clients.map((c) => c.partner_id)}::text[])
    group by t.settlement_id`.execute(service.app.db)
  const now = new Map(rows.map(({ id, entered }) => [id, entered]))
  for (const [id, entered] of closed) expect(now.get(id)).toBe(entered)
  for (const [id, entered] of now) closed.set(id, entered)
}

function sum<T>(items: T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0)
}

async function expectBooksInOrder(client: PartnerClient, bps: number): Promise<void> {
  const ledger = await ledgerOf(service, {
    partnerId: client.partner_id,
    environment: 'sandbox',
  })
  const orders = must(await client.get('/orders?limit=100'), 200).body.orders
  const { settlements } = must(await client.get('/settlements?limit=100'), 200).body
  const statements: Statement[] = await Promise.all(
    settlements.map(
      async ({ id }: { id: string }) => must(await client.get(`/settlements/${id}`), 200).body,
    ),
  )

  for (const id of new Set(ledger.map((entry) => entry.id))) {
    const entries = ledger.filter((entry) => entry.id === id)
    expect(sum(entries, (entry) => entry.amount_cents)).toBe(0)
  }
  for (const order of orders) {
    const commission = Number((BigInt(order.sale_price_cents) * BigInt(bps)) / 10_000n)
    expect(order.commission_cents).toBe(commission)
    expect(order.commission_cents + order.amount_owed_cents).toBe(order.sale_price_cents)
  }

  const lines = statements.flatMap((statement) => statement.lines)
  expect(new Set(lines.map(({ public_id }) => public_id)).size).toBe(lines.length)
  const ended = orders.filter(({ status }: { status: string }) =>
    ['TRANSFER_COMPLETED', 'SETTLED', 'REFUNDED', 'CANCELLED'].includes(status),
  )
  const inLines = lines.map(({ public_id }) => public_id).toSorted()
  const inOrders = ended.map(({ public_id }: { public_id: string }) => public_id)
  expect(inLines).toEqual(inOrders.toSorted())

  for (const statement of statements) {
    const sales = statement.lines.filter(({ type }) => type === 'sale')
    const refunds = statement.lines.filter(({ type }) => type === 'refund')
    expect(statement).toMatchObject({
      order_count: sales.length,
      gross_sold_cents: sum(sales, (line) => line.gross_cents),
      commission_retained_cents: sum(sales, (line) => line.commission_cents),
      amount_owed_cents: sum(statement.lines, (line) => line.owed_cents),
      refunded_cents: sum(refunds, (line) => line.gross_cents),
    })
    expect(statement.commission_retained_cents + statement.amount_owed_cents).toBe(
      statement.gross_sold_cents,
    )
    for (const line of statement.lines) {
      const order = orders.find(
        ({ public_id }: { public_id: string }) => public_id === line.public_id,
      )
      expect(line.gross_cents).toBe(order.sale_price_cents)
      if (line.type === 'refund') expect(line).toMatchObject({ owed_cents: 0, commission_cents: 0 })
      else expect(line.owed_cents + line.commission_cents).toBe(line.gross_cents)
    }
    const own = ledger.filter(({ settlement_id }) => settlement_id === statement.id)
    const entered = (code: string, account: string) =>
      sum(
        own.filter((entry) => entry.code === code && entry.account === account),
        (entry) => entry.amount_cents,
      )
    // `+ 0`, since nothing entered is 0 and its negative is -0.
    expect(-entered('delivery', 'sales') + 0).toBe(statement.gross_sold_cents)
    expect(entered('delivery', 'partner_commission')).toBe(statement.commission_retained_cents)
    expect(entered('refund', 'undelivered_sales')).toBe(statement.refunded_cents)
    expect(entered('settlement', 'partner_receivable')).toBe(
      statement.status === 'closed' ? statement.amount_owed_cents : 0,
    )
  }

  const balance = (account: string) =>
    sum(
      ledger.filter((entry) => entry.account === account),
      (entry) => entry.amount_cents,
    )
  const waiting = orders.filter(({ status }: { status: string }) =>
    ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS'].includes(status),
  )
  const undelivered = sum(waiting, (order: { sale_price_cents: number }) => order.sale_price_cents)
  expect(-balance('undelivered_sales') + 0).toBe(undelivered)
  const open = statements.filter(({ status }) => status === 'open')
  expect(open).toHaveLength(1)
  expect(balance('partner_funds')).toBe(undelivered + sum(open, (s) => s.amount_owed_cents))
}

test('after any history the books are in order', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ rates, steps }) => {
      const clients: PartnerClient[] = []
      for (const bps of rates) clients.push(await partnerAt(bps))
      await play(clients, steps)
      for (const [index, client] of clients.entries()) {
        await expectBooksInOrder(client, rates[index] ?? 0)
      }
      const { rows } = await sql<{ total: number }>`
        select coalesce(sum(amount_cents), 0)::bigint as total from ledger_entries`.execute(
        service.app.db,
      )
      expect(rows).toEqual([{ total: 0 }])
    }),
    { numRuns: 12, endOnFailure: true },
  )
}, 180_000)

describe('the ledger of live orders is append-only', () => {
  test.each([
    'update ledger_transactions set currency = $$EUR$$',
    'update ledger_transactions set settlement_id = null',
    'update ledger_entries set amount_cents = amount_cents + 1',
    'update ledger_entries set amount_cents = 0',
    `update ledger_transactions set at = at - interval '1 day' where environment = 'live'`,
    'delete from ledger_entries',
    'delete from ledger_transactions',
    'truncate ledger_entries',
    'truncate ledger_transactions cascade',
  ])('%s fails', async (statement) => {
    const live = await service.partner({ environment: 'live' })
    const { public_id } = await sold(live, await freshName(service, 'live'))
    await operate(service, public_id, 'start', 'complete')
    const partner = { partnerId: live.partner_id, environment: 'live' } as const
    const before = await ledgerOf(service, partner)
    await expect(sql.raw(statement).execute(service.app.db)).rejects.toThrow(/ledger/)
    expect(await ledgerOf(service, partner)).toEqual(before)
  })

  test.each([
    "update ledger_transactions set currency = 'EUR'",
    'update ledger_transactions set settlement_id = null, at = at',
    'update ledger_entries set amount_cents = amount_cents + 1',
  ])('%s fails in the sandbox too, where only times may move', async (statement) => {
    const client = await service.partner()
    const { public_id } = await sold(client, await freshName(service))
    await operate(service, public_id, 'start', 'complete')
    const sandboxOnly = statement.includes('transactions')
      ? `${statement} where environment = 'sandbox'`
      : `${statement} where transaction_id in (select id from ledger_transactions where environment = 'sandbox')`
    await expect(sql.raw(sandboxOnly).execute(service.app.db)).rejects.toThrow(/ledger/)
  })

  test('and an entry that does not balance fails in any', async () => {
    const client = await service.partner()
    await sold(client, await freshName(service))
    const [entry] = await ledgerOf(service, {
      partnerId: client.partner_id,
      environment: 'sandbox',
    })
    const added = sql`insert into ledger_entries (transaction_id, account, amount_cents)
      values (${entry?.id}, 'sales', 1)`.execute(service.app.db)
    await expect(added).rejects.toThrow(/debits and credits differ/)
  })
})

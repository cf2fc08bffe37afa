import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Buyer } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { eventsOf, freshName, ledgerOf, must, operate, refusal } from '../support/market.ts'
import { repeatOrder, sold } from '../support/sale.ts'
import { startService, type TestClock, type TestService, testClock } from '../support/service.ts'

let service: TestService
let clock: TestClock
beforeAll(async () => {
  clock = testClock()
  // Mid-month, so that no monthly run falls into the tests by the calendar.
  moveTo(clock, 15)
  service = await startService({ clock })
})
afterAll(() => service.stop())

/** Moves forward to a day of the month, noon UTC. */
function moveTo(clock: TestClock, day: number): void {
  const now = clock.now()
  const month = now.getUTCMonth() + (now.getUTCDate() >= day ? 1 : 0)
  clock.advance(Date.UTC(now.getUTCFullYear(), month, day, 12) - now.getTime())
}

async function order(client: PartnerClient, priceCents: number, ...moves: string[]) {
  const domain = await freshName(service, 'sandbox', { priceCents })
  const { public_id } = await sold(client, domain)
  await operate(service, public_id, ...moves)
  return { public_id: public_id as string, domain }
}

const list = async (client: PartnerClient) =>
  must(await client.get('/settlements'), 200).body.settlements
const detail = async (client: PartnerClient, id: string) =>
  must(await client.get(`/settlements/${id}`), 200).body
const run = async (client: PartnerClient) =>
  must(await client.post('/sandbox/settlement-runs'), 201)

describe('GET /settlements', () => {
  test('shows the open period of a partner that has sold nothing', async () => {
    const client = await service.partner()
    expect(await list(client)).toEqual([
      {
        id: expect.stringMatching(/^stl_/),
        period_start: expect.any(String),
        period_end: null,
        status: 'open',
        currency: 'USD',
        order_count: 0,
        gross_sold_cents: 0,
        commission_retained_cents: 0,
        refunded_cents: 0,
        amount_owed_cents: 0,
        received_cents: 0,
        due_at: null,
        payment_status: 'nothing_due',
      },
    ])
  })

  test('counts what was delivered, lists what was refunded, and leaves out what is under way', async () => {
    const client = await service.partner()
    await order(client, 10_005, 'start', 'complete')
    await order(client, 20_000, 'start', 'complete')
    await order(client, 500, 'start', 'refund')
    await order(client, 700, 'cancel')
    await order(client, 90_000, 'start')
    await order(client, 91_000)
    const [open] = await list(client)
    expect(open).toMatchObject({
      status: 'open',
      order_count: 2,
      gross_sold_cents: 30_005,
      commission_retained_cents: 3_000,
      refunded_cents: 1_200,
      amount_owed_cents: 27_005,
    })
  })

  test('is newest first and pages with a cursor', async () => {
    const client = await service.partner()
    for (let period = 0; period < 4; period++) {
      await order(client, 1_000, 'start', 'complete')
      await run(client)
    }
    const all = await list(client)
    expect(all).toHaveLength(5)
    expect(all.map(({ status }: { status: string }) => status)).toEqual([
      'open',
      'closed',
      'closed',
      'closed',
      'closed',
    ])
    const seen: unknown[] = []
    let cursor = ''
    for (;;) {
      const { body } = must(await client.get(`/settlements?${cursor}limit=2`), 200)
      seen.push(...body.settlements)
      if (body.next_cursor === null) break
      cursor = `cursor=${body.next_cursor}&`
    }
    expect(seen).toEqual(all)
  })

  test('keeps the sums of a closed period, and reads them where they are not kept', async () => {
    const client = await service.partner()
    await order(client, 10_005, 'start', 'complete')
    await order(client, 500, 'start', 'refund')
    const { settlements } = must(await run(client), 201).body
    const kept = await list(client)
    expect(kept[1]).toEqual(settlements[0])
    expect(kept[1]).toMatchObject({ order_count: 1, gross_sold_cents: 10_005, refunded_cents: 500 })
    // As an instance of the version before leaves it.
    const { numUpdatedRows } = await service.app.db
      .updateTable('settlements')
      .set({
        order_count: null,
        gross_sold_cents: null,
        commission_retained_cents: null,
        refunded_cents: null,
      })
      .where('id', '=', kept[1].id)
      .where('order_count', '=', 1)
      .executeTakeFirstOrThrow()
    expect(numUpdatedRows).toBe(1n)
    expect(await list(client)).toEqual(kept)
  })

  test('needs the scope buy, and shows nobody else’s', async () => {
    const client = await service.partner()
    const reader = await service.partner({ scopes: ['search', 'report'] })
    const other = await service.partner()
    const live = await service.partner({ partner_id: client.partner_id, environment: 'live' })
    const [{ id }] = await list(client)
    expect(refusal(await reader.get('/settlements'))).toEqual({ status: 403, code: 'forbidden' })
    expect(refusal(await reader.get(`/settlements/${id}`)).status).toBe(403)
    expect(refusal(await other.get(`/settlements/${id}`)).status).toBe(404)
    expect(refusal(await live.get(`/settlements/${id}`)).status).toBe(404)
    expect((await list(live))[0].id).not.toBe(id)
  })

  test.each(['0', '101', '-1', '1.5', 'abc', ''])('rejects a limit of "%s"', async (limit) => {
    const client = await service.partner()
    const response = await client.get(`/settlements?limit=${limit}`)
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
  })

  test('rejects a cursor that is not its own', async () => {
    const client = await service.partner({})
    await sold(client, await freshName(service))
    await sold(client, await freshName(service))
    const { next_cursor } = (await client.get('/orders?limit=1')).body
    for (const cursor of [next_cursor, 'nonsense', '']) {
      const response = await client.get(`/settlements?cursor=${cursor}`)
      expect(refusal(response)).toEqual({ status: 400, code: 'invalid_cursor' })
    }
  })
})

describe('GET /settlements/{id}', () => {
  test('has a line for every order, the sums of which are its own', async () => {
    const client = await service.partner()
    const kept = await order(client, 10_001, 'start', 'complete')
    const refunded = await order(client, 500, 'start', 'refund')
    const [{ id }] = await list(client)
    const statement = await detail(client, id)
    const completed = (await client.get(`/orders/${kept.public_id}`)).body.transfer.completed_at
    expect(statement.lines).toEqual([
      {
        ...kept,
        type: 'sale',
        gross_cents: 10_001,
        commission_cents: 1_000,
        owed_cents: 9_001,
        completed_at: completed,
      },
      {
        ...refunded,
        type: 'refund',
        gross_cents: 500,
        commission_cents: 0,
        owed_cents: 0,
        completed_at: null,
      },
    ])
    const { lines: _, ...summary } = statement
    expect(summary).toEqual((await list(client))[0])
  })

  test('returns CSV for Accept: text/csv', async () => {
    const client = await service.partner()
    await order(client, 10_001, 'start', 'complete')
    await order(client, 500, 'refund')
    const [{ id }] = await list(client)
    const { lines } = await detail(client, id)
    const response = await client.get(`/settlements/${id}`, { headers: { accept: 'text/csv' } })
    expect(response.status).toBe(200)
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(response.headers['content-disposition']).toBe(`attachment; filename="${id}.csv"`)
    expect(response.text.split('\r\n')[0]).toBe(
      'public_id,domain,type,gross_cents,commission_cents,owed_cents,completed_at,currency',
    )
    expect(response.text.endsWith('\r\n')).toBe(true)
    const rows = parse(response.text, { columns: true })
    const texts = lines.map((line: Record<string, string | number | null>) =>
      Object.fromEntries(Object.entries(line).map(([key, value]) => [key, `${value ?? ''}`])),
    )
    expect(rows).toEqual(texts.map((line: object) => ({ ...line, currency: 'USD' })))
    for (const [accept, type] of [
      ['application/json, text/csv', 'application/json; charset=utf-8'],
      ['text/csv;q=0', 'application/json; charset=utf-8'],
      ['*/*', 'application/json; charset=utf-8'],
      ['TEXT/CSV', 'text/csv; charset=utf-8'],
      ['text/csv; charset=utf-8', 'text/csv; charset=utf-8'],
      ['application/json;q=0, text/csv', 'text/csv; charset=utf-8'],
      ['text/csv, */*;q=0.1', 'text/csv; charset=utf-8'],
    ] as const) {
      const { headers } = await client.get(`/settlements/${id}`, { headers: { accept } })
      expect(headers['content-type'], accept).toBe(type)
    }
  })

  test('an unknown one is not found', async () => {
    const client = await service.partner()
    for (const id of ['stl_00000000000000000000000000', 'nonsense', '%00']) {
      const { status } = await client.get(`/settlements/${id}`)
      expect([400, 404]).toContain(status)
    }
  })
})

describe('a settlement run', () => {
  test('closes the period up to now, settles what was delivered and opens the next', async () => {
    const client = await service.partner()
    const delivered = await order(client, 10_000, 'start', 'complete')
    const underway = await order(client, 20_000, 'start')
    const [before] = await list(client)
    const response = await run(client)
    expect(response.body).toMatchObject({
      order_count: 1,
      settlements: [{ id: before.id, status: 'closed', amount_owed_cents: 9_000 }],
    })
    const [open, closed] = await list(client)
    expect(closed).toEqual({
      ...before,
      status: 'closed',
      period_end: response.body.settlements[0].period_end,
      due_at: response.body.settlements[0].due_at,
      payment_status: 'due',
    })
    expect(open).toMatchObject({ status: 'open', order_count: 0, period_start: closed.period_end })
    expect((await client.get(`/orders/${delivered.public_id}`)).body.status).toBe('SETTLED')
    expect((await client.get(`/orders/${underway.public_id}`)).body.status).toBe(
      'TRANSFER_IN_PROGRESS',
    )
    const settled = (await eventsOf(client)).filter(({ type }) => type === 'order.settled')
    expect(settled.map(({ data }) => data.order)).toEqual([
      {
        ...delivered,
        status: 'SETTLED',
        sale_price_cents: 10_000,
        currency: 'USD',
      },
    ])
  })

  test('a second one closes nothing, and the statement of the first stands', async () => {
    const client = await service.partner()
    await order(client, 10_000, 'start', 'complete')
    const first = await run(client)
    const [{ id }] = first.body.settlements
    const closed = await detail(client, id)
    const ledger = await ledgerOf(service, {
      partnerId: client.partner_id,
      environment: 'sandbox',
    })
    expect((await run(client)).body).toEqual({ settlements: [], order_count: 0 })
    await order(client, 30_000, 'start', 'complete')
    await run(client)
    expect(await detail(client, id)).toEqual(closed)
    const after = await ledgerOf(service, {
      partnerId: client.partner_id,
      environment: 'sandbox',
    })
    expect(after.slice(0, ledger.length)).toEqual(ledger)
  })

  test('settles more than one statement has time for', async () => {
    const client = await service.partner()
    await repeatOrder(service, await order(client, 10_000, 'start', 'complete'), 5001)
    const { body } = await run(client)
    expect(body.order_count).toBe(5002)
    const { rows } = await sql`select count(distinct data -> 'order' ->> 'public_id')::int as told,
        max(position)::int as position, (select sum(count)::int from sale_days
          where partner_id = ${client.partner_id} and status = 'SETTLED') as counted
      from events where partner_id = ${client.partner_id} and type = 'order.settled'`.execute(
      service.app.db,
    )
    expect(rows).toEqual([{ told: 5002, position: 3 + 5002, counted: 5002 }])
  })

  test('bills what is owed in the ledger', async () => {
    const client = await service.partner()
    await order(client, 10_000, 'start', 'complete')
    const { settlements } = (await run(client)).body
    const ledger = await ledgerOf(service, {
      partnerId: client.partner_id,
      environment: 'sandbox',
    })
    expect(
      ledger
        .filter(({ source }) => source === settlements[0].id)
        .map(({ code, account, amount_cents }) => [code, account, amount_cents]),
    ).toEqual([
      ['settlement', 'partner_funds', -9_000],
      ['settlement', 'partner_receivable', 9_000],
    ])
  })

  test('settles what the marketplace collected, though the period owes nothing', async () => {
    const client = await service.partner()
    const domain = await freshName(service)
    const made = must(await client.post('/checkout-session', { domain }), 201).body
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url)
    await operate(service, buyer.publicId ?? '', 'start', 'complete')
    const { body } = await run(client)
    expect(body).toMatchObject({ order_count: 1, settlements: [{ amount_owed_cents: 0 }] })
    const settled = must(await client.get(`/orders/${buyer.publicId}`), 200).body
    expect(settled.status).toBe('SETTLED')
  })

  test('of a period with refunds alone owes nothing and settles nothing', async () => {
    const client = await service.partner()
    await order(client, 10_000, 'refund')
    expect((await run(client)).body).toMatchObject({
      order_count: 0,
      settlements: [{ refunded_cents: 10_000, gross_sold_cents: 0, amount_owed_cents: 0 }],
    })
  })

  test('an order completed in the next period is in the next statement', async () => {
    const client = await service.partner()
    const late = await order(client, 10_000, 'start')
    await order(client, 20_000, 'start', 'complete')
    await run(client)
    clock.advance(1_000)
    await operate(service, late.public_id, 'complete')
    const { settlements } = (await run(client)).body
    expect(settlements).toHaveLength(1)
    expect((await detail(client, settlements[0].id)).lines).toMatchObject([late])
  })
})

describe('the monthly run', () => {
  const JOB_MS = 5_000
  /** The job looks every hour by the clock; its ticks are real. */
  async function untilJobRan(): Promise<void> {
    const due = async () =>
      (
        await service.app.db
          .selectFrom('scheduled_jobs')
          .select('finished_at')
          .where('name', '=', 'monthly_settlement')
          .executeTakeFirst()
      )?.finished_at
    const earlier = clock.now().getTime()
    await expect
      .poll(async () => ((await due())?.getTime() ?? 0) >= earlier - 1, {
        timeout: JOB_MS,
      })
      .toBe(true)
  }

  test('closes the periods of all partners in both environments once the month is over', async () => {
    const client = await service.partner()
    const live = await service.partner({ environment: 'live' })
    await order(client, 10_000, 'start', 'complete')
    const domain = await freshName(service, 'live')
    const { public_id } = await sold(live, domain)
    await operate(service, public_id, 'start', 'complete')
    clock.advance(5 * 3_600_000)
    await untilJobRan()
    expect((await list(client))[0]).toMatchObject({ status: 'open', order_count: 1 })

    moveTo(clock, 1)
    await untilJobRan()
    for (const partner of [client, live]) {
      expect(await list(partner)).toMatchObject([
        { status: 'open', order_count: 0 },
        { status: 'closed', order_count: 1, amount_owed_cents: 9_000 },
      ])
    }
    expect((await live.get(`/orders/${public_id}`)).body.status).toBe('SETTLED')
  })

  test('closes all but the period that cannot be closed', async () => {
    const clients = [await service.partner(), await service.partner(), await service.partner()]
    for (const client of clients) await order(client, 10_000, 'start', 'complete')
    const [, broken] = clients
    const moveStream = (by: number) =>
      service.app.db
        .updateTable('event_streams')
        .set((stream) => ({ last_position: stream('last_position', '+', by) }))
        .where('partner_id', '=', broken?.partner_id ?? '')
        .execute()
    // The event that reports its order would have a position that is taken.
    await moveStream(-1)
    moveTo(clock, 1)
    await untilJobRan()
    const all = await Promise.all(clients.map(list))
    expect(all.map((periods) => periods.length)).toEqual([2, 1, 2])
    await moveStream(1)
  })

  test('leaves what was delivered this month for the next, however old the period', async () => {
    const idle = await service.partner()
    moveTo(clock, 1)
    await untilJobRan()
    await order(idle, 10_000, 'start', 'complete')
    const domain = await freshName(service)
    const buyer = new Buyer(service)
    await buyer.pay(must(await idle.post('/checkout-session', { domain }), 201).body.checkout_url)
    await operate(service, buyer.publicId ?? '', 'start', 'complete')
    const statuses = async () => {
      const { orders } = must(await idle.get('/orders'), 200).body
      return orders.map(({ status }: { status: string }) => status)
    }
    clock.advance(2 * 3_600_000)
    await untilJobRan()
    expect(await statuses()).toEqual(['TRANSFER_COMPLETED', 'TRANSFER_COMPLETED'])
    moveTo(clock, 1)
    await untilJobRan()
    expect(await statuses()).toEqual(['SETTLED', 'SETTLED'])
  })
})

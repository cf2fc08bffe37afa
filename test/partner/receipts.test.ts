import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { remindOverdue } from '../../src/domain/settlements/overdue.ts'
import { DAY } from '../../src/lib/clock.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, ledgerOf, mailsTo, must, operate } from '../support/market.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService({
    settings: { settlementSchedule: 'manual', overdueHoldDays: 3 },
  })
  partner = await service.partner({ environment: 'live' })
})
afterAll(() => service.stop())

async function emailOf({ partner_id }: PartnerClient): Promise<string> {
  return must(await service.admin('GET', `/partners/${partner_id}`), 200).body.email
}

const never = new AbortController().signal

async function closed(client: PartnerClient = partner): Promise<string> {
  const { public_id } = await sold(client, await freshName(service, 'live'))
  await operate(service, public_id, 'start', 'complete')
  const run = must(await service.admin('POST', '/settlement-runs', { environment: 'live' }), 201)
  return run.body.settlements[0].id
}
const receive = (id: string, amount_cents: number, reference: string, at?: string | null) =>
  service.admin('POST', `/settlements/${id}/receipts`, { amount_cents, reference, at })
const statement = async (id: string) => must(await partner.get(`/settlements/${id}`), 200).body
const balanceOf = async (account: string) => {
  const lines = await ledgerOf(service, { partnerId: partner.partner_id, environment: 'live' })
  return lines
    .filter((line) => line.account === account)
    .reduce((sum, { amount_cents }) => sum + amount_cents, 0)
}

describe('what a partner pays of a statement', () => {
  let first: string
  test('is due after STATEMENT_DUE_DAYS, part paid, and paid', async () => {
    first = await closed()
    const due = await statement(first)
    expect(due).toMatchObject({
      received_cents: 0,
      payment_status: 'due',
      amount_owed_cents: 9_000,
    })
    expect(Date.parse(due.due_at) - Date.parse(due.period_end)).toBe(14 * DAY)
    expect(await balanceOf('partner_receivable')).toBe(9_000)
    const part = must(await receive(first, 4_000, 'wire 1'), 201).body
    expect(part).toMatchObject({ received_cents: 4_000, payment_status: 'part_paid' })
    expect((await statement(first)).payment_status).toBe('part_paid')
    expect(await balanceOf('partner_receivable')).toBe(5_000)
    expect(await balanceOf('bank_receipts')).toBe(4_000)
  })

  test('is recorded once, by its reference', async () => {
    const again = must(await receive(first, 4_000, 'wire 1'), 409).body.error
    expect(again.details.reason).toBe('already_exists')
    expect((await statement(first)).received_cents).toBe(4_000)
  })

  test('stays as credit for the next where it is too much', async () => {
    must(await receive(first, 6_500, 'wire 2'), 201)
    expect(await statement(first)).toMatchObject({ received_cents: 9_000, payment_status: 'paid' })
    const second = await closed()
    expect(await statement(second)).toMatchObject({
      received_cents: 1_500,
      payment_status: 'part_paid',
    })
    must(await receive(second, 20_000, 'wire 3'), 201)
    expect((await statement(second)).payment_status).toBe('paid')
    const { settlements } = must(await partner.get('/settlements'), 200).body
    expect(settlements[0]).toMatchObject({
      status: 'open',
      received_cents: 12_500,
      payment_status: 'nothing_due',
      due_at: null,
    })
    const third = await closed()
    expect(await statement(third)).toMatchObject({ received_cents: 9_000, payment_status: 'paid' })
    const all = must(await partner.get('/settlements'), 200).body.settlements
    const sum = all.reduce((total: number, each: any) => total + each.received_cents, 0)
    expect(sum).toBe(await balanceOf('bank_receipts'))
  })

  test('is of a closed statement that there is', async () => {
    const { settlements } = must(await partner.get('/settlements'), 200).body
    must(await receive(settlements[0].id, 1, 'early'), 409)
    must(await receive('stl_none', 1, 'nobody'), 404)
    must(await receive(first, 0, 'nothing'), 400)
  })

  test('arrived by now; without a time it arrived just now', async () => {
    const id = await closed()
    const now = service.clock.now()
    const tomorrow = new Date(now.getTime() + DAY).toISOString()
    for (const at of [tomorrow, tomorrow.slice(0, 10), '2090-01-01']) {
      const { details } = must(await receive(id, 1, 'ahead', at), 400).body.error
      expect(details).toEqual([{ field: 'at', issue: 'must not be in the future' }])
    }
    const yesterday = new Date(now.getTime() - DAY)
    must(await receive(id, 1, 'yesterday', yesterday.toISOString()), 201)
    must(await receive(id, 8_999, 'now', null), 201)
    const kept = await service.app.db
      .selectFrom('settlement_receipts')
      .select(['reference', 'received_at'])
      .where('settlement_id', '=', id)
      .execute()
    const times = new Map(kept.map(({ reference, received_at }) => [reference, received_at]))
    expect(times.get('yesterday')).toEqual(yesterday)
    expect(times.get('now')?.getTime()).toBeGreaterThanOrEqual(now.getTime())
  })
})

describe('a statement that is not paid in time', () => {
  test('is listed, reminded of by mail, and holds new orders after OVERDUE_HOLD_DAYS', async () => {
    const late = await service.partner({ environment: 'live' })
    const id = await closed(late)
    service.clock.advance(15 * DAY)
    const { settlements } = must(
      await service.admin('GET', '/settlements?environment=live&overdue=true'),
      200,
    ).body
    expect(settlements.map((each: { id: string }) => each.id)).toEqual([id])
    expect(settlements[0].payment_status).toBe('overdue')
    await remindOverdue.run(service.app, never)
    await remindOverdue.run(service.app, never)
    const reminders = async () =>
      (await mailsTo(service, await emailOf(late))).filter((subject) => subject.includes('was due'))
    expect(await reminders()).toHaveLength(1)
    expect((await sold(late, await freshName(service, 'live'))).held).toBe(false)
    service.clock.advance(3 * DAY)
    const held = await sold(late, await freshName(service, 'live'))
    expect(held).toMatchObject({ held: true, hold_reason: 'statement_overdue' })
    service.clock.advance(5 * DAY)
    await remindOverdue.run(service.app, never)
    expect(await reminders()).toHaveLength(2)
    must(await receive(id, 9_000, 'late wire'), 201)
    expect((await sold(late, await freshName(service, 'live'))).held).toBe(false)
  })
})

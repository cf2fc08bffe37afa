import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { tellAlerts } from '../../src/domain/alerts/tell-alerts.ts'
import { after, HOUR, MINUTE } from '../../src/lib/clock.ts'
import { Buyer } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { earned } from '../support/earnings.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { freshName, mailsTo, must, operate } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { closeReceivers, type Receiver, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
const EMAIL = 'duty@example.com'
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

let receiver: Receiver
let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  receiver = await startReceiver()
  service = await startService({
    settings: {
      alerts: { email: EMAIL, webhook: { url: receiver.url, secret: SECRET }, sandbox: false },
      review: { overCents: 500_000, firstLiveOrders: 0 },
    },
  })
  partner = await service.partner({ environment: 'live' })
})
afterAll(async () => {
  await service.stop()
  closeReceivers()
})

async function told() {
  await tellAlerts.run(service.app, new AbortController().signal)
  // The service's own job may have taken some of them.
  const untried = () =>
    service.app.db
      .selectFrom('alerts')
      .select('alert_id')
      .where((row) =>
        row.or([
          row('handled_at', 'is', null),
          row.and([row('due_at', 'is not', null), row('attempts', '=', 0)]),
        ]),
      )
      .execute()
  await expect.poll(untried, { timeout: 20_000 }).toEqual([])
  return receiver.got.map(({ event }) => event as { type: string; data: Record<string, unknown> })
}
const of = async (type: string) => (await told()).filter((alert) => alert.type === type)

describe('an alert', () => {
  test('of an order is mailed and posted, signed, with its id', async () => {
    const order = await sold(partner, await freshName(service, 'live'))
    const [alert] = await of('alert.order_paid')
    expect(alert).toMatchObject({
      type: 'alert.order_paid',
      timestamp: expect.stringMatching(/Z$/),
      data: { public_id: order.public_id, domain: order.domain, amount_cents: 10_000 },
    })
    const [{ headers, body } = { headers: {} as Record<string, string>, body: '' }] = receiver.got
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
    const digest = createHmac('sha256', Buffer.alloc(32, 3)).update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${digest}`)
    expect(await mailsTo(service, EMAIL)).toEqual(['An order was paid'])
    expect(await of('alert.order_paid')).toHaveLength(1)
  })

  test('is not raised for the sandbox, unless that is set', async () => {
    const sandbox = await service.partner()
    await sold(sandbox, await freshName(service))
    expect(await of('alert.order_paid')).toHaveLength(1)
    const { alerts } = service.app.settings
    service.app.settings.alerts = { ...alerts, sandbox: true }
    await sold(sandbox, await freshName(service))
    expect(await of('alert.order_paid')).toHaveLength(2)
    service.app.settings.alerts = alerts
  })

  test('of a held order, a failed transfer and a stalled one', async () => {
    const held = await sold(partner, await freshName(service, 'live', { priceCents: 600_000 }))
    expect((await of('alert.order_held')).at(-1)?.data).toMatchObject({
      public_id: held.public_id,
      hold_reason: 'high_price',
    })
    await operate(service, held.public_id, 'clear', 'start', 'fail')
    expect((await of('alert.order_held')).at(-1)?.data).toMatchObject({
      hold_reason: 'transfer_failed',
    })
    const { public_id } = await sold(partner, await freshName(service, 'live'))
    await operate(service, public_id, 'start')
    await vi.waitFor(
      async () => {
        service.clock.advance(3_000)
        const { transfer } = must(await partner.get(`/orders/${public_id}`), 200).body
        expect(transfer.expected_by).not.toBeNull()
      },
      { timeout: 20_000, interval: 300 },
    )
    await service.app.db
      .updateTable('orders')
      .set({ stalled_at: service.clock.now() })
      .where('public_id', '=', public_id)
      .execute()
    const order = must(await partner.get(`/orders/${public_id}`), 200).body
    expect(order.transfer.expected_by).toMatch(TIMESTAMP)
    expect(await of('alert.transfer_stalled')).toMatchObject([
      { data: { public_id, expected_by: order.transfer.expected_by } },
    ])
  })

  test('of a dispute, a refund that failed and a payout that failed', async () => {
    const domain = await freshName(service, 'live')
    const made = must(await partner.post('/checkout-session', { domain }), 201).body
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url)
    const { payments } = must(
      await service.admin('GET', `/payments?public_id=${buyer.publicId}`),
      200,
    ).body
    const id: string = payments[0].id
    must(await service.admin('POST', `/payments/${id}/play/dispute`), 200)
    expect(await of('alert.dispute_opened')).toMatchObject([{ data: { payment_id: id } }])
    // As Stripe's, which say until when evidence is taken.
    const [known] = await service.app.db.selectFrom('disputes').selectAll().execute()
    if (!known) throw new Error('There is no dispute.')
    const due_at = after(service.clock.now(), HOUR)
    const stripes = { ...known, id: `${known.id}2`, provider_ref: 'dp_2', due_at }
    await service.app.db.insertInto('disputes').values(stripes).execute()
    expect((await of('alert.dispute_opened')).at(-1)?.data).toMatchObject({
      dispute_id: stripes.id,
      due_at: due_at.toISOString(),
    })
    await service.app.db
      .updateTable('payments')
      .set({ status: 'refund_failed' })
      .where('id', '=', id)
      .execute()
    expect(await of('alert.refund_failed')).toMatchObject([{ data: { payment_id: id } }])
    await earned(service, partner, 'live', 1_000)
    const { payouts } = must(
      await service.admin('POST', '/payouts', { environment: 'live' }),
      201,
    ).body
    must(
      await service.admin('POST', `/payouts/${payouts[0].id}/fail`, { reason: 'AC04: closed' }),
      200,
    )
    expect(await of('alert.payout_failed')).toMatchObject([
      { data: { payout_id: payouts[0].id, reason: 'AC04: closed' } },
    ])
  })

  test('of a job comes once an hour, however often it fails', async () => {
    const fail = async (error: string) => {
      await service.app.db
        .updateTable('scheduled_jobs')
        .set({ error, finished_at: service.clock.now() })
        .where('name', '=', 'read_labels')
        .execute()
    }
    await service.app.db
      .insertInto('scheduled_jobs')
      .values({ name: 'read_labels', due_at: new Date(Date.now() + 10 * HOUR) })
      .onConflict((known) => known.doNothing())
      .execute()
    await fail('broken')
    await fail('still broken')
    expect(await of('alert.job_failed')).toMatchObject([
      { data: { job: 'read_labels', error: 'broken' } },
    ])
    service.clock.advance(HOUR + MINUTE)
    await fail('broken again')
    expect(await of('alert.job_failed')).toHaveLength(2)
  })

  test('of two users who claim one domain', async () => {
    await makeUser(service, 'owner@example.com', ['claimed-twice.com'])
    await makeUser(service, 'rival@example.com')
    const { token } = must(
      await service.admin('POST', '/user-tokens', { email: 'rival@example.com' }),
      201,
    ).body
    const rival = readerOf(() => service, token)
    must(await rival.post('/api/domains/claims', { domains: ['claimed-twice.com'] }), 200)
    expect(await of('alert.claim_conflict')).toMatchObject([
      { data: { domain: 'claimed-twice.com' } },
    ])
  })

  test('of claims that nothing proves comes once an hour for each user, however many they are', async () => {
    const names = ['many-1.com', 'many-2.com', 'many-3.com']
    await makeUser(service, 'holder@example.com', names)
    const user_id = await makeUser(service, 'claims-all@example.com')
    const { token } = must(
      await service.admin('POST', '/user-tokens', { email: 'claims-all@example.com' }),
      201,
    ).body
    const claimant = readerOf(() => service, token)
    const claim = async (...domains: string[]) =>
      must(await claimant.post('/api/domains/claims', { domains }), 200)
    const theirs = async () =>
      (await of('alert.claim_conflict')).filter(({ data }) => data.user_id === user_id)
    await claim('many-1.com', 'many-2.com')
    await claim('many-3.com')
    expect(await theirs()).toMatchObject([{ data: { domain: 'many-1.com', user_id } }])
    await told()
    const { mails } = must(await service.admin('GET', `/mails?to=${EMAIL}`), 200).body
    expect(mails[0].text).toContain('may claim more domains of others')
    service.clock.advance(HOUR + MINUTE)
    await claim('many-3.com')
    expect(await theirs()).toMatchObject([{}, { data: { domain: 'many-3.com' } }])
  })

  test('is mailed without waiting for all that a slow webhook has yet to take', async () => {
    await told()
    const release = await holdJobs(service, tellAlerts)
    const held: ServerResponse[] = []
    receiver.answer((response) => held.push(response))
    const before = receiver.got.length
    const raise = (name: string) =>
      sql`select raise_alert('live', 'alert.job_failed', ${name}, ${JSON.stringify({ job: name })}::jsonb,
        ${service.clock.now()}::timestamptz)`.execute(service.app.db)
    for (let count = 1; count <= 9; count++) await raise(`slow_${count}`)
    const run = tellAlerts.run(service.app, new AbortController().signal)
    await receiver.until(before + 8)
    await raise('late')
    for (const response of held.splice(0)) response.end()
    // The ninth, and the late one.
    await receiver.until(before + 10)
    const { mails } = must(await service.admin('GET', `/mails?to=${EMAIL}&limit=1`), 200).body
    expect(mails[0].text).toContain('late')
    for (const response of held) response.end()
    receiver.answer(200)
    await run
    await release()
  })

  test('that does not arrive is posted again, with the same id', async () => {
    await told()
    const before = receiver.got.length
    receiver.answer(500)
    await sold(partner, await freshName(service, 'live'))
    await told()
    receiver.answer(200)
    await told()
    expect(receiver.got).toHaveLength(before + 1)
    service.clock.advance(10_000)
    await told()
    await told()
    const [first, second, ...more] = receiver.got.slice(before)
    expect(more).toEqual([])
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  })
})

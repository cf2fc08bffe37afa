import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Buyer } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { must } from '../support/market.ts'
import {
  cleanUp,
  cli,
  clientFor,
  preparedFolder,
  printedCredential,
  type Running,
  start,
} from '../support/process.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

let folder: string
let service: Running
let demo: PartnerClient

beforeAll(async () => {
  folder = await preparedFolder()
  service = await start({ DATA_DIR: folder })
  const credential = printedCredential(service.stdout())
  if (!credential) throw new Error('no credential')
  demo = clientFor(service, credential)
})
afterAll(cleanUp)

/** The response of a command that succeeds: one line of JSON on stdout, nothing else anywhere. */
async function run(...args: string[]) {
  const { code, stdout, stderr } = await cli([...args, '--json'], { DATA_DIR: folder })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^\{[^\n]*\}\n$/)
  return JSON.parse(stdout)
}

/** An error: one line on stderr, nothing on stdout, a non-zero exit. */
async function rejected(args: string[], says: RegExp) {
  const { code, stdout, stderr } = await cli(args, { DATA_DIR: folder })
  expect(stderr).toMatch(/^[^\n]+\n$/)
  expect(stderr).toMatch(says)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
}

/** A sale of the demo partner through its own checkout link; returns the order's id. */
async function sellByLink(domain: string): Promise<string> {
  const made = must(await demo.post('/checkout-session', { domain }), 201).body
  const buyer = new Buyer(service)
  await buyer.pay(made.checkout_url)
  if (!buyer.publicId) throw new Error(`not sold: ${buyer.page.text}`)
  return buyer.publicId
}

describe('payout', () => {
  test('pays what is payable; what failed is in the next one again', async () => {
    await sellByLink('3dprintshop.test')
    const { balance_cents: owed } = must(await demo.get('/me/commissions'), 200).body
    expect(owed).toBeGreaterThan(0)

    const first = await run('payout', 'create', '--env', 'sandbox')
    expect(first).toMatchObject({ count: 1, total_cents: owed })
    const [payout] = first.payouts
    expect(payout).toMatchObject({
      id: expect.stringMatching(/^po_/),
      amount_cents: owed,
      currency: 'USD',
      status: 'pending',
      kind: 'commission',
      environment: 'sandbox',
      paid_at: null,
    })
    expect(await run('payout', 'create', '--env', 'sandbox')).toMatchObject({ count: 0 })
    expect(await run('payout', 'create', '--env', 'live')).toMatchObject({ count: 0 })

    expect(await run('payout', 'fail', payout.id, '--reason', 'Account closed')).toMatchObject({
      status: 'failed',
      reason: 'Account closed',
    })
    await rejected(['payout', 'paid', payout.id], /^conflict: .*failed/)
    expect(must(await demo.get('/me/commissions'), 200).body.balance_cents).toBe(owed)

    const [second] = (await run('payout', 'create', '--env', 'sandbox')).payouts
    expect(await run('payout', 'cancel', second.id)).toMatchObject({ status: 'canceled' })
    const [third] = (await run('payout', 'create', '--env', 'sandbox')).payouts
    expect(await run('payout', 'process', third.id)).toMatchObject({ status: 'processing' })
    await rejected(['payout', 'cancel', third.id], /^conflict: .*processing/)
    expect(await run('payout', 'paid', third.id)).toMatchObject({
      status: 'paid',
      paid_at: expect.any(String),
    })
    await rejected(['payout', 'paid', third.id], /^conflict: .*paid/)
    const { total_paid_cents, payouts } = must(await demo.get('/payouts'), 200).body
    expect(total_paid_cents).toBe(owed)
    expect(payouts.map(({ status }: { status: string }) => status)).toEqual([
      'paid',
      'canceled',
      'failed',
    ])
    expect(must(await demo.get('/me/commissions'), 200).body.balance_cents).toBe(0)
  })

  test('lists, by status or all', async () => {
    const { payouts } = await run('payout', 'list', '--status', 'paid')
    expect(payouts.map(({ status }: { status: string }) => status)).toEqual(['paid'])
    expect((await run('payout', 'list')).payouts).toHaveLength(3)
    await rejected(['payout', 'list', '--status', 'gone'], /^validation_error: status/)
  })

  test('says what it does not understand', async () => {
    await rejected(['payout', 'create'], /--env/)
    await rejected(['payout', 'create', '--env', 'moon'], /'moon' is invalid/)
    await rejected(['payout', 'paid'], /missing required argument/)
    await rejected(['payout', 'paid', 'po_none'], /^not_found: /)
    await rejected(['payout', 'explode', 'po_none'], /unknown command 'explode'/)
  })
})

describe('payment', () => {
  test('a dispute is played, seen and lost', async () => {
    const publicId = await sellByLink('360views.example')
    const { payments } = await run('payment', 'list', '--order', publicId)
    const [{ id }] = payments
    expect(payments).toMatchObject([{ public_id: publicId, provider: 'test', status: 'succeeded' }])
    expect(await run('payment', 'play', id, 'dispute')).toMatchObject({ status: 'disputed' })
    const { disputes } = await run('payment', 'disputes', '--status', 'needs_response')
    expect(disputes).toMatchObject([{ payment_id: id, public_id: publicId }])
    await rejected(['order', 'refund', publicId], /^conflict: The bank of the buyer/)
    expect(await run('payment', 'play', id, 'lose-dispute')).toMatchObject({
      status: 'charged_back',
    })
    await rejected(['payment', 'play', id, 'dispute'], /^conflict: .*charged_back/)
    expect(await run('order', 'cancel', publicId)).toMatchObject({ status: 'CANCELLED' })
  })

  test('a refund that does not arrive is sent again, and then paid otherwise', async () => {
    const publicId = await sellByLink('360views.example')
    await run('order', 'refund', publicId)
    const [{ id }] = (await run('payment', 'list', '--order', publicId)).payments
    await vi.waitFor(
      async () => {
        const { payments } = await run('payment', 'list', '--status', 'refunded')
        expect(payments.map((payment: { id: string }) => payment.id)).toContain(id)
      },
      { timeout: 30_000, interval: 500 },
    )
    await run('payment', 'play', id, 'fail-refund')
    const { payments } = await run('payment', 'list', '--status', 'refund_failed')
    expect(payments).toMatchObject([{ id, refund_note: 'expired_or_canceled_card' }])
    expect(await run('payment', 'retry-refund', id)).toMatchObject({ status: 'refund_due' })
    await rejected(['payment', 'refund-paid', id], /^conflict: /)
    await vi.waitFor(() => run('payment', 'play', id, 'fail-refund'), {
      timeout: 30_000,
      interval: 500,
    })
    expect(await run('payment', 'refund-paid', id, '--note', 'By bank')).toMatchObject({
      status: 'refunded',
      refund_note: 'By bank',
    })
  })
})

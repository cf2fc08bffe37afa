import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DAY } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { openCase } from '../support/brokerage.ts'
import { Buyer } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must, offer, operate } from '../support/market.ts'
import { Operator } from '../support/operator.ts'
import { sell, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
let olga: Operator
beforeAll(async () => {
  service = await startService({
    settings: {
      settlementSchedule: 'manual',
      payoutSchedule: 'manual',
      review: { overCents: 500_000, firstLiveOrders: 0 },
    },
  })
  partner = await service.partner({ environment: 'live', affiliate: true })
  olga = await Operator.enter(service)
})
afterAll(() => service.stop())

const order = async (id: string) => must(await service.admin('GET', `/orders/${id}`), 200).body
const lastEntry = async () =>
  must(await service.admin('GET', '/audit-entries?limit=1'), 200).body.entries[0]

describe('orders', () => {
  test('are reviewed: approved with a click, and a second click changes nothing', async () => {
    await offer(service, 'live', ['dear-name.test'], 900_000)
    const { public_id } = await sold(partner, 'dear-name.test')
    await olga.visit('/operator/review')
    expect(olga.page.text).toContain('above the review price')
    const [form] = olga.forms('operate_order', { public_id, move: 'clear' })
    if (!form) throw new Error('nothing to approve')
    await olga.send(form)
    expect(olga.notice).toContain('The order of dear-name.test is now externally paid.')
    expect(olga.page.text).not.toContain(public_id + '"')
    expect(await lastEntry()).toMatchObject({
      actor: olga.email,
      user_id: olga.userId,
      operation: 'operate_order',
      subject: public_id,
      outcome: 'done',
    })
    const { timeline } = await order(public_id)
    await olga.send(form)
    expect(olga.notice).toContain('The order of dear-name.test is now externally paid.')
    expect((await order(public_id)).timeline).toEqual(timeline)
  })

  test('go their way from the page of the order, and what is not open is explained', async () => {
    const { public_id } = await sold(partner, await freshName(service, 'live'))
    await olga.visit(`/operator/orders/${public_id}`)
    const stale = olga.forms('operate_order')[0]
    if (!stale) throw new Error('no form')
    await olga.submit('operate_order', { move: 'start', reason: 'To the registrar.' })
    expect((await order(public_id)).timeline.at(-1)).toMatchObject({ note: 'To the registrar.' })
    await olga.submit('operate_order', { move: 'complete' })
    expect((await order(public_id)).status).toBe('TRANSFER_COMPLETED')
    expect(olga.page.text).toContain('Nothing is left to do')
    // As from a page that was open since yesterday: another key, an old state.
    const late = { ...stale, fields: stale.fields.filter(([name]) => name !== 'once') }
    await olga.send(late, { move: 'start', reason: 'Again.' })
    expect(olga.page.status).toBe(409)
    expect(olga.notice).toBe('This order is transfer completed by now: this can no longer be done.')
    expect(await lastEntry()).toMatchObject({ outcome: 'conflict', actor: olga.email })
  })

  test('are listed without a filter that there is not', async () => {
    await olga.visit('/operator/orders?status=nope')
    expect(olga.page.status).toBe(400)
    expect(olga.page.text).toMatch(
      /Status must be [a-z, ]*transfer in progress[a-z, ]* or [a-z ]+\./,
    )
    expect(olga.page.text).toContain('<a href="/operator/orders">')
  })

  test('are taken back with a reason', async () => {
    const { public_id } = await sold(partner, await freshName(service, 'live'))
    await olga.visit(`/operator/orders/${public_id}`)
    await olga.submit('operate_order', { refund_reason: 'fraudulent' }, { move: 'cancel' })
    expect(await order(public_id)).toMatchObject({ status: 'CANCELLED' })
  })

  test('are found by domain, id, status and partner, also when taken back', async () => {
    const domain = await freshName(service, 'live')
    const first = await sold(partner, domain)
    must(await service.admin('POST', `/orders/${first.public_id}/cancel`, {}), 200)
    const second = await sold(partner, domain)
    const found = async (query: string) => {
      await olga.visit(`/operator/orders?${query}`)
      return [...olga.page.text.matchAll(/\/operator\/orders\/(ord_\w+)/g)].map(([, id]) => id)
    }
    expect(await found(`q=${domain}`)).toEqual([second.public_id, first.public_id])
    expect(await found(`q=${domain}&status=CANCELLED`)).toEqual([first.public_id])
    expect(await found(`q=${first.public_id}`)).toEqual([first.public_id])
    expect(await found(`status=CANCELLED&partner_id=${partner.partner_id}`)).toContain(
      first.public_id,
    )
    expect(await found(`q=${domain}&environment=sandbox`)).toEqual([])
    expect(await found('q=nowhere.test')).toEqual([])
    expect(olga.page.text).toContain('No results')
  })
})

describe('settlement runs', () => {
  const closed = async () =>
    must(await service.admin('GET', '/settlements?status=closed'), 200).body.settlements.length

  test('are shown before they close, and close what was shown or nothing', async () => {
    const client = await service.partner({ environment: 'live' })
    const deliver = async () => {
      const { public_id } = await sold(client, await freshName(service, 'live'))
      await operate(service, public_id, 'start', 'complete')
    }
    await deliver()
    await olga.visit('/operator/settlements')
    const [seen] = olga.forms('run_settlement')
    if (!seen) throw new Error('no preview')
    await deliver()
    const before = await closed()
    await olga.send(seen)
    expect(olga.page.status).toBe(409)
    expect(olga.notice).toContain('nothing was closed')
    expect(await closed()).toBe(before)
    // The page that says so has the new preview.
    await olga.submit('run_settlement')
    expect(olga.notice).toMatch(/statements? closed, with \d+ orders?\./)
    expect(await closed()).toBeGreaterThan(before)
    await olga.visit('/operator/settlements')
    expect(olga.page.text).toContain('Nothing to close')
    const [id] = /stl_\w{26}/.exec(olga.page.text) ?? []
    const file = await olga.visit(`/operator/settlements/${id}/lines.csv`)
    expect(file.headers['content-type']).toContain('text/csv')
    expect(file.text).toContain('public_id,domain,type')
    expect((await olga.visit(`/operator/settlements/${id}`)).status).toBe(200)
  })
})

test('a payment is recorded in the currency of its statement', async () => {
  await service.list('live', 'yen-statement.com,500000,,JPY\ndinar-statement.com,500000,,KWD')
  const client = await service.partner({ environment: 'live' })
  for (const domain of ['yen-statement.com', 'dinar-statement.com']) {
    const currency = domain.startsWith('yen') ? 'JPY' : 'KWD'
    const sale = must(await sell(client, domain, { currency }), 201).body
    await operate(service, sale.public_id, 'start', 'complete')
  }
  const run = must(await service.admin('POST', '/settlement-runs', { environment: 'live' }), 201)
  const received = async (currency: string, amount_amount: string) => {
    const { id } = run.body.settlements.find(
      (each: { currency: string }) => each.currency === currency,
    )
    await olga.visit(`/operator/settlements/${id}`)
    await olga.submit('receive_settlement', { amount_amount, reference: `BANK-${currency}` })
    return must(await service.admin('GET', `/settlements/${id}`), 200).body.received_cents
  }
  expect(await received('JPY', '1,200')).toBe(1_200)
  expect(await received('KWD', '1.25')).toBe(1_250)
})

describe('payouts', () => {
  test('are previewed, made, taken to the bank, and marked', async () => {
    const domain = await freshName(service, 'live')
    const made = must(await partner.post('/checkout-session', { domain }), 201).body
    await new Buyer(service).pay(made.checkout_url)
    service.clock.advance(60 * DAY)
    olga = await Operator.enter(service, 'otto@example.com')
    await olga.visit('/operator/payouts')
    const [form] = olga.forms('create_payouts')
    if (!form) throw new Error(`nothing payable: ${olga.page.text}`)
    const stale = new Map(form.fields)
    await olga.post('/operator/payouts', {
      ...Object.fromEntries(stale),
      once: 'another',
      expected_total_cents: '1',
    })
    expect(olga.page.status).toBe(409)
    expect(olga.notice).toContain('no payout was made')
    await olga.send(form)
    expect(olga.notice).toBe('1 payout created.')
    await olga.send(form)
    expect(olga.notice).toBe('1 payout created.')
    const { payouts } = must(await service.admin('GET', '/payouts'), 200).body
    expect(payouts).toHaveLength(1)
    const file = await olga.visit('/operator/payouts.csv?status=pending')
    expect(file.text).toMatch(/^id,partner_id,partner_name,amount_cents,currency,/)
    expect(file.text).toContain(payouts[0].id)
    await olga.visit('/operator/payouts')
    await olga.submit('move_payout', {}, { id: payouts[0].id, move: 'paid' })
    expect(olga.notice).toContain('is now paid')
    // All that is left is that the money comes back.
    await olga.submit('move_payout', {}, { id: payouts[0].id, move: 'return' })
    expect(olga.notice).toContain('is now failed')
    expect(olga.forms('move_payout')).toEqual([])
  }, 60_000)

  test('the file for the bank runs no formula', async () => {
    const { partner_id } = must(
      await service.admin('POST', '/partners', { name: '=1+1', email: 'f@example.com' }),
      201,
    ).body
    const client = await service.partner({ environment: 'live', partner_id })
    const domain = await freshName(service, 'live', { priceCents: 200_000 })
    const made = must(await client.post('/checkout-session', { domain }), 201).body
    await new Buyer(service).pay(made.checkout_url)
    service.clock.advance(60 * DAY)
    must(await service.admin('POST', '/payouts', { environment: 'live' }), 201)
    const ann = await Operator.enter(service, 'ann@example.com')
    const file = await ann.visit('/operator/payouts.csv?status=pending')
    expect(file.text).toContain("'=1+1")
  }, 60_000)

  test('the file for the bank has every payout, however many there are', async () => {
    const { partner_id } = must(
      await service.admin('POST', '/partners', { name: 'Many', email: 'many@example.com' }),
      201,
    ).body
    const now = service.clock.now()
    const ids = Array.from({ length: 10_001 }, () => newId('po', now))
    await sql`insert into payouts (id, partner_id, environment, currency, kind, amount_cents, status,
        created_at, updated_at)
      select id, ${partner_id}, 'live', 'USD', 'commission', 100, 'processing', ${now}, ${now}
      from unnest(${ids}::text[]) as id`.execute(service.app.db)
    const bea = await Operator.enter(service, 'bea@example.com')
    const file = await bea.visit(`/operator/payouts.csv?partner_id=${partner_id}`)
    const [header, ...lines] = file.text.trimEnd().split('\r\n')
    expect(header).toMatch(/^id,partner_id,partner_name,/)
    expect(lines.map((line) => line.split(',')[0])).toEqual(ids.toReversed())
  }, 60_000)
})

describe('refunds', () => {
  test('that fail are sent again, or noted as paid otherwise, once', async () => {
    const rita = await Operator.enter(service, 'rita@example.com')
    const domain = await freshName(service, 'live')
    const made = must(await partner.post('/checkout-session', { domain }), 201).body
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url)
    const { publicId } = buyer
    const payment = async () =>
      must(await service.admin('GET', `/payments?public_id=${publicId}`), 200).body.payments[0]
    const { id } = await payment()
    const goodwill = { amount_cents: 700, reason: 'It took long' }
    must(await service.admin('POST', `/payments/${id}/goodwill-refunds`, goodwill), 201)
    await vi.waitFor(
      async () => {
        const found = await service.admin('GET', `/goodwill-refunds?payment_id=${id}`)
        expect(must(found, 200).body.goodwill_refunds[0].status).toBe('sent')
      },
      { timeout: 15_000 },
    )
    must(await service.admin('POST', `/orders/${publicId}/refund`, {}), 200)
    await vi.waitFor(async () => expect((await payment()).status).toBe('refunded'), {
      timeout: 15_000,
    })
    must(await service.admin('POST', `/payments/${id}/play/fail-refund`, {}), 200)
    await rita.visit('/operator')
    expect(rita.page.text).toContain('refund failed')
    await rita.visit('/operator/payments')
    expect(rita.page.text).toContain(id)
    const words = () => rita.page.text.replace(/<[^>]+>/g, '')
    expect(words()).toContain('93.00 USD to refund')
    await rita.submit('move_refund', { note: 'By bank transfer.' }, { id, move: 'paid' })
    expect(rita.notice).toBe('Refund marked as paid.')
    await rita.visit('/operator/payments?view=all')
    expect(words()).toContain('93.00 USD refunded')
    expect(await payment()).toMatchObject({ status: 'refunded', refund_note: 'By bank transfer.' })
    await rita.post('/operator/payments', { do: 'move_refund', id, move: 'retry' })
    expect(rita.page.status).toBe(409)
  }, 40_000)

  test('goodwill that failed: shown, and closed', async () => {
    const gus = await Operator.enter(service, 'gus@example.com')
    const domain = await freshName(service, 'live')
    const made = must(await partner.post('/checkout-session', { domain }), 201).body
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url)
    const found = await service.admin('GET', `/payments?public_id=${buyer.publicId}`)
    const { id } = must(found, 200).body.payments[0]
    const provider = service.app.payments.byId('test')
    const { giveBack } = provider
    provider.giveBack = async () => ({ kind: 'rejected', reason: 'The card is closed.' })
    const body = { amount_cents: 700, reason: 'It took long' }
    const given = await service.admin('POST', `/payments/${id}/goodwill-refunds`, body)
    const { goodwill_id } = must(given, 201).body
    await vi.waitFor(
      async () => {
        await gus.visit('/operator/payments')
        expect(gus.page.text).toContain('failed: The card is closed.')
      },
      { timeout: 15_000 },
    )
    provider.giveBack = giveBack
    expect(gus.page.text).toContain(buyer.publicId)
    await gus.submit('close_goodwill', { note: 'By bank transfer.' }, { id: goodwill_id })
    expect(gus.notice).toBe('Goodwill refund closed.')
    await gus.visit('/operator/payments')
    expect(gus.page.text).not.toContain(id)
  }, 40_000)
})

describe('brokerage', () => {
  test('from the board to the deal', async () => {
    const ben = await Operator.enter(service, 'ben@example.com')
    const { case_id, domain } = await openCase(partner)
    await ben.visit('/operator/cases')
    expect(ben.page.text).toContain(domain)
    await ben.visit(`/operator/cases/${case_id}`)
    await ben.submit('assign_case', {}, { assignee: ben.email })
    await ben.submit('operate_case', { move: 'source' })
    await ben.submit('record_contact', { channel: 'phone', text: 'Rang twice.' })
    expect(ben.page.text).toContain('Rang twice.')
    await ben.submit('operate_case', { move: 'contact' })
    await ben.submit('record_offer', { made_by: 'owner', price_amount: 'much' })
    expect(ben.page.status).toBe(400)
    expect(ben.notice).toMatch(/^Write an amount such as 1250 or/)
    await ben.submit('record_offer', { made_by: 'owner', price_amount: '4,500.50' })
    expect(ben.page.text).toContain('4,500.50 USD')
    const offerForm = ben.forms('record_answer')[0]
    if (!offerForm) throw new Error('no open offer')
    await ben.send(offerForm, { answer: 'accept' })
    await ben.submit('note_case', { text: 'Escrow is open.' })
    await ben.submit('operate_case', { move: 'complete' })
    const { body } = await service.admin('GET', `/brokerage/${case_id}`)
    expect(body).toMatchObject({ status: 'completed', price_cents: 450_050, assignee: ben.email })
    expect(body.notes.map(({ text }: { text: string }) => text)).toEqual([
      'Rang twice.',
      'Escrow is open.',
    ])
    await ben.visit(`/operator/cases/list?status=completed&domain=${domain}`)
    expect(ben.page.text).toContain(case_id)
  })
})

describe('imports', () => {
  test('a file is loaded while one looks on, and its bad rows come back', async () => {
    const ida = await Operator.enter(service, 'ida@example.com')
    await ida.visit('/operator/imports')
    const csv = 'domain,price_cents,floor_price_cents,currency\nconsole-a.test,100,,\n=cmd(),1,,\n'
    await ida.upload('/operator/imports/upload', csv, { environment: 'live' }, 'spring.csv')
    expect(ida.path).toMatch(/^\/operator\/imports\/imp_/)
    const path = ida.path
    await vi.waitFor(
      async () => {
        await ida.visit(path)
        expect(ida.page.text).toContain('done</span>')
      },
      { timeout: 15_000, interval: 200 },
    )
    expect(ida.page.text).not.toContain('data-refresh')
    expect(ida.page.text).toContain('spring.csv')
    const file = await ida.visit(`${path}/rejected.csv`)
    expect(file.text).toContain('3,domain,"""=cmd()"" is not a domain name","\'=cmd(),1,,"')
    await ida.visit('/operator/listings?q=console-a')
    expect(ida.page.text).toContain('console-a.test')
    expect(await lastEntry()).toMatchObject({ operation: 'upload_listings', actor: ida.email })
  }, 30_000)

  test('without a file there is a response to that', async () => {
    const jon = await Operator.enter(service, 'jon@example.com')
    await jon.upload('/operator/imports/upload', '', {}, '')
    expect(jon.page.status).toBe(400)
    expect(jon.notice).toContain('choose one')
    await jon.upload('/operator/imports/upload', 'x'.repeat(400_000), { environment: 'live' })
    expect(jon.page.status).toBe(400)
    expect(jon.notice).toContain('a line is far too long')
  })

  test('the price book is set by hand and from a file', async () => {
    const kim = await Operator.enter(service, 'kim@example.com')
    await kim.visit('/operator/prices?tld=com')
    // Behind the list nobody with a phone would find it.
    expect(kim.page.text.indexOf('Set a price')).toBeLessThan(kim.page.text.indexOf('<table'))
    await kim.submit('set_tld_price', { op: 'register', price_amount: '13.37' })
    const price = async () =>
      must(await service.admin('GET', '/tld-prices?tld=com'), 200).body.prices.find(
        ({ op }: { op: string }) => op === 'register',
      ).price_cents
    expect(await price()).toBe(1_337)
    await kim.upload('/operator/prices/upload', 'com,register,1500,1\nnope.nope,register,1,1\n')
    expect(kim.notice).toContain('1 of 2 prices have changed. 1 were rejected, the first in line 2')
    expect(await price()).toBe(1_500)
    await kim.visit('/operator/prices?tld=com')
    await kim.submit('set_tld_price', { op: 'register', price_amount: '' })
    expect(await price()).toBeNull()
    await kim.upload('/operator/prices/upload', 'com,register,1500,1\n')
  })
})

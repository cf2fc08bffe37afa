import { Stripe } from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lookUpPayees } from '../../src/domain/payees/connect-payee.ts'
import { workTransfers } from '../../src/domain/payouts/send-payouts.ts'
import { MINUTE } from '../../src/lib/clock.ts'
import type { PartnerClient } from '../support/client.ts'
import { earned } from '../support/earnings.ts'
import { ledgerOf, mailsTo, must } from '../support/market.ts'
import { type Browser, PASSWORD } from '../support/oauth.ts'
import { signedInPartner } from '../support/portal.ts'
import { startService, type TestService } from '../support/service.ts'
import { sendWebhook, startStripe } from '../support/stripe.ts'

const PAYEE = '/partner/live/payee'
const HOUR = 3_600_000
const AMOUNT = 12_345

let stripe: Awaited<ReturnType<typeof startStripe>>
let service: TestService
beforeAll(async () => {
  stripe = await startStripe()
  service = await startService({
    settings: { paymentProvider: 'stripe', stripe: stripe.settings, payoutRail: 'stripe' },
  })
})
afterAll(async () => {
  await service.stop()
  stripe.stop()
})

let browser: Browser
let partner: PartnerClient
let email: string
let people = 0
beforeEach(async () => {
  people += 1
  email = `paid-${people}@example.com`
  const signedIn = await signedInPartner(service, email)
  browser = signedIn.browser
  partner = await service.partner({ partner_id: signedIn.partnerId, environment: 'live' })
  await confirm()
})

const confirm = async () =>
  must(await browser.post('/confirm', { next: PAYEE, password: PASSWORD }), 303)
const connect = (country = 'DE') => browser.post(`${PAYEE}/connect`, { country })
const accountAt = (location: string | undefined) => String(location).split('/').at(-1) ?? ''
const payee = async () => must(await partner.get('/payee'), 200).body
const send = () => service.admin('POST', '/payout-transfers', {})
const { signal } = new AbortController()
const work = () => workTransfers.run(service.app, signal)
const payoutOf = async (id: string) => {
  const { payouts } = must(await service.admin('GET', '/payouts?environment=live'), 200).body
  return payouts.find((payout: { id: string }) => payout.id === id)
}
const balance = async () =>
  must(await partner.get('/me/commissions?currency=EUR'), 200).body.balance_cents

/** The service's own job may be at it as well. */
async function until(what: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    await work()
    if (await what()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('it did not come about')
}
const settled = (id: string) => until(async () => (await payoutOf(id)).status !== 'processing')
/** Its attempt has failed, and the next one is some seconds away rather than the minute of a lease. */
const putOff = (id: string) =>
  until(async () => {
    const { due_at } = await service.app.db
      .selectFrom('payouts')
      .select('due_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const waits = (due_at?.getTime() ?? 0) - service.clock.now().getTime()
    return waits > 0 && waits < MINUTE / 2
  })

/** A partner with an account that is ready, and the id of it. */
async function connected(): Promise<string> {
  const account = accountAt(must(await connect(), 303).headers.location)
  must(await sendWebhook(service, 'account.updated', stripe.connect.verify(account)), 200)
  service.clock.advance(72 * HOUR)
  return account
}

/** A payout of theirs, which is pending. */
async function owed(cents = AMOUNT): Promise<string> {
  await earned(service, partner, 'live', cents, 'EUR')
  const { payouts } = must(
    await service.admin('POST', '/payouts', { environment: 'live' }),
    201,
  ).body
  return payouts.find((one: { partner_id: string }) => one.partner_id === partner.partner_id).id
}

/** A payout that Stripe has sent, whose response was lost. */
async function sentUnheard(): Promise<string> {
  await connected()
  const id = await owed()
  stripe.loseNext(99)
  must(await send(), 200)
  await putOff(id)
  stripe.loseNext(0)
  return id
}

describe('an account at Stripe', () => {
  test('is opened on pages of Stripe, and used after the waiting period', async () => {
    expect(must(await browser.get(PAYEE), 200).text).toContain('Be paid through Stripe')
    const away = must(await connect(), 303)
    const account = accountAt(away.headers.location)
    expect(stripe.connect.accounts.at(-1)).toMatchObject({ id: account, country: 'DE', email })
    expect(await payee()).toMatchObject({
      status: 'pending',
      account_masked: null,
      usable_from: null,
    })
    expect(await mailsTo(service, email)).not.toContain(
      'The account that your payouts go to was changed',
    )
    must(await sendWebhook(service, 'account.updated', stripe.connect.verify(account)), 200)
    expect(await payee()).toMatchObject({
      status: 'pending',
      currency: 'EUR',
      account_masked: `****${account.slice(-4)}`,
    })
    expect(await mailsTo(service, email)).toContain(
      'The account that your payouts go to was changed',
    )
    service.clock.advance(72 * HOUR)
    expect((await payee()).status).toBe('ready')
  })

  test('goes on where it was left, and is looked up on the way back', async () => {
    const account = accountAt(must(await connect(), 303).headers.location)
    const count = stripe.connect.accounts.length
    expect(accountAt(must(await connect(), 303).headers.location)).toBe(account)
    expect(stripe.connect.accounts).toHaveLength(count)
    stripe.connect.verify(account)
    must(await browser.get(PAYEE), 200)
    expect((await payee()).account_masked).toBe(`****${account.slice(-4)}`)
  })

  test('is looked up by a job where no webhook came', async () => {
    const account = accountAt(must(await connect(), 303).headers.location)
    stripe.connect.verify(account)
    await lookUpPayees.run(service.app, signal)
    expect((await payee()).account_masked).toBe(`****${account.slice(-4)}`)
  })

  test('is none in a country that Stripe does not pay to', async () => {
    const page = must(await connect('KP'), 400)
    expect(page.text).toContain('Country KP is not supported')
  })

  test('says so when Stripe does not respond', async () => {
    stripe.failNext(3)
    const page = must(await connect(), 503)
    expect(page.text).toContain('Stripe did not respond')
    expect(must(await connect(), 303).headers.location).toContain('/onboard/acct_')
  })
})

describe('POST /payout-transfers', () => {
  test('sends each payout once, by its id, and is marked as paid', async () => {
    const account = await connected()
    const id = await owed()
    const { payouts } = must(await send(), 200).body
    expect(payouts).toMatchObject([{ id, status: 'processing', is_being_sent: true }])
    must(await service.admin('POST', `/payouts/${id}/fail`, {}), 409)
    await settled(id)
    const sent = stripe.connect.transfers.filter(({ transfer_group }) => transfer_group === id)
    expect(sent).toMatchObject([
      { amount: AMOUNT, currency: 'eur', destination: account, metadata: { payout_id: id } },
    ])
    expect(stripe.keys.filter((key) => key === id)).toHaveLength(1)
    expect(await payoutOf(id)).toMatchObject({
      status: 'paid',
      transfer_ref: sent[0]?.id,
      is_being_sent: false,
    })
  })

  test('is marked by the webhook where the response was lost, and sends nothing twice', async () => {
    const id = await sentUnheard()
    const [transfer] = stripe.connect.transfers.filter((one) => one.transfer_group === id)
    expect((await payoutOf(id)).status).toBe('processing')
    must(await sendWebhook(service, 'transfer.created', transfer ?? {}), 200)
    expect((await payoutOf(id)).status).toBe('paid')
    service.clock.advance(HOUR)
    await work()
    expect(stripe.connect.transfers.filter((one) => one.transfer_group === id)).toHaveLength(1)
  })

  test('finds what it sent before its keys were forgotten', async () => {
    const id = await sentUnheard()
    stripe.forget()
    service.clock.advance(48 * HOUR)
    await settled(id)
    expect(stripe.connect.transfers.filter((one) => one.transfer_group === id)).toHaveLength(1)
    expect((await payoutOf(id)).status).toBe('paid')
  })

  test('fails what Stripe rejects, and the amount is payable again', async () => {
    await connected()
    const id = await owed()
    stripe.connect.rejecting.message = 'You have insufficient available funds.'
    must(await send(), 200)
    await settled(id)
    stripe.connect.rejecting.message = null
    expect(await payoutOf(id)).toMatchObject({
      status: 'failed',
      reason: 'You have insufficient available funds.',
    })
    const again = await owed(1)
    expect((await payoutOf(again)).amount_cents).toBe(AMOUNT + 1)
  })

  test('takes what was reversed in, once, and owes it again', async () => {
    await connected()
    const id = await owed()
    must(await send(), 200)
    await settled(id)
    expect(await balance()).toBe(0)
    const transfer = stripe.connect.transfers.find((one) => one.transfer_group === id)
    for (const _ of [1, 2]) {
      must(await sendWebhook(service, 'transfer.reversed', { ...transfer, reversed: true }), 200)
    }
    expect(await payoutOf(id)).toMatchObject({ status: 'failed', paid_at: null })
    expect(await balance()).toBe(AMOUNT)
    const again = await owed(1)
    expect((await payoutOf(again)).amount_cents).toBe(AMOUNT + 1)
    const ledger = await ledgerOf(service, {
      partnerId: partner.partner_id,
      environment: 'live',
    })
    const bank = ledger.filter(({ account }) => account === 'bank')
    expect(bank.reduce((sum, { amount_cents }) => sum + amount_cents, 0)).toBe(0)
  })

  test('leaves bank accounts to the file, and says what it waits for', async () => {
    const set = { name: 'Bank', country: 'DE', iban: 'DE89370400440532013000', currency: 'EUR' }
    const path = `/partners/${partner.partner_id}/payee`
    must(await service.admin('PUT', path, { payee: set }), 200)
    service.clock.advance(72 * HOUR)
    // What is pending of other tests goes first.
    await send()
    const id = await owed()
    const { error } = must(await send(), 409).body
    expect(error.message).toContain('are to be exported for the bank')
    const exporting = { environment: 'live', format: 'csv' }
    expect(
      must(await service.admin('POST', '/payout-batches', exporting), 201).body.file,
    ).toContain(id)
    expect(must(await send(), 409).body.error.message).toContain('No payout is pending')
  })
})

describe('a bank account beside one at Stripe that waits', () => {
  const BANK = { name: 'Bank', country: 'DE', iban: 'DE89370400440532013000', currency: 'EUR' }
  const setBank = async () =>
    must(await service.admin('PUT', `/partners/${partner.partner_id}/payee`, { payee: BANK }), 200)
  const exported = () =>
    service.admin('POST', '/payout-batches', { environment: 'live', format: 'csv' })

  test('replaces it, and what is sent meanwhile goes to the one before', async () => {
    const first = await connected()
    await setBank()
    service.clock.advance(HOUR)
    await confirm()
    const second = accountAt(must(await connect(), 303).headers.location)
    expect(second).not.toBe(first)
    must(await sendWebhook(service, 'account.updated', stripe.connect.verify(second)), 200)
    service.clock.advance(HOUR)
    await setBank()
    service.clock.advance(71.5 * HOUR)
    const id = await owed()
    must(await send(), 200)
    await settled(id)
    const sent = stripe.connect.transfers.filter(({ transfer_group }) => transfer_group === id)
    expect(sent).toMatchObject([{ destination: first }])
  })

  test('is used until the account is ready, and by the payouts that were made before that', async () => {
    await setBank()
    must(await connect(), 303)
    const account = stripe.connect.accounts.at(-1)?.id ?? ''
    service.clock.advance(72 * HOUR)
    const id = await owed()
    must(await sendWebhook(service, 'account.updated', stripe.connect.verify(account)), 200)
    expect(must(await exported(), 201).body.file).toContain(id)
  })
})

test('the webhook endpoint has to send what becomes of transfers', async () => {
  stripe.endpoints.push({
    id: 'we_1',
    object: 'webhook_endpoint',
    url: 'https://market.example/webhooks/stripe',
    status: 'enabled',
    api_version: Stripe.API_VERSION,
    application: null,
    enabled_events: ['transfer.created'],
  })
  const [problem] = await service.app.payments.byId('stripe').problems('https://market.example')
  expect(problem).toMatch(/does not send .*, transfer\.reversed\.$/)
  expect(problem).not.toContain('transfer.created')
})

describe('where no provider pays out', () => {
  let plain: TestService
  beforeAll(async () => {
    plain = await startService()
  })
  afterAll(() => plain.stop())

  test('nothing is sent and no account is opened', async () => {
    const { error } = must(await plain.admin('POST', '/payout-transfers', {}), 409).body
    expect(error.message).toContain('set PAYOUT_RAIL')
    const { browser: theirs } = await signedInPartner(plain, 'nobody@example.com')
    must(await theirs.post('/confirm', { next: PAYEE, password: PASSWORD }), 303)
    expect(must(await theirs.get(PAYEE), 200).text).not.toContain('Stripe')
    must(await theirs.post(`${PAYEE}/connect`, { country: 'DE' }), 409)
    await workTransfers.run(plain.app, signal)
  })
})

import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Environment } from '../../src/core/caller.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { insertSession, newSession } from '../../src/domain/checkout/create-session.ts'
import { advancePaymentsJob, startPayment } from '../../src/domain/checkout/pay.ts'
import { findListing } from '../../src/domain/listings/listing.ts'
import { checkTransfers } from '../../src/domain/orders/check-transfers.ts'
import { MARKETPLACE_PARTNER } from '../../src/domain/partners/partner.ts'
import type { PayoutRail, RailTransfer } from '../../src/domain/payees/payout-rail.ts'
import type { PaymentProvider } from '../../src/domain/payments/provider.ts'
import { applyRailUpdate } from '../../src/domain/payouts/rail-updates.ts'
import { workTransfers } from '../../src/domain/payouts/send-payouts.ts'
import { newId } from '../../src/lib/ids.ts'
import type { PartnerClient } from '../support/client.ts'
import { type LedgerLine, ledgerOf, must, offer } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

/** More of them on request; a run on every change is to be short. */
const RUNS = Number(process.env.MONEY_RUNS ?? 15)
/** To play the same histories again. */
const SEED = process.env.MONEY_SEED

/** How long what is earned in the live environment is held. */
const HOLD_DAYS = 2
const HOUR = 3_600_000

/** Odd on purpose: most sums of it do not come out even. */
const TAX_RULES = { country: 'GB', rates: [{ country: 'GB', name: 'VAT', rate_bps: 1_937 }] }
const PAYEE = {
  name: 'Rated',
  country: 'DE',
  iban: 'DE89370400440532013000',
  currency: 'USD',
}

let service: TestService
beforeAll(async () => {
  const taxRulesFile = join(await mkdtemp(join(tmpdir(), 'tax-')), 'rules.json')
  await writeFile(taxRulesFile, JSON.stringify(TAX_RULES))
  service = await startService({
    settings: {
      settlementSchedule: 'manual',
      payoutSchedule: 'manual',
      commissionHoldDays: HOLD_DAYS,
      payoutThresholdCents: 1,
      payeeDelayHours: 0,
      tax: 'rules',
      taxRulesFile,
      platform: {
        name: 'Market Ltd',
        address: undefined,
        country: 'GB',
        taxId: undefined,
        iban: 'GB29NWBK60161331926819',
        bic: 'NWBKGB2L',
      },
    },
  })
  const real = service.app.payments.byId('test')
  const refund = real.refund.bind(real)
  real.refund = async (payment, goodwill) => {
    if (weather === 'is down') throw new Error('the provider is down')
    return weather === 'refuses'
      ? { kind: 'rejected', ref: null, reason: 'insufficient_funds' }
      : await refund(payment, goodwill)
  }
  provider = real
  service.app.payoutRail = rail
  service.app.settings.payoutRail = rail.id
})
afterAll(() => service.stop())

/** The transfers of a provider that pays out, by the payouts that they pay. */
const transfers = new Map<string, RailTransfer & { cents: number }>()

/** It sends each once, rejects or does not respond as the weather is, and then may have sent none the less. */
const rail: PayoutRail = {
  id: 'stripe',
  label: 'Stripe',
  pageOrigins: [],
  async openAccount() {
    throw new Error('not here')
  },
  async onboardingPage() {
    throw new Error('not here')
  },
  async lookUpAccount() {
    throw new Error('not here')
  },
  async send({ id, amountCents }) {
    const known = transfers.get(id)
    if (!known && weather === 'refuses') return { status: 'rejected', reason: 'no balance' }
    const cents = amountCents
    const made = known ?? { payoutId: id, ref: `tr_${id}`, status: 'paid' as const, cents }
    if (weather === 'fine' || cents % 2 === 0) transfers.set(id, made)
    if (weather !== 'fine') throw new Error('the provider is down')
    return made
  },
}

/** What happens, as often as it stands here. */
const STEPS = [
  ...([
    'sell',
    'sell',
    'sell',
    'sell',
    'sell',
    'sell',
    'refer',
    'refer',
    'refer',
    'collect',
  ] as const),
  ...([
    'deliver',
    'deliver',
    'deliver',
    'start',
    'start',
    'complete',
    'complete',
    'refund',
    'refund',
    'cancel',
    'fail transfer',
  ] as const),
  ...(['pay out', 'pay out', 'paid', 'paid', 'fail', 'undo', 'process'] as const),
  ...(['send file', 'send file', 'bank reports', 'bank reports'] as const),
  ...(['open account', 'send transfers', 'send transfers', 'come back', 'reverse'] as const),
  ...(['collect', 'collect', 'receive', 'receive', 'receive', 'settle', 'settle'] as const),
  ...([
    'settle',
    'settle',
    'dispute',
    'dispute',
    'win-dispute',
    'lose-dispute',
    'fail-refund',
  ] as const),
  ...(['send refunds', 'send refunds', 'send refunds', 'fail-refund'] as const),
  ...(['wait', 'wait', 'wait', 'wait'] as const),
  ...(['retry', 'retry', 'refund otherwise', 'refuse refunds', 'go down'] as const),
]
/** Chosen at random, most moves would be rejected: most of these are of what they are for. */
const MEANT: Partial<Record<(typeof STEPS)[number], string>> = {
  start: 'PAID',
  deliver: 'PAID',
  complete: 'TRANSFER_IN_PROGRESS',
  dispute: 'succeeded',
  'win-dispute': 'disputed',
  'lose-dispute': 'disputed',
  receive: 'closed',
  'come back': 'paid',
}
const MOVES: Partial<Record<(typeof STEPS)[number], string>> = { 'fail transfer': 'fail' }

const step = fc.record({
  who: fc.nat({ max: 1 }),
  what: fc.constantFrom(...STEPS),
  which: fc.nat({ max: 9 }),
  price: fc.oneof(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 100_000_000_000 })),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** What happens at the same time, one group after the other. */
const history = fc.record({
  rates: fc.tuple(fc.integer({ min: 0, max: 10_000 }), fc.constantFrom(0, 1, 3_333, 10_000)),
  groups: fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), {
    minLength: 6,
    maxLength: 18,
  }),
})

let names = 0

interface Player {
  client: PartnerClient
  environment: Environment
  linkId: string
  /** A user whose domains the player sells; in the live environment. */
  sellerId: string | null
  /** What the partner has sent for its statements, in cents, by the bank's reference. */
  received: Map<string, number>
}

/** Files for the bank that it has not reported on, and all that there were. */
const batches: { batch_id: string; file: string }[] = []

async function givePayee(partnerId: string): Promise<void> {
  must(await service.admin('PUT', `/partners/${partnerId}/payee`, { payee: PAYEE }), 200)
}

/** From now on a provider pays them. */
async function openAccount(partnerId: string): Promise<void> {
  const now = service.clock.now()
  const payee_id = newId('pye', now)
  await service.app.db
    .insertInto('payees')
    .values({
      payee_id,
      partner_id: partnerId,
      rail: rail.id,
      account_id: `acct_${payee_id}`,
      details: null,
      name: 'Rated',
      country: 'DE',
      currency: 'USD',
      account_last4: '0000',
      created_at: now,
      usable_from: now,
      created_by: 'them',
    })
    .execute()
}

async function playerAt(bps: number, environment: Environment): Promise<Player> {
  const made = must(
    await service.admin('POST', '/partners', {
      name: 'Rated',
      email: 'rated@example.com',
      affiliate: true,
      hosted_checkout_bps: bps,
      referral_bps: bps,
    }),
    201,
  )
  const client = await service.partner({ partner_id: made.body.partner_id, environment })
  const linkId = must(await client.post('/links', { type: 'generic' }), 201).body.id
  const email = `${made.body.partner_id}@example.com`
  const sellerId = environment === 'live' ? await makeUser(service, email) : null
  await givePayee(client.partner_id)
  return { client, environment, linkId, sellerId, received: new Map() }
}

let provider: PaymentProvider

/** A sale through the test provider; of two buyers on one checkout, one gets the money back. */
async function buy(player: Player, isReferred: boolean, price: number, which: number) {
  const { app } = service
  const { environment, sellerId } = player
  names += 1
  const domain = `paid-${names}.test`
  await offer(service, environment, [domain], price)
  if (which % 2 === 0) {
    const owned = app.db.updateTable('listings').set({ seller_id: sellerId })
    await owned.where('domain', '=', domain).execute()
  }
  const listing = await findListing(
    app.db,
    { partnerId: player.client.partner_id, environment },
    domain,
  )
  if (!listing) throw new Error('nothing to sell')
  const now = app.clock.now()
  const session = newSession(
    listing,
    isReferred ? MARKETPLACE_PARTNER : player.client.partner_id,
    now,
  )
  session.buyer = { email: 'buyer@example.com', name: null, country: null }
  // Every third buyer pays tax.
  if (which % 3 === 0) session.registrant = REGISTRANT
  if (isReferred) Object.assign(session, { link_id: player.linkId, clicked_at: now })
  await inTransaction(app, (tx) => insertSession(tx, session))
  const card = { number: '4242424242424242', expiry: '', cvc: '' }
  const pages = { returnUrl: () => '/', cancelUrl: '/' }
  await Promise.all(
    Array.from({ length: which < 3 ? 2 : 1 }, () =>
      startPayment(app, provider, session, card, pages),
    ),
  )
  const made = await app.db
    .selectFrom('orders')
    .select('public_id')
    .where('checkout_session_id', '=', session.id)
    .execute()
  expect(made).toHaveLength(1)
}

const REGISTRANT = {
  email: 'buyer@example.com',
  name: 'Bea Buyer',
  organization: null,
  phone: '+441632960000',
  address: '1 High Street',
  city: 'London',
  postal_code: 'N1 1AA',
  state: null,
  country: 'GB',
  tax_id: null,
}

/** What the provider does with the refunds that it is sent. */
let weather: 'fine' | 'refuses' | 'is down' = 'fine'

async function play({ who, what, which, price }: Step, players: Player[]): Promise<void> {
  const player = players[who] as Player
  switch (what) {
    case 'sell':
    case 'refer':
      return await buy(player, what === 'refer', price, which)
    case 'collect': {
      names += 1
      const domain = `collected-${names}.test`
      await offer(service, player.environment, [domain], price)
      await sold(player.client, domain)
      return
    }
    case 'settle':
      must(
        await service.admin('POST', '/settlement-runs', { environment: player.environment }),
        201,
      )
      return
    case 'pay out':
      must(await service.admin('POST', '/payouts', { environment: player.environment }), 201)
      return
    case 'paid':
    case 'fail':
    case 'process':
    case 'undo': {
      const payouts = await payoutsOf(player)
      const payout = payouts[which % payouts.length]
      return await move(payout && `/payouts/${payout.id}/${what === 'undo' ? 'cancel' : what}`)
    }
    case 'send file': {
      if (player.sellerId) await sellersPayee(player.sellerId)
      const made = await service.admin('POST', '/payout-batches', {
        environment: player.environment,
        format: 'pain.001',
      })
      expect([201, 409], made.text).toContain(made.status)
      if (made.status === 201) batches.push(made.body)
      return
    }
    case 'open account':
      return which % 2 === 0
        ? await openAccount(player.client.partner_id)
        : await givePayee(player.client.partner_id)
    case 'send transfers': {
      const told = await service.admin('POST', '/payout-transfers', {})
      expect([200, 409], told.text).toContain(told.status)
      return await workTransfers.run(service.app, new AbortController().signal)
    }
    case 'come back': {
      const payout = choose(await payoutsOf(player), what, which)
      return await move(payout && `/payouts/${payout.id}/return`)
    }
    case 'reverse': {
      const sent = [...transfers.values()]
      const transfer = sent[which % sent.length]
      if (!transfer) return
      const update = { ...transfer, status: 'returned' as const }
      transfers.set(transfer.payoutId, update)
      return await applyRailUpdate(service.app, { kind: 'transfer', transfer: update })
    }
    case 'bank reports': {
      const batch = batches[which % batches.length]
      if (batch) await report(batch, price)
      return
    }
    case 'receive': {
      const { settlements } = must(await player.client.get('/settlements?limit=100'), 200).body
      const statement = choose<Statement>(settlements, what, which)
      if (!statement) return
      // Of few references, so that some come twice.
      const reference = `ref-${price % 17}`
      const owed = Math.max(1, statement.amount_owed_cents)
      const amount_cents = which % 2 === 0 ? owed : Math.min(price, 2 * owed)
      const path = `/settlements/${statement.id}/receipts`
      const told = await service.admin('POST', path, { amount_cents, reference })
      expect([201, 409], told.text).toContain(told.status)
      if (told.status !== 201) return
      expect(player.received.has(reference)).toBe(false)
      player.received.set(reference, amount_cents)
      return
    }
    case 'dispute':
    case 'win-dispute':
    case 'lose-dispute':
    case 'fail-refund': {
      const payments = await paymentsOf(player)
      const payment = choose(payments, what, which)
      return await move(payment && `/payments/${payment.id}/play/${what}`)
    }
    case 'retry':
    case 'refund otherwise': {
      const payments = (await paymentsOf(player)).filter(({ status }) => status === 'refund_failed')
      const payment = payments[which % payments.length]
      return await move(
        payment && `/payments/${payment.id}/refund/${what === 'retry' ? what : 'paid'}`,
      )
    }
    case 'send refunds':
      return await advancePaymentsJob.run(service.app, new AbortController().signal)
    // Between the groups, so that no request is signed at another time than it arrives.
    case 'wait':
      return
    case 'refuse refunds':
      weather = 'refuses'
      return
    case 'go down':
      weather = 'is down'
      return
    case 'deliver': {
      const order = choose(await ordersOf(player), what, which)
      await move(order && `/orders/${order.public_id}/start`)
      return await move(order && `/orders/${order.public_id}/complete`)
    }
    default: {
      const order = choose(await ordersOf(player), what, which)
      return await move(order && `/orders/${order.public_id}/${MOVES[what] ?? what}`)
    }
  }
}

/** A seller that has earned something is paid like a partner. */
async function sellersPayee(sellerId: string): Promise<void> {
  const seller = await service.app.db
    .selectFrom('partners')
    .select('id')
    .where('user_id', '=', sellerId)
    .executeTakeFirst()
  if (seller) await givePayee(seller.id)
}

/** The bank's report on a file: some paid, some returned, some left open, by the bits of a number. */
async function report({ batch_id, file }: { batch_id: string; file: string }, bits: number) {
  const ids = [...file.matchAll(/<EndToEndId>(.+?)<\/EndToEndId>/g)].map(([, id]) => id)
  const said = ids.map((id, place) => {
    const status = ['ACSC', 'RJCT', 'PDNG'][(bits >> (place % 16)) % 3]
    return `<TxInfAndSts><OrgnlEndToEndId>${id}</OrgnlEndToEndId><TxSts>${status}</TxSts></TxInfAndSts>`
  })
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
  <GrpHdr><MsgId>bank-1</MsgId><CreDtTm>2026-01-05T10:00:00</CreDtTm></GrpHdr>
  <OrgnlGrpInfAndSts><OrgnlMsgId>${batch_id}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId></OrgnlGrpInfAndSts>
  <OrgnlPmtInfAndSts><OrgnlPmtInfId>${batch_id}-USD</OrgnlPmtInfId>${said.join('')}</OrgnlPmtInfAndSts>
</CstmrPmtStsRpt></Document>`
  must(await service.admin('POST', '/payout-status-reports', { file: text }), 200)
}

function choose<T extends { status: string }>(
  items: T[],
  what: Step['what'],
  which: number,
): T | undefined {
  const meant = items.filter(({ status }) => status === MEANT[what])
  const pool = which > 1 && meant.length > 0 ? meant : items
  return pool[which % pool.length]
}

/** Somebody's move, which the state may not allow. */
async function move(path: string | undefined): Promise<void> {
  if (path === undefined) return
  const { status, text } = await service.admin('POST', path, {})
  expect([200, 409], `${path}: ${text}`).toContain(status)
}

async function paymentsOf({ client, environment }: Player) {
  return await service.app.db
    .selectFrom('payments as p')
    .leftJoin('orders as o', 'o.public_id', 'p.public_id')
    .selectAll('p')
    .select('o.status as order_status')
    .where('p.partner_id', '=', client.partner_id)
    .where('p.environment', '=', environment)
    .orderBy('p.id')
    .execute()
}

async function ordersOf({ client, environment }: Player) {
  return await service.app.db
    .selectFrom('orders')
    .select(['public_id', 'status'])
    .where('partner_id', '=', client.partner_id)
    .where('environment', '=', environment)
    .orderBy('public_id')
    .execute()
}

/** The player's, and those of the user whose domains it sold. */
async function payoutsOf({ client, environment, sellerId }: Player) {
  return await service.app.db
    .selectFrom('payouts as o')
    .innerJoin('partners as p', 'p.id', 'o.partner_id')
    .selectAll('o')
    .where((row) =>
      row.or([row('p.id', '=', client.partner_id), row('p.user_id', '=', sellerId ?? '')]),
    )
    .where('o.environment', '=', environment)
    .orderBy('o.id')
    .execute()
}

/** The weather clears, and what is on its way arrives; nothing is left for a job to do while the books are read. */
async function calmDown(): Promise<void> {
  weather = 'fine'
  for (let tries = 0; tries < 50; tries++) {
    await advancePaymentsJob.run(service.app, new AbortController().signal)
    await workTransfers.run(service.app, new AbortController().signal)
    await checkTransfers.run(service.app, new AbortController().signal)
    const { rows } = await sql<{ due: boolean }>`
      select exists (select from payments where status = 'refund_due')
        or exists (select from payouts where due_at is not null) as due`.execute(service.app.db)
    if (!rows[0]?.due) return
    service.clock.advance(HOUR)
  }
  throw new Error('refunds or transfers are still due')
}

function sum<T>(items: T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0)
}

async function expectBooksInOrder(player: Player): Promise<void> {
  const { client, environment } = player
  const partner = { partnerId: client.partner_id, environment }
  const ledger = await ledgerOf(service, partner)
  const balance = (account: string) =>
    sum(
      ledger.filter((entry) => entry.account === account),
      (entry) => entry.amount_cents,
    ) + 0
  for (const id of new Set(ledger.map((entry) => entry.id))) {
    const entries = ledger.filter((entry) => entry.id === id)
    expect(sum(entries, (entry) => entry.amount_cents)).toBe(0)
  }

  // The commission account is the sum of its entries, entry by entry.
  const entries: { type: string; sale_id: string; amount_cents: number; balance_cents: number }[] =
    []
  for (let cursor = ''; ; ) {
    const page = must(await client.get(`/me/commissions?${cursor}limit=100`), 200).body
    entries.unshift(...page.entries.toReversed())
    if (page.next_cursor === null) {
      expect(page.balance_cents).toBe(sum(entries, (entry) => entry.amount_cents))
      expect(page.balance_cents).toBe(
        0 - balance('commission_payable') - balance('payouts_pending'),
      )
      break
    }
    cursor = `cursor=${page.next_cursor}&`
  }
  let running = 0
  for (const entry of entries) {
    running += entry.amount_cents
    expect(entry.balance_cents).toBe(running)
  }

  // Payouts are the sums of their lines, what was paid is what left the bank, and no line is paid twice.
  const { payouts, total_paid_cents } = must(await client.get('/payouts?limit=100'), 200).body
  const paidLines: string[] = []
  let pending = 0
  for (const payout of payouts) {
    const { lines } = must(await client.get(`/payouts/${payout.id}`), 200).body
    expect(sum(lines, (line: { amount_cents: number }) => line.amount_cents)).toBe(
      payout.amount_cents,
    )
    expect(payout.amount_cents).toBeGreaterThan(0)
    if (['failed', 'canceled'].includes(payout.status)) continue
    paidLines.push(...lines.map(({ entry_id }: { entry_id: string }) => entry_id))
    if (payout.status !== 'paid') pending += payout.amount_cents
  }
  expect(new Set(paidLines).size).toBe(paidLines.length)
  expect(total_paid_cents).toBe(0 - balance('bank'))
  expect(pending).toBe(0 - balance('payouts_pending'))
  const paidOut = entries.filter(({ type }) => type === 'paid_out')
  expect(0 - sum(paidOut, (entry) => entry.amount_cents)).toBe(total_paid_cents)

  // Sales and commissions agree, whatever part of them is asked for.
  const transactions: Sale[] = []
  for (let cursor = ''; ; ) {
    const page = must(await client.get(`/transactions?${cursor}limit=20`), 200).body
    transactions.push(...page.transactions)
    expect(page.totals.count).toBeGreaterThanOrEqual(transactions.length)
    if (page.next_cursor === null) break
    cursor = `cursor=${page.next_cursor}&`
  }
  expect(new Set(transactions.map(({ public_id }) => public_id)).size).toBe(transactions.length)
  const times = transactions.map(({ created_at }) => created_at)
  expect(times).toEqual(times.toSorted().toReversed())
  // Without the oldest and the newest, so it begins and ends within a day.
  const from = times.at(-2) ?? '2030-01-01T00:00:00.001Z'
  const to = times[0] ?? from
  for (const [query, isMeant] of [
    ['limit=1', () => true],
    ['limit=1&payment_model=hosted_checkout', (sale) => sale.payment_model === 'hosted_checkout'],
    ['limit=1&status=REFUNDED', (sale) => sale.status === 'REFUNDED'],
    ['limit=1&status=SETTLED', (sale) => sale.status === 'SETTLED'],
    [
      `from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`,
      (sale) => sale.created_at >= from && sale.created_at < to,
    ],
  ] as [string, (sale: Sale) => boolean][]) {
    const { totals } = must(await client.get(`/transactions?${query}`), 200).body
    const meant = transactions.filter(isMeant)
    expect([query, totals]).toEqual([
      query,
      {
        count: meant.length,
        gmv_cents: sum(meant, (sale) => sale.amount_cents),
        commission_cents: sum(meant, (sale) => sale.commission_cents),
      },
    ])
  }
  const hosted = transactions.filter(({ payment_model }) => payment_model === 'hosted_checkout')
  expect(sum(hosted, (sale) => sale.commission_cents)).toBe(balance('commission_cost'))
  const delivered = transactions.filter(
    ({ payment_model, status }) =>
      payment_model === 'partner_collected' && ['TRANSFER_COMPLETED', 'SETTLED'].includes(status),
  )
  expect(balance('partner_commission')).toBe(sum(delivered, (sale) => sale.commission_cents))
  await expectFundsInOrder(player, ledger)
  await expectHeld(player)
  await expectSharesInOrder(player)
  await expectInvoicesInOrder(player, balance)
  const settled = await expectStatementsInOrder(player, balance)
  expect(settled.toSorted()).toEqual(delivered.map(({ public_id }) => public_id).toSorted())
  const { sales } = must(await client.get('/me/sales?limit=100'), 200).body
  const analytics = must(await client.get('/analytics'), 200).body
  expect(analytics.totals).toMatchObject({
    sales: sales.length,
    gmv_cents: sum(sales, (sale: { amount_cents: number }) => sale.amount_cents),
    commission_cents: sum(sales, (sale: { commission_cents: number }) => sale.commission_cents),
  })
}

interface Sale {
  public_id: string
  payment_model: string
  status: string
  amount_cents: number
  commission_cents: number
  created_at: string
}

/** What was earned is payable, and paid out, as long after as it is held: after the sale, or the delivery. */
async function expectHeld({ client, environment }: Player): Promise<void> {
  if (environment !== 'live') return
  const { rows } = await sql<{ id: string }>`
    select e.id from commission_entries e join orders o on o.public_id = e.sale_id
      left join payout_lines l on l.entry_id = e.id left join payouts p on p.id = l.payout_id
    where o.partner_id = ${client.partner_id} and e.payable_at is not null
      and least(e.payable_at, p.created_at) < ${HOLD_DAYS}::int * interval '1 day' +
        case when e.kind = 'sale' then o.transfer_completed_at else o.created_at end`.execute(
    service.app.db,
  )
  expect(rows).toEqual([])
}

/** What a provider sent is paid, or came back; nothing else says that it sent it. */
async function expectTransfersInOrder(): Promise<void> {
  const payouts = await service.app.db
    .selectFrom('payouts')
    .select(['id', 'status', 'amount_cents', 'transfer_ref'])
    .where('transfer_ref', 'is not', null)
    .execute()
  for (const { id, status, amount_cents, transfer_ref } of payouts) {
    const transfer = transfers.get(id)
    expect(transfer).toMatchObject({ ref: transfer_ref, cents: amount_cents })
    if (transfer?.status === 'returned') expect(status).toBe('failed')
    else expect(['paid', 'failed']).toContain(status)
  }
  expect(payouts.map(({ id }) => id).toSorted()).toEqual([...transfers.keys()].toSorted())
}

/** A seller has earned the shares of what was delivered, unless a bank took the price back. */
async function expectSharesInOrder({ sellerId }: Player): Promise<void> {
  const { db } = service.app
  const payee = await db
    .selectFrom('partners')
    .select('id')
    .where('user_id', '=', sellerId ?? '')
    .executeTakeFirst()
  if (!payee) return
  const earned = await db
    .selectFrom('orders')
    .select('seller_cents')
    .where('seller_id', '=', sellerId)
    .where('transfer_completed_at', 'is not', null)
    .where('disputed', '=', false)
    .execute()
  const ledger = await ledgerOf(service, { partnerId: payee.id, environment: 'live' })
  const balance = (...accounts: string[]) =>
    sum(
      ledger.filter(({ account }) => accounts.includes(account)),
      ({ amount_cents }) => amount_cents,
    ) + 0
  expect(balance('seller_proceeds')).toBe(sum(earned, (order) => order.seller_cents ?? 0))
  const { balance_cents } = await db
    .selectFrom('commission_balances')
    .select('balance_cents')
    .where('partner_id', '=', payee.id)
    .executeTakeFirstOrThrow()
  expect(balance_cents).toBe(0 - balance('commission_payable', 'payouts_pending'))
  expect(balance_cents).toBe(balance('seller_proceeds', 'bank'))
}

/** What providers hold, buyers are owed and banks took follows from how each payment stands. */
async function expectFundsInOrder(player: Player, ledger: LedgerLine[]): Promise<void> {
  const { db } = service.app
  const payments = await paymentsOf(player)
  const disputes = await db
    .selectFrom('disputes as d')
    .innerJoin('payments as p', 'p.id', 'd.payment_id')
    .selectAll('d')
    .where('p.partner_id', '=', player.client.partner_id)
    .execute()
  const expected = {
    card_funds: 0,
    buyer_refunds: 0,
    bank_refunds: 0,
    disputed_funds: 0,
    dispute_losses: 0,
  }
  for (const payment of payments) {
    const { id, status, amount_cents: cents } = payment
    if (['started', 'action_required', 'processing', 'failed'].includes(status)) continue
    const dispute = disputes.find(({ payment_id }) => payment_id === id)
    const isGone = dispute?.withdrawn === true && !dispute.reinstated
    const byCard = status === 'refunded' && payment.refund_ref !== null
    const byBank = status === 'refunded' && payment.refund_ref === null
    const isOwed =
      !payment.public_id || ['REFUNDED', 'CANCELLED'].includes(payment.order_status ?? '')
    expected.card_funds += cents - (isGone ? cents : 0) - (byCard ? cents : 0)
    if (byBank) expected.bank_refunds -= cents
    if (isOwed && ['refund_failed', 'disputed'].includes(status)) expected.buyer_refunds -= cents
    if (isGone && dispute.status !== 'lost') expected.disputed_funds += cents
    const isChargeback = isOwed && status === 'charged_back'
    if (isGone && dispute.status === 'lost' && !isChargeback) expected.dispute_losses += cents
    // Taken back after the bank had the money, an order sends none to the card.
    const posted = (code: string, source: string) =>
      ledger.find((entry) => entry.code === code && entry.source === source)?.id ?? ''
    if (isGone && posted('refund', payment.public_id ?? '') > posted('dispute', dispute.id)) {
      expect([status, byCard || byBank]).toEqual(['charged_back', false])
    }
    // Whatever went wrong on the way, no card got the money back twice.
    const refunds = ledger.filter(
      ({ source, account }) => source.startsWith(`test_refund_${id}_`) && account === 'card_funds',
    )
    expect(-sum(refunds, ({ amount_cents }) => amount_cents) + 0).toBe(byCard ? cents : 0)
  }
  for (const [account, cents] of Object.entries(expected)) {
    const entries = ledger.filter((entry) => entry.account === account)
    expect([account, sum(entries, ({ amount_cents }) => amount_cents) + 0]).toEqual([
      account,
      cents,
    ])
  }
}

/** A sale has one invoice, a sale that was taken back one credit note, and the tax of the rest is owed to the state. */
async function expectInvoicesInOrder(
  player: Player,
  balance: (account: string) => number,
): Promise<void> {
  const payments = (await paymentsOf(player)).filter(({ public_id }) => public_id !== null)
  const invoices = await service.app.db
    .selectFrom('invoices')
    .selectAll()
    .where('payment_id', 'in', ['', ...payments.map(({ id }) => id)])
    .execute()
  let tax = 0
  for (const { id, amount_cents, tax_cents, order_status } of payments) {
    const own = invoices.filter(({ payment_id }) => payment_id === id)
    const isTakenBack = ['REFUNDED', 'CANCELLED'].includes(order_status ?? '')
    expect(own.map(({ kind }) => kind).toSorted()).toEqual(
      isTakenBack ? ['credit_note', 'invoice'] : ['invoice'],
    )
    for (const invoice of own) {
      expect(Math.abs(invoice.net_cents + invoice.tax_cents)).toBe(amount_cents)
      expect(Math.abs(invoice.tax_cents)).toBe(tax_cents)
    }
    if (!isTakenBack) tax += tax_cents
  }
  expect(balance('tax_payable')).toBe(0 - tax)
}

/** No number is missing, and none is there twice, in any year of any environment. */
async function expectNumbersInOrder(): Promise<void> {
  const { rows } = await sql<{ environment: string }>`
    select environment, year from invoices group by environment, year
    having count(*) <> max(seq) or count(distinct seq) <> count(*) or count(distinct number) <> count(*)`.execute(
    service.app.db,
  )
  expect(rows).toEqual([])
}

interface Statement {
  id: string
  status: string
  payment_status: string
  received_cents: number
  gross_sold_cents: number
  commission_retained_cents: number
  amount_owed_cents: number
  lines: {
    public_id: string
    gross_cents: number
    commission_cents: number
    owed_cents: number
    type: string
  }[]
}

/**
 * What the partner owes: the sales that it collected, delivered in the period, and nothing else. Returns the
 * orders that it owes for, as often as they stand in statements.
 */
async function expectStatementsInOrder(
  { client, received }: Player,
  balance: (account: string) => number,
): Promise<string[]> {
  const { settlements } = must(await client.get('/settlements?limit=100'), 200).body
  let closed = 0
  let counted = 0
  const owedFor: string[] = []
  for (const { id } of settlements) {
    const statement: Statement = must(await client.get(`/settlements/${id}`), 200).body
    const { lines, gross_sold_cents, commission_retained_cents, amount_owed_cents } = statement
    const sales = lines.filter(({ type }) => type === 'sale')
    owedFor.push(...sales.map(({ public_id }) => public_id))
    expect(sum(lines, ({ owed_cents }) => owed_cents)).toBe(amount_owed_cents)
    expect(sum(sales, ({ gross_cents }) => gross_cents)).toBe(gross_sold_cents)
    expect(sum(sales, ({ commission_cents }) => commission_cents)).toBe(commission_retained_cents)
    expect(gross_sold_cents - commission_retained_cents).toBe(amount_owed_cents)
    if (statement.status === 'closed') closed += amount_owed_cents
    counted += statement.received_cents
    const isPaid = statement.payment_status === 'paid'
    if (isPaid) expect(statement.received_cents).toBeGreaterThanOrEqual(amount_owed_cents)
    if (statement.status === 'closed' && amount_owed_cents > statement.received_cents) {
      expect(['due', 'part_paid', 'overdue']).toContain(statement.payment_status)
    }
  }
  // What was billed is what was received and what is still owed, and no payment counts twice.
  const arrived = sum([...received.values()], (cents) => cents)
  expect(counted).toBe(arrived)
  expect(balance('partner_receivable')).toBe(closed - arrived)
  return owedFor
}

test(
  'after any history, racing or not, every cent is accounted for',
  async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ rates, groups }) => {
        const [sandbox, live] = rates
        const players = await Promise.all([playerAt(sandbox, 'sandbox'), playerAt(live, 'live')])
        for (const group of groups) {
          const waits = group.filter(({ what }) => what === 'wait')
          for (const { which } of waits) service.clock.advance((which + 1) * 7 * HOUR)
          await Promise.all(group.map((one) => play(one, players)))
        }
        await calmDown()
        for (const player of players) await expectBooksInOrder(player)
        await expectNumbersInOrder()
        await expectTransfersInOrder()
      }),
      { numRuns: RUNS, endOnFailure: true, ...(SEED !== undefined && { seed: Number(SEED) }) },
    )
  },
  900_000 + RUNS * 2_000,
)

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Buyer } from '../support/buyer.ts'
import { earned } from '../support/earnings.ts'
import { mailsTo, must, operate } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

const DAY = 86_400_000
const ACCOUNT = { name: 'Ada', country: 'DE', iban: 'DE89370400440532013000', currency: 'EUR' }
const LATER = { ...ACCOUNT, iban: 'FR1420041010050500013M02606' }

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** A user who sold these names on their pages, and whose share of each is due. */
async function seller(email: string, domains: string[]) {
  await makeUser(service, email, domains)
  const { token } = must(await service.admin('POST', '/user-tokens', { email }), 201).body
  const params = { price_cents: 10_000 }
  const reader = readerOf(() => service, token)
  must(await reader.post('/api/domains/bulk/list_for_sale', { domains, params }), 200)
  for (const domain of domains) {
    const buyer = new Buyer(service)
    await buyer.pay(`/d/${domain}`)
    await operate(service, buyer.publicId ?? '', 'start', 'complete')
  }
  service.clock.advance(31 * DAY)
}

async function makePayouts(): Promise<{ id: string; partner_id: string; amount_cents: number }[]> {
  return must(await service.admin('POST', '/payouts', { environment: 'live' }), 201).body.payouts
}

async function setPayee(partnerId: string, payee: object): Promise<void> {
  must(await service.admin('PUT', `/partners/${partnerId}/payee`, { payee }), 200)
  service.clock.advance(4 * DAY)
}

const move = async (id: string, name: string) =>
  must(await service.admin('POST', `/payouts/${id}/${name}`, {}), 200)

async function paidMail(email: string): Promise<string> {
  const { body } = await service.app.db
    .selectFrom('mails')
    .select('body')
    .where('recipient', '=', email)
    .where('subject', '=', 'Your payout of 170.00 USD was sent')
    .executeTakeFirstOrThrow()
  return body ?? ''
}

test('a seller who is paid is told how much, where it went, and for what, and hears of it when it comes back', async () => {
  const email = 'ada@example.com'
  await seller(email, ['first.com', 'second.com'])
  const [failing] = await makePayouts()
  await setPayee(failing?.partner_id ?? '', ACCOUNT)
  const before = await mailsTo(service, email)
  await move(failing?.id ?? '', 'fail')
  expect(await mailsTo(service, email)).toEqual(before)

  const [payout] = await makePayouts()
  const { id = '', partner_id = '' } = payout ?? {}
  const file = { environment: 'live', format: 'csv' }
  must(await service.admin('POST', '/payout-batches', file), 201)
  // What was exported goes to the account of then.
  await setPayee(partner_id, LATER)
  const subjects = await mailsTo(service, email)
  await move(id, 'paid')
  expect((await mailsTo(service, email)).slice(subjects.length)).toEqual([
    'Your payout of 170.00 USD was sent',
  ])
  const mail = await paidMail(email)
  for (const line of [
    'Amount: 170.00 USD',
    'Account: ends in 3000',
    `Payout: ${id}`,
    '- first.com: 85.00 USD',
    '- second.com: 85.00 USD',
  ]) {
    expect(mail).toContain(line)
  }

  await move(id, 'return')
  expect(await mailsTo(service, email)).toContain('Your payout of 170.00 USD came back')
  const [again] = await makePayouts()
  expect(again).toMatchObject({ partner_id, amount_cents: 17_000 })
  await move(again?.id ?? '', 'paid')
})

test('a seller whose money was sent before they had set an account is told without one', async () => {
  const email = 'by-hand@example.com'
  await seller(email, ['third.com', 'fourth.com'])
  const [payout] = await makePayouts()
  const { id = '', partner_id = '' } = payout ?? {}
  await move(id, 'process')
  await setPayee(partner_id, ACCOUNT)
  await move(id, 'paid')
  const mail = await paidMail(email)
  expect(mail).toContain('Amount: 170.00 USD')
  expect(mail).not.toContain('Account')
})

test('a partner reads its payouts, and is sent no mail', async () => {
  const partner = await service.partner({ environment: 'live' })
  await earned(service, partner, 'live', 20_000)
  const { email } = must(await service.admin('GET', `/partners/${partner.partner_id}`), 200).body
  const [payout] = await makePayouts()
  expect(payout?.partner_id).toBe(partner.partner_id)
  await move(payout?.id ?? '', 'paid')
  await move(payout?.id ?? '', 'return')
  expect(await mailsTo(service, email)).toEqual([])
})

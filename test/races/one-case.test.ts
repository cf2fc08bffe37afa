import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { caseBody, freshTarget, moveCase, openCase } from '../support/brokerage.ts'
import type { PartnerClient, Result } from '../support/client.ts'
import { eventsOf, ledgerOf, must, refusal } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partners: PartnerClient[]
beforeAll(async () => {
  service = await startService()
  partners = await Promise.all(Array.from({ length: 4 }, () => service.partner()))
})
afterAll(() => service.stop())

/** As a client should: what got a 503 is repeated with its key until it gets another response. */
async function persist(client: PartnerClient, path: string, body: unknown): Promise<Result> {
  const key = randomUUID()
  for (;;) {
    const response = await client.post(path, body, { key })
    if (response.status !== 503) return response
  }
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

const partner = (index: number) => partners[index % 4] as PartnerClient

async function casesOf(domain: string) {
  return await service.app.db
    .selectFrom('brokerage_cases')
    .selectAll()
    .where('domain', '=', domain)
    .execute()
}

test('of 64 concurrent openings by four partners for one domain one is', async () => {
  const domain = freshTarget()
  const responses = await Promise.all(
    times(64, (index) => persist(partner(index), '/brokerage', caseBody({ domain }))),
  )
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const response of responses.filter(({ status }) => status !== 201)) {
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    expect(response.body.error.details).toEqual({ reason: 'already_in_case' })
  }
  expect(await casesOf(domain)).toHaveLength(1)
})

test('a case that ends while others are opened makes room for one', async () => {
  const domain = freshTarget()
  const { case_id } = await openCase(partner(0), { domain })
  const answers = await Promise.all([
    service.admin('POST', `/brokerage/${case_id}/cancel`, {}),
    ...times(16, (index) => persist(partner(index), '/brokerage', caseBody({ domain }))),
  ])
  must(answers[0], 200)
  const running = (await casesOf(domain)).filter(({ ended_at }) => ended_at === null)
  expect(running.length).toBe(answers.slice(1).filter(({ status }) => status === 201).length)
  expect(running.length).toBeLessThanOrEqual(1)
})

test('of many completions one is: one event, one commission', async () => {
  const client = await service.partner()
  const { case_id } = await openCase(client)
  await moveCase(service, case_id, 'source', 'contact', 'negotiate', 'agree')
  const responses = await Promise.all(
    times(24, (index) =>
      index % 2 === 0
        ? client.post(`/sandbox/brokerage/${case_id}/complete`)
        : service.admin('POST', `/brokerage/${case_id}/complete`, {}),
    ),
  )
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(23)
  expect(await eventsOf(client)).toHaveLength(1)
  const ledger = await ledgerOf(service, { partnerId: client.partner_id, environment: 'sandbox' })
  expect(ledger.filter(({ account }) => account === 'commission_payable')).toHaveLength(1)
  expect(ledger.reduce((sum, { amount_cents }) => sum + amount_cents, 0)).toBe(0)
})

test('a completion, a decline, a cancellation and a listing that meet end one way', async () => {
  const client = await service.partner()
  let completed = 0
  for (let round = 0; round < 10; round++) {
    const { case_id, domain } = await openCase(client)
    await moveCase(service, case_id, 'source', 'contact', 'negotiate', 'agree')
    const [, ...moves] = await Promise.all([
      service.list('sandbox', `${domain},5000,,USD`),
      client.post(`/sandbox/brokerage/${case_id}/complete`),
      service.admin('POST', `/brokerage/${case_id}/decline`, {}),
      service.admin('POST', `/brokerage/${case_id}/cancel`, {}),
    ])
    expect(moves.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    expect(moves.every(({ status }) => status === 200 || status === 409)).toBe(true)
    await expect
      .poll(async () => must(await client.get(`/brokerage/${case_id}`), 200).body.status)
      .toMatch(/^(?:completed|declined|cancelled)$/)
    const row = must(await client.get(`/brokerage/${case_id}`), 200).body
    const ends = row.timeline.filter(({ type }: { type: string }) =>
      /_(?:completed|declined|cancelled)$/.test(type),
    )
    expect(ends).toHaveLength(1)
    if (row.status === 'completed') completed += 1
  }
  expect(await eventsOf(client)).toHaveLength(completed)
})

test('offers of both sides at once leave one open', async () => {
  const client = await service.partner()
  const { case_id } = await openCase(client)
  await moveCase(service, case_id, 'source', 'contact')
  await Promise.all(
    times(12, (index) =>
      persist(client, `/sandbox/brokerage/${case_id}/offers`, {
        made_by: index % 2 === 0 ? 'buyer' : 'owner',
        price_cents: 1_000 + index,
      }),
    ),
  )
  const { offers, timeline } = must(await client.get(`/brokerage/${case_id}`), 200).body
  expect(offers).toHaveLength(12)
  expect(offers.filter(({ status }: { status: string }) => status === 'open')).toHaveLength(1)
  expect(
    timeline.filter(({ type }: { type: string }) => type === 'brokerage.offer_made'),
  ).toHaveLength(12)
  const open = offers.find(({ status }: { status: string }) => status === 'open')
  const responses = await Promise.all(
    times(6, (index) =>
      client.post(
        `/sandbox/brokerage/${case_id}/offers/${open.offer_id}/${index % 2 === 0 ? 'accept' : 'reject'}`,
      ),
    ),
  )
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(5)
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PartnerClient, Result } from '../support/client.ts'
import { eventTypes, must } from '../support/market.ts'
import { makeOffer, negotiable, offerBody } from '../support/offers.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** As a client should: what got a 503 is repeated with its key until it gets another response. */
async function persist(client: PartnerClient, path: string, body: object = {}): Promise<Result> {
  const key = randomUUID()
  for (;;) {
    const response = await client.post(path, body, { key })
    if (response.status !== 503) return response
  }
}

const ENDS = ['offer.accepted', 'offer.declined', 'offer.withdrawn']

async function endsOf(client: PartnerClient): Promise<string[]> {
  return (await eventTypes(client)).filter((type) => ENDS.includes(type))
}

test('of 32 responses of both sides at once one is the outcome', async () => {
  for (let round = 0; round < 5; round++) {
    const client = await service.partner()
    const domain = await negotiable(service)
    const { offer_id } = await makeOffer(client, domain)
    const moves = [
      `/sandbox/offers/${offer_id}/accept`,
      `/sandbox/offers/${offer_id}/decline`,
      `/offers/${offer_id}/withdraw`,
      `/offers/${offer_id}/accept`,
    ]
    const responses = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        persist(client, moves[(index + round) % moves.length] as string),
      ),
    )
    const done = responses.filter(({ status }) => status === 200)
    expect(done).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(31)
    const { body } = must(await client.get(`/offers/${offer_id}`), 200)
    expect(body).toEqual(done[0]?.body)
    expect(await endsOf(client)).toEqual([`offer.${body.status}`])
    const held = must(await client.get(`/domains/${domain}`), 200).body.status
    expect(held).toBe(body.status === 'accepted' ? 'reserved' : 'listed')
  }
})

test('counter-offers among them take turns, and still one response ends it', async () => {
  const client = await service.partner()
  const domain = await negotiable(service)
  const { offer_id } = await makeOffer(client, domain)
  const responses = await Promise.all(
    Array.from({ length: 32 }, (_, index) => {
      switch (index % 4) {
        case 0:
          return persist(client, `/sandbox/offers/${offer_id}/counter`, {
            amount_cents: 7_000 + index,
          })
        case 1:
          return persist(client, `/offers/${offer_id}/counter`, { amount_cents: 5_100 + index })
        case 2:
          return persist(client, `/offers/${offer_id}/accept`)
        default:
          return persist(client, `/sandbox/offers/${offer_id}/decline`)
      }
    }),
  )
  expect(responses.every(({ status }) => status === 200 || status === 409)).toBe(true)
  const { body } = must(await client.get(`/offers/${offer_id}`), 200)
  const countered = responses.filter(
    ({ status, body: { status: state } }) => status === 200 && state === 'countered',
  )
  expect(body.history).toHaveLength(1 + countered.length)
  const sides = body.history.map(({ by }: { by: string }) => by)
  for (const [index, by] of sides.entries()) expect(by).toBe(index % 2 ? 'seller' : 'buyer')
  const ends = await endsOf(client)
  expect(ends.length).toBeLessThanOrEqual(1)
  expect(ends).toEqual(body.turn === null ? [`offer.${body.status}`] : [])
})

test('of many offers for one name one is promised it', async () => {
  const partners = await Promise.all(
    Array.from({ length: 4 }, () => service.partner({ environment: 'live' })),
  )
  const domain = await negotiable(service, { environment: 'live', tld: 'com' })
  const responses = await Promise.all(
    Array.from({ length: 32 }, (_, index) =>
      persist(partners[index % 4] as PartnerClient, '/offers', offerBody(domain, 8_000 + index)),
    ),
  )
  const states = responses.map((response) => must(response, 201).body.status)
  expect(states.filter((state) => state === 'accepted')).toHaveLength(1)
  expect(states.filter((state) => state === 'open')).toHaveLength(31)
  const waiting = responses.filter(({ body }) => body.status === 'open')
  const accepts = await Promise.all(
    waiting
      .slice(0, 8)
      .map(({ body }) => service.admin('POST', `/offers/${body.offer_id}/accept`, {})),
  )
  for (const { status, body } of accepts) {
    expect([status, body.error.details.reason]).toEqual([409, 'domain_reserved'])
  }
})

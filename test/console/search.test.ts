import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCase } from '../support/brokerage.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must } from '../support/market.ts'
import { makeOffer } from '../support/offers.ts'
import { Operator } from '../support/operator.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
let operator: Operator
beforeAll(async () => {
  service = await startService()
  partner = await service.partner()
  operator = await Operator.enter(service)
})
afterAll(() => service.stop())

const find = async (q: string) =>
  must(await service.admin('GET', `/search?q=${encodeURIComponent(q)}`), 200).body.results as {
    kind: string
    id: string
  }[]
const kindsOf = async (q: string) => (await find(q)).map(({ kind }) => kind)

test('a domain finds its order, case, running offer and listing, in whatever case it is typed', async () => {
  const domain = await freshName(service)
  const { public_id } = await sold(partner, domain)
  expect(await find(` ${domain.toUpperCase()} `)).toMatchObject([
    { kind: 'order', id: public_id, label: domain, environment: 'sandbox' },
    { kind: 'listing', id: domain },
  ])
  const wanted = await freshName(service)
  await makeOffer(partner, wanted, 100)
  expect(await kindsOf(wanted)).toEqual(['offer', 'listing'])
  const { domain: asked } = await openCase(partner)
  expect(await kindsOf(asked)).toEqual(['case'])
})

test('an id finds what it is of, and nothing else', async () => {
  const { public_id, quote_id } = await sold(partner, await freshName(service))
  const { case_id } = await openCase(partner)
  const { settlements } = must(await partner.get('/settlements'), 200).body
  const ids = {
    order: public_id,
    quote: quote_id,
    case: case_id,
    partner: partner.partner_id,
    user: operator.userId,
    settlement: settlements[0].id,
  }
  for (const [kind, id] of Object.entries(ids)) {
    expect(await find(id), id).toMatchObject([{ kind, id }])
  }
  expect(await find('ord_none')).toEqual([])
  expect(await find('constructor_x')).toEqual([])
})

test('a partner is found by a part of its name, a user by the beginning of their address', async () => {
  const made = await service.admin('POST', '/partners', {
    name: 'Harbour 100% Bakery',
    email: 'harbour@example.com',
  })
  const id = must(made, 201).body.partner_id
  expect(await find('0% bak')).toMatchObject([{ kind: 'partner', id }])
  expect(await find('100_ bak')).toEqual([])
  expect(await find('OLGA@')).toMatchObject([{ kind: 'user', id: operator.userId }])
  must(await service.admin('GET', '/search?q='), 400)
  must(await service.admin('GET', '/search'), 400)
})

test('every page of the console has the search, and its results lead on', async () => {
  const domain = await freshName(service)
  const { public_id } = await sold(partner, domain)
  expect((await operator.visit('/operator/jobs')).text).toContain('action="/operator/search"')
  const { text } = await operator.visit(`/operator/search?q=${domain}`)
  expect(text).toContain(`href="/operator/orders/${public_id}?environment=sandbox"`)
  expect((await operator.visit('/operator/search?q=nothing-at-all')).text).toContain(
    'Nothing found',
  )
})

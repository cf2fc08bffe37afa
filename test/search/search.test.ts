import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { queryOf } from '../support/inputs.ts'
import { must, offer, refusal } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const NAMES =
  `petpantry.com caninecuisine.com lawyerdirectory.com budgetflights.net nuvora.io zapli.app
  organiccoffee.shop realtyagents.com mortgagemath.com yogastudio.dev gardentools.store catnaps.co
  petpantry.net quantumleap.org winecellar.com kidsbikes.de`.split(/\s+/)

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner()
  await offer(service, 'sandbox', NAMES)
})
afterAll(() => service.stop())

async function search(parameters: Record<string, string | number>) {
  return must(await partner.get(`/domains/search${queryOf(parameters)}`), 200).body.results as {
    domain: string
    score: number
    why: string
  }[]
}
const names = async (parameters: Record<string, string | number>) =>
  (await search(parameters)).map(({ domain }) => domain)

describe('search by meaning', () => {
  test.each([
    ['online shop for dog food', ['petpantry.com', 'caninecuisine.com']],
    ['attorney listings', ['lawyerdirectory.com']],
    ['cheap airline tickets', ['budgetflights.net']],
    ['real estate brokers', ['realtyagents.com']],
    ['home loan calculator', ['mortgagemath.com']],
  ])('%s', async (q, expected) => {
    expect(await names({ q })).toEqual(expect.arrayContaining(expected))
  })

  test('says which words and concepts matched', async () => {
    const found = await search({ q: 'attorney listings' })
    expect(found.find(({ domain }) => domain === 'lawyerdirectory.com')?.why).toBe(
      'matches lawyer for attorney, directory for listings',
    )
  })

  test('names a word that the name has as a match, however its letters score', async () => {
    const found = await search({ q: 'wine shop' })
    const wines = found.filter(({ domain }) => domain.startsWith('wine'))
    expect(wines).not.toEqual([])
    for (const { why } of wines) expect(why).toMatch(/^matches wine\b/)
  })

  test('is the same each time', async () => {
    const first = await search({ q: 'online shop for dog food' })
    expect(await search({ q: 'online shop for dog food' })).toEqual(first)
  })
})

describe('search by letters', () => {
  test.each([
    ['lawyerdirectroy', 'lawyerdirectory.com'],
    ['petpanty', 'petpantry.com'],
    ['organc cofee', 'organiccoffee.shop'],
    ['lawyer-directory', 'lawyerdirectory.com'],
    ['GardenTools', 'gardentools.store'],
    ['nuvor', 'nuvora.io'],
    ['zapli app', 'zapli.app'],
    ['yoga studio', 'yogastudio.dev'],
    ['petpantry.org', 'petpantry.com'],
  ])('%s finds %s', async (q, domain) => {
    expect((await names({ q }))[0]).toBe(domain)
  })

  test('the name itself scores 1', async () => {
    expect((await search({ q: 'zapli.app' }))[0]).toMatchObject({
      domain: 'zapli.app',
      score: 1,
      why: 'the name itself',
    })
  })
})

test.each([
  ['a.com', 'a.com', 1, 'the name itself'],
  ['blu zor tex', 'bluzortex.com', 0.99, 'begins with bluzortex'],
])('%s is found, whatever its words mean and its letters are like', async (q, ...expected) => {
  const [domain, score, why] = expected
  await offer(service, 'sandbox', [domain])
  expect((await search({ q }))[0]).toMatchObject({ domain, score, why })
})

test.each(['xn--caftoffee-d4a', 'XN--CAFTOFFEE-D4A', 'the xn--caftoffee-d4a shop', 'cafétoffee'])(
  'an internationalised name is found by its label, as in %s',
  async (q) => {
    await offer(service, 'sandbox', ['cafétoffee.com'])
    expect((await search({ q }))[0]).toMatchObject({ domain: 'xn--caftoffee-d4a.com' })
  },
)

describe('search finds nothing', () => {
  test.each([
    'qwzx vlorp',
    'asdfghjkl',
    'the',
    'of and to',
    '!!!',
    '…',
    'x',
    'hjklhjkl uiop',
    'xn--zzzzzzzzz999',
  ])('for %s', async (q) => {
    expect(await search({ q })).toEqual([])
  })
})

test.each(['🦄', '🍷!', '👨‍👩‍👧'])('%s is rejected, since names are found by words', async (q) => {
  const response = await partner.get(`/domains/search${queryOf({ q })}`)
  expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
  expect(response.text).toContain('must contain letters or digits: names are not found by emoji')
})

test('an emoji beside words is ignored', async () => {
  expect(await names({ q: '🍷 wine cellar' })).toEqual(await names({ q: 'wine cellar' }))
})

test('a name with the word null is found by it', async () => {
  await offer(service, 'sandbox', ['nullpointer.com'])
  const row = await service.app.db
    .selectFrom('listings')
    .select('tokens')
    .where('domain', '=', 'nullpointer.com')
    .executeTakeFirstOrThrow()
  expect(row.tokens).toEqual(['null', 'pointer'])
})

test('filters apply before the cut to five', async () => {
  const many = Array.from({ length: 30 }, (_, at) => `harborlight${at}.com`)
  await offer(service, 'sandbox', many, 500_000)
  await offer(service, 'sandbox', ['harborlightinn.net', 'theharborlight.org'], 1_000)
  expect((await names({ q: 'harbor light', max_price_cents: 1_000 })).toSorted()).toEqual([
    'harborlightinn.net',
    'theharborlight.org',
  ])
  expect(await names({ q: 'harbor light', tld: 'net' })).toEqual(['harborlightinn.net'])
  expect(await names({ q: 'harbor light', tld: 'co.uk' })).toEqual([])
  await offer(service, 'sandbox', ['harborlight.co.uk', 'harborlight.uk'])
  expect(await names({ q: 'harbor light', tld: 'uk' })).toEqual(['harborlight.uk'])
  expect(await names({ q: 'harbor light', tld: '.CO.UK' })).toEqual(['harborlight.co.uk'])
})

test('free names come before as good ones that are held, however many are held', async () => {
  const held = Array.from({ length: 20 }, (_, at) => `meadowlark${at + 10}.com`)
  const free = Array.from({ length: 4 }, (_, at) => `meadowlark${at + 30}.com`)
  await offer(service, 'sandbox', [...held, ...free])
  for (const domain of held) must(await partner.post('/quotes', { domain }), 201)
  const found = await names({ q: 'meadow lark' })
  expect(found.slice(0, 4).toSorted()).toEqual(free)
  expect(held).toContain(found[4])
})

test('a query of many short words gets results', async () => {
  const q = 'a b c d e f g h i j k l m n o p '.repeat(15)
  expect(await search({ q })).toEqual([])
  expect(await search({ q: 'zqx'.repeat(160) })).toEqual([])
})

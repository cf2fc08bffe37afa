import { readFileSync } from 'node:fs'
import { labelOf, NameIndex, rank, splitLabel } from 'domain-marketplace-name-search'
import { describe, expect, test } from 'vitest'

const SHOWN = 5
const index = seedInventory()

function seedInventory(): NameIndex {
  const seed = new URL('../../seed/sandbox-listings.csv', import.meta.url)
  const index = new NameIndex()
  for (const line of readFileSync(seed, 'utf8').trim().split('\n').slice(1)) {
    const [domain = '', price] = line.split(',')
    index.put(domain, splitLabel(labelOf(domain)), Number(price))
  }
  return index
}

/** What fits less comes and goes with what else is said. */
const FITS = 0.35

const found = (query: string) => rank(index, query, {}, SHOWN)
const names = (query: string) => found(query).map(({ domain }) => domain)
const fitting = (query: string) =>
  found(query)
    .filter(({ score }) => score >= FITS)
    .map(({ domain }) => domain)

describe('a sentence finds what its content words find', () => {
  test.each([
    ['a bakery in paris', 'bakery paris'],
    ['domain for a bakery in paris please', 'bakery paris'],
    ["I'd like a name for my bakery in Paris, what do you have?", 'bakery paris'],
    ['I need a domain name for my new online recipe website', 'recipe website'],
    ['we are starting a company that offers driving lessons', 'driving lessons'],
    ['could you suggest something short and memorable about rugby? Thanks!', 'rugby'],
    ['What do these people use who sell fishing tackle?', 'fishing tackle'],
    ['how do I call my bakery in Paris', 'bakery paris'],
    ['what should we name our yoga studio?', 'yoga studio'],
    ["I'm looking for a yoga site, under 2000 USD", 'yoga'],
  ])('%s', (sentence, content) => {
    const expected = fitting(content)
    expect(expected).not.toEqual([])
    expect(names(sentence)).toEqual(expect.arrayContaining(expected))
  })

  test('however much is said before it', () => {
    const long = `Hello, we are two friends who have been thinking about this for some years now, and we
      would really like to have a good, short, memorable name for what we do: kayak rental`
    expect(names(long)[0]).toBe('kayakrental.example')
  })

  test.each([
    ['domain for barkbakry please', 'barkbakery.example'],
    ['I need a website like purrfectpiks', 'purrfectpicks.test'],
  ])('with a slip: %s', (sentence, domain) => {
    expect(names(sentence)[0]).toBe(domain)
  })
})

test.each([
  'I need a domain name for plimq zzrtx',
  'what do you have',
  "I'd like a new site about xqv brzzt ngk please",
  'could you suggest a good name for our isostatic rebound of fennoscandia project',
])('nothing for %s', (sentence) => {
  expect(names(sentence)).toEqual([])
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BestFirst, stepOf } from '../src/best-first.ts'
import { byMeaning } from '../src/by-meaning.ts'
import { NameIndex } from '../src/name-index.ts'
import { NamesByTerms } from '../src/names-by-terms.ts'
import { rank } from '../src/rank.ts'
import { readQuery } from '../src/read-query.ts'
import { createScorer } from '../src/score-name.ts'

describe('names by their terms', () => {
  /** As many names as make some lists long, and enough pairs for the table to grow. */
  const added = fc.array(
    fc.record({ a: fc.nat(60), b: fc.nat(60), cost: fc.nat(50).map((tenths) => tenths / 10) }),
    { minLength: 1, maxLength: 3_000 },
  )

  function read(lists: NamesByTerms, a: number, b: number) {
    const found: { name: number; cost: number }[] = []
    for (let at = lists.first(a, b); at !== 0; at = lists.next(at)) {
      found.push({ name: lists.name(at), cost: lists.cost(at) })
    }
    return found
  }

  test('are found by both, whatever their order, the cheapest first', () => {
    fc.assert(
      fc.property(added, fc.boolean(), (names, isOneList) => {
        const lists = new NamesByTerms()
        const keyOf = isOneList ? () => '1 2' : ({ a, b }: { a: number; b: number }) => `${a} ${b}`
        const expected = new Map<string, number[]>()
        for (const [name, one] of names.entries()) {
          const { a, b } = isOneList ? { a: 1, b: 2 } : one
          lists.add(a, b, name, one.cost)
          const key = keyOf(a <= b ? { a, b } : { a: b, b: a })
          expected.set(key, [...(expected.get(key) ?? []), name])
        }
        for (const [key, all] of expected) {
          const [a = 0, b = 0] = key.split(' ').map(Number)
          const found = read(lists, b, a)
          expect(found.map(({ name }) => name).toSorted((a, b) => a - b)).toEqual(all)
          const cheapest = all.map((name) => names[name]?.cost ?? 0).toSorted((a, b) => a - b)
          const first = found.slice(0, 32).map(({ cost }) => cost)
          for (const [at, cost] of first.entries()) expect(cost).toBeCloseTo(cheapest[at] ?? 0, 3)
        }
        expect(read(lists, 61, 62)).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})

test('what is worth most comes first, and nothing below what is asked for', () => {
  const worths = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 200 })
  fc.assert(
    fc.property(worths, fc.double({ min: 0, max: 1, noNaN: true }), (some, least) => {
      const best = new BestFirst(some.length)
      for (const [item, worth] of some.entries()) best.push(item, stepOf(worth))
      const steps: number[] = []
      for (let item = best.pop(least); item !== undefined; item = best.pop(least)) {
        steps.push(stepOf(some[item] ?? 0))
      }
      const expected = some.map(stepOf).filter((step) => step >= stepOf(least))
      expect(steps).toEqual(expected.toSorted((a, b) => b - a))
    }),
  )
})

describe('among many names', () => {
  const WORDS =
    'coffee tea bean roast cafe barista shop store club house world guide travel hotel flight pet dog cat vet paw'.split(
      ' ',
    )
  const FEW = 40
  const index = new NameIndex()
  for (const one of WORDS) {
    for (const two of WORDS) {
      if (one !== two) index.put(`${one}${two}.com`, [one, two], 100)
      for (const three of WORDS) index.put(`${one}${two}${three}.net`, [one, two, three], 100)
    }
  }

  test.each(['coffee shop', 'dog hotel', 'pet travel', 'cat cafe guide'])(
    'the best for `%s` are among those found by its words',
    (query) => {
      const read = readQuery(query, index)
      const scorer = createScorer(index, read)
      const scores = (names: number[]) =>
        names
          .map((name) => scorer.score(name))
          .toSorted((a, b) => b - a)
          .slice(0, 5)
      const all = [...index.domains.keys()]
      expect(scores(byMeaning(index, read, () => true))).toEqual(scores(all))
    },
  )

  test('a filter that rejects nearly all of them still finds what is left', () => {
    for (let at = 0; at < FEW; at += 1) {
      index.put(`${'x'.repeat(at + 1)}coffee.net`, ['x'.repeat(at + 1), 'coffee'], 1)
    }
    const found = rank(index, 'coffee', { maxPriceCents: 1 }, FEW)
    expect(found).toHaveLength(FEW)
  })
})

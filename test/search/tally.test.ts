import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { likeness, likenessAtMost } from '../../src/modules/search/spelling.ts'
import { highest, type Posting, tally } from '../../src/modules/search/tally.ts'

/** Several blocks of names; few of them, so that postings share some. */
const SIZE = 200_000

const posting: fc.Arbitrary<Posting> = fc
  .record({
    names: fc
      .uniqueArray(fc.nat(49), { maxLength: 40 })
      .map((names) => Uint32Array.from(names.map((at) => at * 4_000).toSorted((a, b) => a - b))),
    group: fc.nat(4),
    score: fc.integer({ min: 1, max: 64 }),
  })
  .map((one) => ({ ...one, leads: one.group % 2 === 0 }))
const postings = fc
  .array(posting, { maxLength: 12 })
  .map((some) => some.toSorted((a, b) => a.group - b.group))

/** What the docstring of `tally` says, one name at a time. */
function plainTally(postings: Posting[]): [number, number][] {
  const names = new Set(postings.flatMap(({ names, leads }) => (leads ? [...names] : [])))
  return [...names].map((name) => {
    const scores = new Map<number, number>()
    for (const { names, group, score } of postings) {
      if (names.includes(name) && !scores.has(group)) scores.set(group, score)
    }
    return [name, [...scores.values()].reduce((sum, score) => sum + score, 0)]
  })
}

describe('a tally', () => {
  test('sums what each group says first of a name that is brought', () => {
    fc.assert(
      fc.property(postings, (some) => {
        const { names, scores } = tally(some, SIZE)
        const tallied = [...names].map((name, at) => [name, scores[at]] as [number, number])
        expect(new Map(tallied)).toEqual(new Map(plainTally(some)))
        expect(tallied).toHaveLength(new Set(names).size)
      }),
    )
  })

  test('leaves nothing behind for the next', () => {
    const names = Uint32Array.from([3, 70_000, 199_999])
    const once = [{ names, group: 0, score: 1, leads: true }]
    const sums = () => [...tally(once, SIZE).scores]
    expect(sums()).toEqual([1, 1, 1])
    expect(sums()).toEqual([1, 1, 1])
  })
})

test('the highest are at least as many as were asked for, and none left out is higher', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -500, max: 500 }), { maxLength: 400 }),
      fc.integer({ min: 1, max: 100 }),
      (values, count) => {
        const places = highest(Float32Array.from(values), count)
        expect(places.length).toBeGreaterThanOrEqual(Math.min(count, values.length))
        const taken = new Set(places)
        const least = Math.min(...places.map((place) => values[place] as number))
        const left = values.filter((_, place) => !taken.has(place))
        for (const value of left) expect(value).toBeLessThan(least)
      },
    ),
  )
})

test('no likeness is above its bound', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdé-1'), maxLength: 14 })
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(likeness(a, b)).toBeLessThanOrEqual(likenessAtMost(a, b) + 1e-9)
    }),
  )
})

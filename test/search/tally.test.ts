import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entryOf, lengthOf, nameOf } from '../../src/modules/search/name-entry.ts'
import { likeness, likenessAtMost } from '../../src/modules/search/spelling.ts'
import { type Lengths, tally } from '../../src/modules/search/tally.ts'

/** Several blocks of names; few of them, so that lists share some. */
const SIZE = 200_000

const lists = fc.array(
  fc
    .uniqueArray(fc.nat(49), { maxLength: 40 })
    .map((names) =>
      Uint32Array.from(names.map((at) => entryOf(at * 4_000, at % 7)).toSorted((a, b) => a - b)),
    ),
  { maxLength: 12 },
)

/** What the docstring of `tally` says, one name at a time. */
function plainTally(some: Uint32Array[], leading: number, { least, most }: Lengths) {
  const fits = (entry: number) => lengthOf(entry) >= least && lengthOf(entry) <= most
  const entries = new Set(
    some.slice(0, leading).flatMap((list, at) => [...list].filter((one) => at === 0 || fits(one))),
  )
  return [...entries].map((entry) => {
    const having = some.flatMap((list, at) => (list.includes(entry) ? [at] : []))
    return [nameOf(entry), having.length]
  }) as [number, number][]
}

describe('a tally', () => {
  test('counts the lists that have a name of the leading ones', () => {
    fc.assert(
      fc.property(lists, fc.nat(12), fc.nat(6), fc.nat(6), (some, leading, least, most) => {
        const { entries, counts } = tally(some, leading, { least, most }, SIZE)
        const tallied = [...entries].map((entry, at) => [nameOf(entry), counts[at]])
        expect(new Map(tallied as [number, number][])).toEqual(
          new Map(plainTally(some, leading, { least, most })),
        )
        expect(tallied).toHaveLength(new Set(entries).size)
      }),
    )
  })

  test('leaves nothing behind for the next', () => {
    const once = [Uint32Array.from([3, 70_000, 199_999].map((name) => entryOf(name, 63)))]
    const counts = () => [...tally(once, 1, { least: 1, most: 8 }, SIZE).counts]
    expect(counts()).toEqual([1, 1, 1])
    expect(counts()).toEqual([1, 1, 1])
  })
})

test('no likeness is above its bound', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdé-1'), maxLength: 14 })
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(likeness(a, b)).toBeLessThanOrEqual(likenessAtMost(a, b) + 1e-9)
    }),
  )
})

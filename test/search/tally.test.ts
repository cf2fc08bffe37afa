import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { likeness, likenessAtMost } from '../../src/modules/search/spelling.ts'
import { tally } from '../../src/modules/search/tally.ts'

/** Several blocks of names; few of them, so that lists share some. */
const SIZE = 200_000

const lists = fc.array(
  fc
    .uniqueArray(fc.nat(49), { maxLength: 40 })
    .map((names) => Uint32Array.from(names.map((at) => at * 4_000).toSorted((a, b) => a - b))),
  { maxLength: 12 },
)

/** What the docstring of `tally` says, one name at a time. */
function plainTally(some: Uint32Array[], leading: number): [number, number][] {
  const names = new Set(some.slice(0, leading).flatMap((list) => [...list]))
  return [...names].map((name) => [name, some.filter((list) => list.includes(name)).length])
}

describe('a tally', () => {
  test('counts the lists that have a name of the leading ones', () => {
    fc.assert(
      fc.property(lists, fc.nat(12), (some, leading) => {
        const { names, counts } = tally(some, leading, SIZE)
        const tallied = [...names].map((name, at) => [name, counts[at]] as [number, number])
        expect(new Map(tallied)).toEqual(new Map(plainTally(some, leading)))
        expect(tallied).toHaveLength(new Set(names).size)
      }),
    )
  })

  test('leaves nothing behind for the next', () => {
    const once = [Uint32Array.from([3, 70_000, 199_999])]
    const counts = () => [...tally(once, 1, SIZE).counts]
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

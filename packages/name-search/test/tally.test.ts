import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entryOf } from '../src/name-entry.ts'
import { likeness, likenessAtMost } from '../src/spelling.ts'
import { tally } from '../src/tally.ts'

/** Several blocks of names; few of them, so that lists share some. */
const lists = fc.array(
  fc
    .uniqueArray(fc.nat(49), { maxLength: 40 })
    .map((names) =>
      Uint32Array.from(names.map((at) => entryOf(at * 4_000, at % 7)).toSorted((a, b) => a - b)),
    ),
  { maxLength: 12 },
)

function tallied(some: Uint32Array[], needed: number): [entry: number, count: number][] {
  const told: [number, number][] = []
  tally(some, needed, (entry, count) => told.push([entry, count]))
  return told
}

describe('a tally', () => {
  test('tells once of each entry that as many lists have as are needed, or more', () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 6 }), (some, needed) => {
        const expected = [...new Set(some.flatMap((list) => [...list]))]
          .map((entry) => [entry, some.filter((list) => list.includes(entry)).length] as const)
          .filter(([, count]) => count >= needed)
        const told = tallied(some, needed)
        expect(told).toHaveLength(expected.length)
        expect(new Map(told)).toEqual(new Map(expected))
      }),
    )
  })

  test('leaves nothing behind for the next', () => {
    const once = [Uint32Array.from([3, 70_000, 199_999].map((name) => entryOf(name, 63)))]
    const counts = () => tallied(once, 1).map(([, count]) => count)
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

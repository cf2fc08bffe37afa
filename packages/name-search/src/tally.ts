import { nameOf } from './name-entry.ts'

/** Names that are tallied at a time: so few that what is counted of them stays in the processor's cache. */
const BLOCK = 65_536

const blockCounts = new Uint8Array(BLOCK)

/**
 * Tells of each entry that at least `needed` of at most 255 lists have, and how many do; lists have each
 * entry once, the names rising. All that is done for an entry that few lists have is to count it.
 */
export function tally(
  lists: readonly Uint32Array[],
  needed: number,
  tell: (entry: number, count: number) => void,
): void {
  let last = 0
  for (const list of lists) last = Math.max(last, nameOf(list.at(-1) ?? 0))
  const places = new Uint32Array(lists.length)
  const found: number[] = []
  for (let from = 0; from <= last; from += BLOCK) {
    const end = from + BLOCK
    for (let each = 0; each < lists.length; each += 1) {
      const entries = lists[each] as Uint32Array
      let place = places[each] as number
      for (; place < entries.length; place += 1) {
        const entry = entries[place] as number
        const name = nameOf(entry)
        if (name >= end) break
        const count = (blockCounts[name - from] as number) + 1
        blockCounts[name - from] = count
        if (count === needed) found.push(entry)
      }
      places[each] = place
    }
    for (const entry of found) tell(entry, blockCounts[nameOf(entry) - from] as number)
    found.length = 0
    blockCounts.fill(0)
  }
}

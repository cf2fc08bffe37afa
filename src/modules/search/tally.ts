import { lengthOf, nameOf } from './name-entry.ts'

/** Names that are tallied at a time: so few that what is kept of them stays in the processor's cache. */
const BLOCK = 65_536

const blockCounts = new Uint8Array(BLOCK)
let found = new Uint32Array(BLOCK)
let counts = new Uint8Array(BLOCK)

export interface Lengths {
  least: number
  most: number
}

/**
 * In how many of at most 255 lists of rising entries each is that one of the first `leading` has, or, when
 * its label is of another length, the very first; `size` is above the highest name. What is answered is read
 * before the next call.
 */
export function tally(
  lists: readonly Uint32Array[],
  leading: number,
  { least, most }: Lengths,
  size: number,
): { entries: Uint32Array; counts: Uint8Array } {
  makeRoom(lists)
  const places = new Uint32Array(lists.length)
  let count = 0
  for (let from = 0; from < size; from += BLOCK) {
    const start = count
    const end = from + BLOCK
    for (let each = 0; each < lists.length; each += 1) {
      const entries = lists[each] as Uint32Array
      let place = places[each] as number
      for (; place < entries.length; place += 1) {
        const entry = entries[place] as number
        const name = nameOf(entry)
        if (name >= end) break
        const slot = name - from
        const before = blockCounts[slot] as number
        if (before === 0) {
          if (each >= leading) continue
          const length = lengthOf(entry)
          if (each > 0 && (length < least || length > most)) continue
          found[count++] = entry
        }
        blockCounts[slot] = before + 1
      }
      places[each] = place
    }
    for (let at = start; at < count; at += 1) {
      const slot = nameOf(found[at] as number) - from
      counts[at] = blockCounts[slot] as number
      blockCounts[slot] = 0
    }
  }
  return { entries: found.subarray(0, count), counts: counts.subarray(0, count) }
}

function makeRoom(lists: readonly Uint32Array[]): void {
  const most = lists.reduce((sum, { length }) => sum + length, 0)
  if (found.length >= most) return
  found = new Uint32Array(most * 2)
  counts = new Uint8Array(most * 2)
}

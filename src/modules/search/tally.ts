/** Names that are tallied at a time: so few that what is kept of them stays in the processor's cache. */
const BLOCK = 65_536

const blockCounts = new Uint8Array(BLOCK)
let found = new Uint32Array(BLOCK)
let counts = new Uint8Array(BLOCK)

/**
 * In how many of at most 255 lists of rising numbers each name is that one of the first `leading` has; `size`
 * is above the highest. What is answered is read before the next call.
 */
export function tally(
  lists: readonly Uint32Array[],
  leading: number,
  size: number,
): { names: Uint32Array; counts: Uint8Array } {
  makeRoom(lists)
  const places = new Uint32Array(lists.length)
  let count = 0
  for (let from = 0; from < size; from += BLOCK) {
    const start = count
    const end = from + BLOCK
    for (let each = 0; each < lists.length; each += 1) {
      const names = lists[each] as Uint32Array
      let place = places[each] as number
      for (; place < names.length; place += 1) {
        const name = names[place] as number
        if (name >= end) break
        const slot = name - from
        const before = blockCounts[slot] as number
        if (before === 0) {
          if (each >= leading) continue
          found[count++] = name
        }
        blockCounts[slot] = before + 1
      }
      places[each] = place
    }
    for (let at = start; at < count; at += 1) {
      const slot = (found[at] as number) - from
      counts[at] = blockCounts[slot] as number
      blockCounts[slot] = 0
    }
  }
  return { names: found.subarray(0, count), counts: counts.subarray(0, count) }
}

function makeRoom(lists: readonly Uint32Array[]): void {
  const most = lists.reduce((sum, { length }) => sum + length, 0)
  if (found.length >= most) return
  found = new Uint32Array(most * 2)
  counts = new Uint8Array(most * 2)
}

/** Names, in rising order, that a term or a trigram is found in. */
export interface Posting {
  names: Uint32Array
  /**
   * From 0. The postings of one group follow each other, and all of them lead or none; only the first that
   * has a name counts for it.
   */
  group: number
  score: number
  /** Whether it brings names; else it only adds to those that others bring. */
  leads: boolean
}

/** Names that are tallied at a time: so few that what is kept of them stays in the processor's cache. */
const BLOCK = 65_536
const BUCKETS = 512

const sums = new Float32Array(BLOCK)
/** The last group that counted for the name, plus one. */
const lastGroups = new Uint16Array(BLOCK)
let found = new Uint32Array(BLOCK)
let scores = new Float32Array(BLOCK)

/**
 * The names that the postings bring, and the sum of the scores of each; `size` is above the highest name.
 * What is answered is read before the next call.
 */
export function tally(
  postings: readonly Posting[],
  size: number,
): { names: Uint32Array; scores: Float32Array } {
  makeRoom(postings)
  const leadingFirst = postings.toSorted((a, b) => Number(b.leads) - Number(a.leads))
  const places = new Uint32Array(postings.length)
  let count = 0
  for (let from = 0; from < size; from += BLOCK) {
    const start = count
    const end = from + BLOCK
    for (let each = 0; each < leadingFirst.length; each += 1) {
      const { names, group, score, leads } = leadingFirst[each] as Posting
      const mark = group + 1
      let place = places[each] as number
      for (; place < names.length; place += 1) {
        const name = names[place] as number
        if (name >= end) break
        const slot = name - from
        const last = lastGroups[slot] as number
        if (last === mark) continue
        if (last === 0) {
          if (!leads) continue
          found[count++] = name
        }
        lastGroups[slot] = mark
        sums[slot] = (sums[slot] as number) + score
      }
      places[each] = place
    }
    for (let at = start; at < count; at += 1) {
      const slot = (found[at] as number) - from
      scores[at] = sums[slot] as number
      sums[slot] = 0
      lastGroups[slot] = 0
    }
  }
  return { names: found.subarray(0, count), scores: scores.subarray(0, count) }
}

function makeRoom(postings: readonly Posting[]): void {
  const most = postings.reduce((sum, { names }) => sum + names.length, 0)
  if (found.length >= most) return
  found = new Uint32Array(most * 2)
  scores = new Float32Array(most * 2)
}

/** Where the `count` highest values are, and those about as high as the last of them, in no order. */
export function highest(values: Float32Array, count: number): number[] {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number
    if (value < least) least = value
    if (value > most) most = value
  }
  const scale = most > least ? (BUCKETS - 1) / (most - least) : 0
  const sizes = new Uint32Array(BUCKETS)
  for (let at = 0; at < values.length; at += 1) {
    const bucket = (((values[at] as number) - least) * scale) | 0
    sizes[bucket] = (sizes[bucket] as number) + 1
  }
  let lowest = BUCKETS
  for (let held = 0; lowest > 0 && held < count; held += sizes[lowest] as number) lowest -= 1
  const places: number[] = []
  for (let at = 0; at < values.length; at += 1) {
    if (((((values[at] as number) - least) * scale) | 0) >= lowest) places.push(at)
  }
  return places
}

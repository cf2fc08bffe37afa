import { type NameIndex, trigramsOf } from './name-index.ts'
import type { ReadQuery } from './read-query.ts'

const MAX_BY_MEANING = 300
const MAX_BY_LETTERS = 40
/** A word that says much less than the query's other words leads to no candidates of its own. */
const LEADING_SHARE = 0.4
/** Names that one word of the query may lead to; the nearest words come first. */
const MAX_REACHED = 30_000
const LETTER_COST = 0.004
const BUCKETS = 512
const MIN_LETTERS = 4
const MAX_LETTERS = 30
const RAREST_TRIGRAMS = 9
const SHARED_TRIGRAMS = 0.4

/** Room for one number a name, which is left as it was found: all zero. */
let scores = new Float32Array(0)
let nears = new Float32Array(0)
let counts = new Uint8Array(0)

/** The names that may answer the query, by the words they are made of and by how they are spelt. */
export function candidates(
  index: NameIndex,
  read: ReadQuery,
  accepts: (name: number) => boolean,
): Set<number> {
  return new Set([...byMeaning(index, read, accepts), ...byLetters(index, read, accepts)])
}

/** The names whose words cover most of the query's meaning. */
export function byMeaning(
  index: NameIndex,
  read: ReadQuery,
  accepts: (name: number) => boolean,
): number[] {
  makeRoom(index)
  const reached: number[] = []
  const heaviest = Math.max(0, ...read.words.map(({ weight }) => weight))
  for (const [at, { weight }] of read.words.entries()) {
    if (weight < heaviest * LEADING_SHARE) continue
    const names: number[] = []
    for (const [term, near] of termsNear(read, at)) {
      if (names.length > MAX_REACHED) break
      const having = index.namesWithTerm(term)
      for (let place = 0; place < having.length; place += 1) {
        const name = having[place] ?? 0
        if (nears[name] !== 0) continue
        nears[name] = near
        names.push(name)
      }
    }
    for (let place = 0; place < names.length; place += 1) {
      const name = names[place] ?? 0
      if (scores[name] === 0) reached.push(name)
      scores[name] = (scores[name] ?? 0) + weight * (nears[name] ?? 0)
      nears[name] = 0
    }
  }
  const best = bestOf(index, reached, accepts)
  for (const name of reached) scores[name] = 0
  return best
}

function makeRoom({ size }: NameIndex): void {
  if (scores.length >= size) return
  scores = new Float32Array(size * 1.25)
  nears = new Float32Array(size * 1.25)
  counts = new Uint8Array(size * 1.25)
}

/** The terms near the query's word, alone or in a phrase, the nearest first. */
function termsNear({ units }: ReadQuery, at: number): [term: number, near: number][] {
  const near = new Map<number, number>()
  for (const unit of units) {
    if (at < unit.from || at >= unit.from + unit.count) continue
    for (const [term, weight] of unit.near) near.set(term, Math.max(near.get(term) ?? 0, weight))
  }
  return [...near].toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
}

/** The best by score, short names first, without sorting them all. */
function bestOf(index: NameIndex, reached: number[], accepts: (name: number) => boolean): number[] {
  let highest = 0
  for (const name of reached) highest = Math.max(highest, scores[name] ?? 0)
  const sizes = new Uint32Array(BUCKETS)
  const buckets = new Uint16Array(reached.length)
  for (let at = 0; at < reached.length; at += 1) {
    const bucket = Math.floor(((scores[reached[at] ?? 0] ?? 0) / highest) * (BUCKETS - 1))
    buckets[at] = bucket
    sizes[bucket] = (sizes[bucket] ?? 0) + 1
  }
  // From the top down, a band of buckets at a time, until enough of them are accepted.
  const best: number[] = []
  let top = BUCKETS
  while (top > 0 && best.length < MAX_BY_MEANING) {
    let bottom = top
    let held = 0
    while (bottom > 0 && held < MAX_BY_MEANING) {
      bottom -= 1
      held += sizes[bottom] ?? 0
    }
    for (let at = 0; at < reached.length; at += 1) {
      const bucket = buckets[at] ?? 0
      if (bucket >= bottom && bucket < top && accepts(reached[at] ?? 0)) best.push(reached[at] ?? 0)
    }
    top = bottom
  }
  return best
    .toSorted((a, b) => keyOf(index, b) - keyOf(index, a) || a - b)
    .slice(0, MAX_BY_MEANING)
}

function keyOf(index: NameIndex, name: number): number {
  return (scores[name] ?? 0) - LETTER_COST * index.letters(name)
}

/** The names that are written much like the query, by the trigrams they share; for brands and slips. */
export function byLetters(
  index: NameIndex,
  { label }: ReadQuery,
  accepts: (name: number) => boolean,
): number[] {
  if (label.length < MIN_LETTERS || label.length > MAX_LETTERS) return []
  makeRoom(index)
  const trigrams = [...new Set(trigramsOf(label))]
    .map((trigram) => index.namesWithTrigram(trigram))
    .toSorted((a, b) => a.length - b.length)
    .slice(0, RAREST_TRIGRAMS)
  const needed = Math.max(2, Math.ceil(trigrams.length * SHARED_TRIGRAMS))
  const alike: number[] = []
  for (const names of trigrams) {
    for (const name of names) {
      const count = (counts[name] ?? 0) + 1
      counts[name] = count
      if (count === needed) alike.push(name)
    }
  }
  const best = alike
    .map((name) => ({ name, share: shareOf(name) }))
    .toSorted((a, b) => b.share - a.share || a.name - b.name)
    .filter(({ name }) => accepts(name))
    .slice(0, MAX_BY_LETTERS)
    .map(({ name }) => name)
  for (const names of trigrams) for (const name of names) counts[name] = 0
  return best

  function shareOf(name: number): number {
    const letters = index.letters(name)
    return (counts[name] ?? 0) / (trigrams.length + Math.abs(letters - label.length))
  }
}

import { type NameIndex, trigramsOf } from './name-index.ts'
import type { ReadQuery } from './read-query.ts'
import { highest, type Posting, tally } from './tally.ts'

const MAX_BY_MEANING = 200
const MAX_BY_LETTERS = 40
/** Names that one word of the query may lead to; the nearest words come first. */
const MAX_REACHED = 30_000
const LETTER_COST = 0.004
const MIN_LETTERS = 4
const MAX_LETTERS = 30
const RAREST_TRIGRAMS = 9
const SHARED_TRIGRAMS = 0.4

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
  const postings: Posting[] = []
  for (const [word, { weight, leads }] of read.words.entries()) {
    let reached = 0
    for (const [term, near] of termsNear(read, word)) {
      if (reached > MAX_REACHED) break
      const names = index.namesWithTerm(term)
      postings.push({ names, group: word, score: weight * near, leads })
      reached += names.length
    }
  }
  const { names, scores } = tally(postings, index.size)
  // Most filters refuse few: a look at the best is mostly enough.
  let best: number[] = []
  for (let count = MAX_BY_MEANING; ; count *= 4) {
    best = highest(scores, count).filter((at) => accepts(names[at] as number))
    if (best.length >= MAX_BY_MEANING || count >= names.length) break
  }
  const keys = Float32Array.from(
    best,
    (at) => (scores[at] as number) - LETTER_COST * index.letters(names[at] as number),
  )
  return highest(keys, MAX_BY_MEANING)
    .map((at) => ({ name: names[best[at] as number] as number, key: keys[at] as number }))
    .toSorted((a, b) => b.key - a.key || a.name - b.name)
    .slice(0, MAX_BY_MEANING)
    .map(({ name }) => name)
}

/** The terms near the query's word, alone or in a phrase, the nearest first. */
function termsNear({ units }: ReadQuery, word: number): [term: number, near: number][] {
  const near = new Map<number, number>()
  for (const unit of units) {
    if (word < unit.from || word >= unit.from + unit.count) continue
    for (const [term, weight] of unit.near) near.set(term, Math.max(near.get(term) ?? 0, weight))
  }
  return [...near].toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
}

/** The names that are written much like the query, by the trigrams they share; for brands and slips. */
export function byLetters(
  index: NameIndex,
  { leadingLetters: letters }: ReadQuery,
  accepts: (name: number) => boolean,
): number[] {
  if (letters.length < MIN_LETTERS || letters.length > MAX_LETTERS) return []
  const rarest = [...new Set(trigramsOf(letters))]
    .map((trigram) => index.namesWithTrigram(trigram))
    .toSorted((a, b) => a.length - b.length)
    .slice(0, RAREST_TRIGRAMS)
  const needed = Math.max(2, Math.ceil(rarest.length * SHARED_TRIGRAMS))
  // Who has none but the commonest of them cannot have as many as are needed.
  const leading = rarest.length - needed + 1
  const { names, scores } = tally(
    rarest.map((names, group) => ({ names, group, score: 1, leads: group < leading })),
    index.size,
  )
  const alike: { name: number; share: number }[] = []
  for (let at = 0; at < names.length; at += 1) {
    const shared = scores[at] as number
    if (shared < needed) continue
    const name = names[at] as number
    const apart = Math.abs(index.letters(name) - letters.length)
    alike.push({ name, share: shared / (rarest.length + apart) })
  }
  return alike
    .toSorted((a, b) => b.share - a.share || a.name - b.name)
    .filter(({ name }) => accepts(name))
    .slice(0, MAX_BY_LETTERS)
    .map(({ name }) => name)
}

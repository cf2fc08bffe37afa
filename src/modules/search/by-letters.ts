import { type NameIndex, trigramsOf } from './name-index.ts'
import type { ReadQuery } from './read-query.ts'
import { tally } from './tally.ts'

const MAX_NAMES = 40
const MIN_LETTERS = 4
const MAX_LETTERS = 30
const RAREST_TRIGRAMS = 9
const SHARED_TRIGRAMS = 0.4

/** The names that are written much like the query, by the trigrams they share; for brands and slips. */
export function byLetters(
  index: NameIndex,
  { leadingLetters: letters, mayBeSpelt }: ReadQuery,
  accepts: (name: number) => boolean,
): number[] {
  if (!mayBeSpelt || letters.length < MIN_LETTERS || letters.length > MAX_LETTERS) return []
  const rarest = [...new Set(trigramsOf(letters))]
    .map((trigram) => index.namesWithTrigram(trigram))
    .toSorted((a, b) => a.length - b.length)
    .slice(0, RAREST_TRIGRAMS)
  const needed = Math.max(2, Math.ceil(rarest.length * SHARED_TRIGRAMS))
  // Who has none but the commonest of them cannot have as many as are needed.
  const leading = rarest.length - needed + 1
  const { names, counts } = tally(rarest, leading, index.size)
  const alike: { name: number; share: number }[] = []
  for (let at = 0; at < names.length; at += 1) {
    const shared = counts[at] as number
    if (shared < needed) continue
    const name = names[at] as number
    const apart = Math.abs(index.length(name) - letters.length)
    alike.push({ name, share: shared / (rarest.length + apart) })
  }
  return alike
    .toSorted((a, b) => b.share - a.share || a.name - b.name)
    .filter(({ name }) => accepts(name))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)
}

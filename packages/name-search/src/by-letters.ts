import { keepBest } from './best-first.ts'
import { lengthOf, nameOf } from './name-entry.ts'
import { type NameIndex, trigramsOf } from './name-index.ts'
import type { ReadQuery } from './read-query.ts'
import { MAX_LONGER } from './score-name.ts'
import { tally } from './tally.ts'

const MAX_NAMES = 40
const MIN_LETTERS = 4
const MAX_LETTERS = 30
const RAREST_TRIGRAMS = 9
const SHARED_TRIGRAMS = 0.4
/** Two hyphens in a name are no letters. */
const HYPHENS = 2

interface Alike {
  name: number
  share: number
}

/** The names that are written much like the query, by the trigrams they share; for brands and slips. */
export function byLetters(
  index: NameIndex,
  { leadingLetters: letters, mayBeSpelt }: ReadQuery,
  accepts: (name: number) => boolean,
): number[] {
  if (!mayBeSpelt || letters.length < MIN_LETTERS || letters.length > MAX_LETTERS) return []
  const rarest = [...new Set(trigramsOf(letters))]
    .map((trigram) => index.withTrigram(trigram))
    .toSorted((a, b) => a.length - b.length)
    .slice(0, RAREST_TRIGRAMS)
  const needed = Math.max(2, Math.ceil(rarest.length * SHARED_TRIGRAMS))
  const least = letters.length / (1 + MAX_LONGER)
  const most = letters.length / (1 - MAX_LONGER) + HYPHENS
  const best: Alike[] = []
  tally(rarest, needed, (entry, shared) => {
    const length = lengthOf(entry)
    const one = {
      name: nameOf(entry),
      share: shared / (rarest.length + Math.abs(length - letters.length)),
    }
    const last = best[MAX_NAMES - 1]
    if (last && !isBetter(one, last)) return
    // What is much longer looks like it only as what it begins with.
    const mayLook =
      (length >= least && length <= most) ||
      index.domains[one.name]?.replaceAll('-', '').startsWith(letters)
    if (mayLook && accepts(one.name)) keepBest(best, one, MAX_NAMES, isBetter)
  })
  return best.map(({ name }) => name)
}

/** Of names as much alike the earlier is. */
function isBetter(one: Alike, than: Alike): boolean {
  return one.share > than.share || (one.share === than.share && one.name < than.name)
}

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
  // Who has none but the commonest of them cannot have as many as are needed.
  const leading = rarest.length - needed + 1
  const lengths = {
    least: letters.length / (1 + MAX_LONGER),
    most: letters.length / (1 - MAX_LONGER) + HYPHENS,
  }
  const { entries, counts } = tally(rarest, leading, lengths, index.size)
  const best: Alike[] = []
  for (let at = 0; at < entries.length; at += 1) {
    const shared = counts[at] as number
    if (shared < needed) continue
    const entry = entries[at] as number
    const apart = Math.abs(lengthOf(entry) - letters.length)
    insert(best, { name: nameOf(entry), share: shared / (rarest.length + apart) }, accepts)
  }
  return best.map(({ name }) => name)
}

/** Where it belongs among the best, of names as much alike the earlier first. */
function insert(best: Alike[], one: Alike, accepts: (name: number) => boolean): void {
  const isBetter = (than: Alike) =>
    one.share > than.share || (one.share === than.share && one.name < than.name)
  const last = best[MAX_NAMES - 1]
  if (last && !isBetter(last)) return
  if (!accepts(one.name)) return
  let place = Math.min(best.length, MAX_NAMES - 1)
  for (; place > 0 && isBetter(best[place - 1] as Alike); place -= 1) {
    best[place] = best[place - 1] as Alike
  }
  best[place] = one
}

import { keepBest } from './best-first.ts'
import { byLetters } from './by-letters.ts'
import { byMeaning } from './by-meaning.ts'
import { labelOf, type NameIndex } from './name-index.ts'
import { readQuery } from './read-query.ts'
import { BEST_BUT_EXACT, createScorer } from './score-name.ts'

/** Calibrated on the judged sets for tuning (bench/search): below it a name is not worth showing. */
const FLOOR = 0.285
/** How much a vector that is next to the query's adds at most: it tells names apart that fit about as well. */
const SIMILAR_BONUS = 0.1

export interface Filter {
  tld?: string | undefined
  maxPriceCents?: number | undefined
}

export interface Found {
  domain: string
  /** 0 to 1. */
  score: number
  /** Which words or concepts matched. */
  why: string
}

interface Scored {
  name: number
  score: number
}

/** Labels' words whose vector is near the query's. */
export interface Similar {
  words: string
  /** From 0, just near enough, to 1. */
  likeness: number
}

/** The names that fit the query, best first, at most `limit`. The same query gives the same response. */
export function rank(
  index: NameIndex,
  query: string,
  filter: Filter,
  limit: number,
  similar: ReadonlyMap<number, Similar> = new Map(),
): Found[] {
  const read = readQuery(query, index)
  if (read.label === '') return []
  const accepts = acceptedBy(index, filter)
  const fitting = new Set([...byMeaning(index, read, accepts), ...byLetters(index, read, accepts)])
  // What was asked for itself, however many names there are with its words, or with letters like its own.
  for (const label of new Set([read.label, labelOf(read.domain ?? '')])) {
    for (const name of index.labelled(label)) if (accepts(name)) fitting.add(name)
  }
  for (const name of similar.keys()) if (accepts(name)) fitting.add(name)
  const scorer = createScorer(index, read)
  const best: Scored[] = []
  const isBetterHere = (one: Scored, than: Scored) => isBetter(index, one, than)
  for (const name of fitting) {
    const own = scorer.score(name)
    // What the lexicon rules out stays out, however near its vector is.
    if (own < FLOOR) continue
    const score = withBonus(own, similar.get(name)?.likeness ?? 0)
    keepBest(best, { name, score }, limit, isBetterHere)
  }
  return best.map(({ name, score }) => {
    return { domain: index.domains[name] ?? '', score, why: scorer.why(name) }
  })
}

/** Of names that fit as well the shorter is. */
function isBetter({ domains }: NameIndex, one: Scored, than: Scored): boolean {
  if (one.score !== than.score) return one.score > than.score
  const a = domains[one.name] ?? ''
  const b = domains[than.name] ?? ''
  return a.length === b.length ? a < b : a.length < b.length
}

/** Whatever is asked for by its very label stays the best. */
function withBonus(own: number, likeness: number): number {
  if (own >= BEST_BUT_EXACT) return own
  return Math.round(Math.min(BEST_BUT_EXACT, own + SIMILAR_BONUS * likeness) * 1000) / 1000
}

/** Whether a name is for sale and passes the filter. */
export function acceptedBy(index: NameIndex, filter: Filter): (name: number) => boolean {
  // What follows its first dot, as everywhere: a name on co.uk is none on uk.
  const ending = filter.tld === undefined ? undefined : index.endings.indexOf(`.${filter.tld}`)
  const dearest = filter.maxPriceCents
  return (name) =>
    index.isListed(name) &&
    (ending === undefined || index.ending(name) === ending) &&
    (dearest === undefined || index.priceCents(name) <= dearest)
}

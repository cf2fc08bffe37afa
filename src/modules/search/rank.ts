import { lexicon } from '../lexicon/lexicon.ts'
import { keepBest } from './best-first.ts'
import { byLetters } from './by-letters.ts'
import { byMeaning } from './by-meaning.ts'
import { labelOf, type NameIndex } from './name-index.ts'
import { type ReadQuery, readQuery } from './read-query.ts'
import { BEST_BUT_EXACT, createScorer } from './score-name.ts'

/** Calibrated on the tuning half of the judged set (bench/search): below it a name is not worth showing. */
const FLOOR = 0.2
/** What a name scores that is just near enough by its vector, and how much more one that is next to it. */
const SIMILAR_LEAST = 0.25
const SIMILAR_MORE = 0.65
/** Two measures that agree are surer than one. */
const AGREED = 0.1
const MIN_KNOWN_LETTERS = 3

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
  isBySimilar: boolean
}

/** Labels' words whose vector is near the query's. */
export interface Similar {
  words: string
  /** From 0, just near enough, to 1. */
  likeness: number
}

/** The names that fit the query, best first, at most `limit`. The same query gives the same answer. */
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
    const alike = own < BEST_BUT_EXACT ? scoreSimilar(read, similar.get(name)) : 0
    const score = together(own, alike)
    if (score < FLOOR) continue
    keepBest(best, { name, score, isBySimilar: alike > own }, limit, isBetterHere)
  }
  const asked = read.words.map(({ text }) => text).join(' ')
  return best.map(({ name, score, isBySimilar }) => {
    const domain = index.domains[name] ?? ''
    const why = isBySimilar
      ? `matches ${similar.get(name)?.words} for ${asked}, by its meaning`
      : scorer.why(name)
    return { domain, score, why }
  })
}

/** Of names that fit as well the shorter is. */
function isBetter({ domains }: NameIndex, one: Scored, than: Scored): boolean {
  if (one.score !== than.score) return one.score > than.score
  const a = domains[one.name] ?? ''
  const b = domains[than.name] ?? ''
  return a.length === b.length ? a < b : a.length < b.length
}

/** What the label's vector says of it; 0 when that is nothing. */
function scoreSimilar({ words }: ReadQuery, similar: Similar | undefined): number {
  if (!similar) return 0
  // Of letters that form no word a model knows how they look, not what they mean.
  const texts = [...words.map(({ text }) => text), ...similar.words.split(' ')]
  if (!texts.some((text) => text.length >= MIN_KNOWN_LETTERS && lexicon().has(text))) return 0
  return SIMILAR_LEAST + SIMILAR_MORE * similar.likeness
}

/** The better of both scores, a little more when both say so. */
function together(own: number, alike: number): number {
  if (alike === 0) return own
  const both = Math.max(own, alike) + AGREED * Math.min(own, alike)
  return Math.round(Math.min(BEST_BUT_EXACT, both) * 1000) / 1000
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

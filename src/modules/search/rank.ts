import { lexicon } from '../lexicon/lexicon.ts'
import { candidates } from './candidates.ts'
import { labelOf, type NameIndex, unpackOccurrence } from './name-index.ts'
import { type ReadQuery, readQuery } from './read-query.ts'
import { likeness } from './spelling.ts'

/** Calibrated on the tuning half of the judged set (bench/search): below it a name is not worth showing. */
const FLOOR = 0.2
/** What a word of the name still says of a second word of the query. */
const AGAIN = 0.6
/** How much the score minds what else the name says. */
const REST = 0.5
/** A query that is half covered is less than half answered. */
const COVERAGE_POWER = 1.45
/** Below 1, two words half answered count for more than one in full. */
const SOFTNESS = 0.8
/** Of a name typed in one word all the parts matter. */
const ONE_WORD_POWER = 2.3
const WORD_COST = 0.01
const FREE_WORDS = 2
const COM = 0.01
/** A TLD says less than the name. */
const TLD_WEIGHT = 0.5
const MIN_LIKENESS = 0.72
const SAME_LABEL = 0.99
/** What a name scores that is just near enough by its vector, and how much more one that is next to it. */
const SIMILAR_LEAST = 0.25
const SIMILAR_MORE = 0.65
/** Two measures that agree are surer than one. */
const AGREED = 0.1
const MIN_KNOWN_LETTERS = 3
const BEST_BUT_EXACT = 0.98

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
  const found: Found[] = []
  const fitting = candidates(index, read, accepts)
  for (const name of similar.keys()) if (accepts(name)) fitting.add(name)
  for (const name of fitting) {
    const scored = withSimilar(scoreName(index, read, name), read, similar.get(name))
    if (scored.score >= FLOOR) found.push(scored)
  }
  return found
    .toSorted(
      (a, b) =>
        b.score - a.score || a.domain.length - b.domain.length || (a.domain < b.domain ? -1 : 1),
    )
    .slice(0, limit)
}

/** Whether a name is for sale and passes the filter. */
export function acceptedBy(index: NameIndex, filter: Filter): (name: number) => boolean {
  const suffix = `.${filter.tld}`
  const dearest = filter.maxPriceCents ?? Number.POSITIVE_INFINITY
  return (name) =>
    index.isListed(name) &&
    index.priceCents(name) <= dearest &&
    (filter.tld === undefined || (index.domains[name] ?? '').endsWith(suffix))
}

/** The better of both scores, a little more when both say so. */
function withSimilar(found: Found, read: ReadQuery, similar: Similar | undefined): Found {
  if (!similar || found.score >= BEST_BUT_EXACT) return found
  // Of letters that form no word a model knows how they look, not what they mean.
  const texts = [...read.words.map(({ text }) => text), ...similar.words.split(' ')]
  if (!texts.some((text) => text.length >= MIN_KNOWN_LETTERS && lexicon().has(text))) return found
  const score = SIMILAR_LEAST + SIMILAR_MORE * similar.likeness
  const both = Math.max(score, found.score) + AGREED * Math.min(score, found.score)
  const asked = read.words.map(({ text }) => text).join(' ')
  return {
    domain: found.domain,
    score: Math.round(Math.min(BEST_BUT_EXACT, both) * 1000) / 1000,
    why: score > found.score ? `matches ${similar.words} for ${asked}, by its meaning` : found.why,
  }
}

function scoreName(index: NameIndex, read: ReadQuery, name: number): Found {
  const domain = index.domains[name] ?? ''
  const label = labelOf(domain)
  if (domain === read.domain) return { domain, score: 1, why: 'the name itself' }
  const meaning = scoreMeaning(index, read, name, domain)
  if (label === read.label) return { domain, score: SAME_LABEL, why: meaning.why }
  const letters = scoreLetters(read.label, label.replaceAll('-', ''))
  const found =
    letters > meaning.score ? { score: letters, why: `is spelt much like ${read.label}` } : meaning
  return { domain, score: Math.round(found.score * 1000) / 1000, why: found.why }
}

/** What answers one word of the query best. */
interface Answer {
  near: number
  /** The word of the name that it begins at; -1 is the TLD. */
  from: number
  why: string
}

/** How much of the query the name covers, and how little else it says. */
function scoreMeaning(index: NameIndex, read: ReadQuery, name: number, domain: string) {
  const answers: Answer[] = read.words.map(() => ({ near: 0, from: -1, why: '' }))
  const wordWeights: number[] = []
  const wordNear: number[] = []

  const answer = (term: number, from: number, count: number, share: number) => {
    const nears = read.near.get(term)
    if (!nears) return
    for (const { unit, weight } of nears) {
      const near = weight * share
      for (let at = unit.from; at < unit.from + unit.count; at += 1) {
        if (near > (answers[at]?.near ?? 1)) {
          const said = index.terms[term]
          answers[at] = { near, from, why: near === 1 ? unit.text : `${said} for ${unit.text}` }
        }
      }
      for (let at = from; at >= 0 && at < from + count; at += 1) {
        wordNear[at] = Math.max(wordNear[at] ?? 0, near)
      }
    }
  }
  for (const packed of index.occurrences(name)) {
    const { term, from, count } = unpackOccurrence(packed)
    if (count === 1) wordWeights[from] = index.termWeight(term)
    answer(term, from, count, 1)
  }
  const tld = index.term(lexicon().lemma(domain.slice(domain.lastIndexOf('.') + 1)))
  if (tld !== undefined) answer(tld, -1, 0, TLD_WEIGHT)

  const ofQuery = coverage(read, answers)
  const says = sum(wordWeights)
  const fits =
    says === 0 ? 0 : sum(wordWeights.map((weight, at) => weight * (wordNear[at] ?? 0))) / says
  const score =
    ofQuery ** (read.isOneWord ? ONE_WORD_POWER : COVERAGE_POWER) * (1 - REST + REST * fits) -
    WORD_COST * Math.max(0, wordWeights.length - FREE_WORDS) +
    (domain.endsWith('.com') ? COM : 0)
  const why = [...new Set(answers.map(({ why }) => why).filter((text) => text !== ''))]
  return {
    score: Math.max(0, Math.min(BEST_BUT_EXACT, score)),
    why: `matches ${why.join(', ')}`,
  }
}

/** The share of the query's meaning that is answered; a word of the name answers one word in full. */
function coverage({ words }: ReadQuery, answers: Answer[]): number {
  const used = new Set<number>()
  let covered = 0
  for (const at of words.map((_, at) => at).toSorted((a, b) => nearAt(b) - nearAt(a))) {
    const { near, from } = answers[at] ?? { near: 0, from: -1 }
    covered += (words[at]?.weight ?? 0) * near ** SOFTNESS * (used.has(from) ? AGAIN : 1)
    used.add(from)
  }
  return covered / sum(words.map(({ weight }) => weight))

  function nearAt(at: number): number {
    return answers[at]?.near ?? 0
  }
}

/** How much the label looks like what was typed, for brands and slips. */
function scoreLetters(asked: string, label: string): number {
  if (asked.length < 4) return 0
  if (label.startsWith(asked)) return 0.6 + 0.35 * (asked.length / label.length)
  if (Math.abs(label.length - asked.length) > 0.3 * label.length) return 0
  const alike = likeness(asked, label)
  return alike < MIN_LIKENESS ? 0 : 0.5 + ((alike - MIN_LIKENESS) / (1 - MIN_LIKENESS)) * 0.45
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

import { BestFirst, stepOf } from './best-first.ts'
import type { NameIndex } from './name-index.ts'
import type { ReadQuery } from './read-query.ts'
import { AGAIN, answered, askedBy, focus, SOFTNESS, together } from './score-name.ts'
import type { Vocabulary } from './vocabulary.ts'

const MAX_NAMES = 64
/** What is found has two of the words at most: when more are asked for, more names are worth a look. */
const MAX_NAMES_OF_MANY = 100
const MANY_WORDS = 3
/** Terms that names are looked up by: so many for all words that lead, and for each of the others. */
const LEADING_TERMS = 96
const MAX_TERMS_OF_WORD = 40
const OTHER_TERMS = 12
const LEAST_WORTH = 0.1
/** Names that are sold or that the filter rejects cost time too. */
const MAX_LOOKS = 100_000
const COVERAGE_STEPS = 1024

const answeredOf = tableOf(answered)
/** What a word that is answered by so much is worth. */
const softened = tableOf((near) => near ** SOFTNESS)

/**
 * The names whose words cover most of the query's meaning, about the best first: of each term near to the
 * query, and of each two, those that say little else. Which list comes next is what its next name may be
 * worth, so that as many names are read as are returned, however many there are.
 */
export function byMeaning(
  index: NameIndex,
  read: ReadQuery,
  accepts: (name: number) => boolean,
): number[] {
  const lists = index.namesByTerms
  const { terms, says, fits, coverages } = termsNear(index, read)
  const count = terms.length
  /** What a name of both terms may be worth that says so much in all. */
  const worth = (a: number, b: number, inAll: number) =>
    answeredBy(coverages[a * count + b] as number) * focus(ofBoth(fits, a, b), inAll)

  const best = new BestFirst(count * count)
  const entries = new Uint32Array(count * count)
  for (let a = count - 1; a >= 0; a -= 1) {
    for (let b = count - 1; b >= a; b -= 1) {
      if ((coverages[a * count + b] as number) === 0) continue
      best.push(a * count + b, stepOf(worth(a, b, ofBoth(says, a, b))))
    }
  }
  const said = read.words.filter(({ isFiller }) => !isFiller).length
  const most = said < MANY_WORDS ? MAX_NAMES : MAX_NAMES_OF_MANY
  const found = new Set<number>()
  for (let looks = 0; looks < MAX_LOOKS && found.size < most; looks += 1) {
    const list = best.pop(LEAST_WORTH)
    if (list === undefined) break
    const a = Math.floor(list / count)
    const b = list % count
    const entry = (entries[list] as number) || lists.first(terms[a] as number, terms[b] as number)
    if (entry === 0) continue
    const step = Math.min(best.step, stepOf(worth(a, b, lists.cost(entry))))
    if (step < best.step) {
      entries[list] = entry
      best.push(list, step)
      continue
    }
    const name = lists.name(entry)
    if (accepts(name)) found.add(name)
    const next = lists.next(entry)
    if (next === 0) continue
    entries[list] = next
    best.push(list, step)
  }
  return [...found]
}

/** What a coverage, as `termsNear` has it, is worth. */
export function answeredBy(coverage: number): number {
  return answeredOf[coverage] as number
}

/** The sum of two terms' numbers; one term is counted once. */
export function ofBoth(numbers: Float32Array, a: number, b: number): number {
  return (numbers[a] as number) + (a === b ? 0 : (numbers[b] as number))
}

/** The terms that are looked up, what each says, and how much of the query each two of them cover. */
export function termsNear(vocabulary: Vocabulary, read: ReadQuery) {
  const terms = [...new Set(read.words.flatMap((_, word) => termsOfWord(read, word)))]
  const count = terms.length
  const width = read.words.length
  const says = Float32Array.from(terms, (term) => vocabulary.termWeight(term))
  const fits = new Float32Array(count)
  /** Of each term, how near it is to each word, alone or, when it is negative, in a phrase. */
  const nears = new Float32Array(count * width)
  for (const [at, term] of terms.entries()) {
    for (const { unit, weight } of read.near.get(term) ?? []) {
      fits[at] = Math.max(fits[at] as number, weight * (says[at] as number))
      for (const word of unit.at) {
        const known = nears[at * width + word] as number
        if (weight > Math.abs(known))
          nears[at * width + word] = unit.at.length > 1 ? -weight : weight
      }
    }
  }
  const weights = read.words.map(({ weight }) => weight)
  const asked = askedBy(weights)
  const coverages = new Uint16Array(count * count)
  for (let a = 0; a < count; a += 1) {
    for (let b = a; b < count; b += 1) {
      const covered = coveredBy(nears, a * width, b * width, weights)
      coverages[a * count + b] = Math.min(1, covered / asked) * COVERAGE_STEPS
    }
  }
  return { terms, says, fits, coverages }
}

/** How much two terms answer of the query's words, or one, when it begins in the same place; as `createScorer` has it. */
function coveredBy(nears: Float32Array, a: number, b: number, weights: number[]): number {
  let inFull = 0
  let byA = 0
  let byB = 0
  let mostByA = 0
  let mostByB = 0
  for (let word = 0; word < weights.length; word += 1) {
    const nearA = nears[a + word] as number
    const nearB = a === b ? 0 : (nears[b + word] as number)
    const isByA = Math.abs(nearA) >= Math.abs(nearB)
    const best = isByA ? nearA : nearB
    if (best === 0) continue
    const near = together(Math.abs(best), Math.abs(isByA ? nearB : nearA))
    const gain = (weights[word] as number) * (softened[(near * COVERAGE_STEPS) | 0] as number)
    if (best < 0) inFull += gain
    else if (isByA) {
      byA += gain
      if (gain > mostByA) mostByA = gain
    } else {
      byB += gain
      if (gain > mostByB) mostByB = gain
    }
  }
  return inFull + AGAIN * (byA + byB) + (1 - AGAIN) * (mostByA + mostByB)
}

/** The terms near the query's word, alone or in a phrase, the nearest first. */
function termsOfWord({ units, words }: ReadQuery, word: number): number[] {
  const near = new Map<number, number>()
  for (const unit of units) {
    if (!unit.at.includes(word)) continue
    for (const [term, weight] of unit.near) near.set(term, Math.max(near.get(term) ?? 0, weight))
  }
  const leading = words.filter(({ leads }) => leads).length
  const most = words[word]?.leads
    ? Math.min(MAX_TERMS_OF_WORD, Math.ceil(LEADING_TERMS / leading))
    : OTHER_TERMS
  return [...near]
    .toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, most)
    .map(([term]) => term)
}

/** A function of 0 to 1, by steps. */
function tableOf(worth: (share: number) => number): Float32Array {
  return Float32Array.from({ length: COVERAGE_STEPS + 1 }, (_, step) =>
    worth(step / COVERAGE_STEPS),
  )
}

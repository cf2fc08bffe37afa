import { lexicon } from './lexicon.ts'
import { labelOf, lettersIn, MAX_TOKENS, type NameIndex } from './name-index.ts'
import type { QueryUnit, ReadQuery } from './read-query.ts'
import { likeness, likenessAtMost } from './spelling.ts'

/** What a word of the name still says of a second word of the query. */
export const AGAIN = 0.6
/** How much a second word of the name adds to what the best one answers: `heel` and `pain` to a podiatrist. */
const SECOND = 0.6
/** What is near to no word of the query by so much tells nothing of it: `studio` alone is no yoga. */
const TOLD = 0.65
/** How much the score minds what else the name says. */
export const REST = 0.3
/** A query that is half covered is less than half answered. */
const COVERAGE_POWER = 1.2
/** Below 1, two words half answered count for more than one in full. */
export const SOFTNESS = 0.75
/** A name has room for so many words; what else a sentence says hardly counts against it. */
const ROOM = 4
const BEYOND_ROOM = 0.1
/** A query of words like `what` and `the` alone asks for nothing. */
const LEAST_ASKED = 0.1
const WORD_COST = 0.02
const FREE_WORDS = 2
const COM = 0.01
/** A word that says no more is a filler, as in `lawyerpro` and `lawyerhub`. */
const FILLER = 0.2
/**
 * What is left of a name that is the query's own words and a filler: anybody thinks of it, and a market has dozens.
 * `attorneyfinder` tells more of who asks for a lawyer.
 */
const OWN_WORDS_AND_FILLER = 0.75
/** A TLD says less than the name. */
const TLD_WEIGHT = 0.5
/** The word of the name that a TLD stands for. */
const TLD = -1
const MIN_LIKENESS = 0.72
/** What looks like another is longer than it by no more than this share. */
export const MAX_LONGER = 0.3
const SAME_LABEL = 0.99
export const BEST_BUT_EXACT = 0.98

export interface Scorer {
  /** 0 to 1, in thousandths: how well the name fits the query. */
  score(name: number): number
  /** Which words or concepts matched. */
  why(name: number): string
}

/**
 * Scores names for one query. Hundreds are scored for the few that are shown, so nothing is put into words
 * until somebody asks why.
 */
export function createScorer(index: NameIndex, read: ReadQuery): Scorer {
  const { words } = read
  const asked = askedBy(words.map(({ weight }) => weight))
  const leadingLetters = lettersIn(read.leadingLetters)
  /** By the number that the index has for them. */
  const endings: { isCom: boolean; term: number | undefined }[] = []

  // The name that was read last: what answers each word of the query best and second best, and what each of its own
  // words says of the query.
  const nearest = new Float64Array(words.length)
  const second = new Float64Array(words.length)
  const answeredFrom = new Int8Array(words.length)
  const responses: { term: number; unit: QueryUnit }[] = []
  const nearestFirst = new Uint16Array(words.length)
  const wordWeights = new Float64Array(MAX_TOKENS)
  const wordNear = new Float64Array(MAX_TOKENS)
  let wordCount = 0

  function readName(name: number): void {
    nearest.fill(0)
    second.fill(0)
    answeredFrom.fill(TLD)
    wordNear.fill(0)
    wordCount = 0
    const occurrences = index.occurrenceCount(name)
    for (let at = 0; at < occurrences; at += 1) {
      const { term, from, count } = index.occurrence(name, at)
      if (count === 1) {
        wordWeights[from] = index.termWeight(term)
        wordCount = from + 1
      }
      answer(term, from, count, 1)
    }
    const { term } = endingOf(name)
    if (term !== undefined) answer(term, TLD, 0, TLD_WEIGHT)
  }

  function answer(term: number, from: number, count: number, share: number): void {
    const nears = read.near.get(term)
    if (!nears) return
    for (const { unit, weight } of nears) {
      const near = weight * share
      for (const at of unit.at) {
        const isOther = answeredFrom[at] !== from
        const best = nearest[at] as number
        if (near <= best) {
          if (isOther && near > (second[at] as number)) second[at] = near
          continue
        }
        if (isOther) second[at] = best
        nearest[at] = near
        answeredFrom[at] = from
        responses[at] = { term, unit }
      }
      for (let at = from; at < from + count; at += 1) {
        if (near > (wordNear[at] as number)) wordNear[at] = near
      }
    }
  }

  function endingOf(name: number) {
    const number = index.ending(name)
    return (endings[number] ??= readEnding(index.endings[number] ?? ''))
  }

  function readEnding(ending: string) {
    const tld = ending.slice(ending.lastIndexOf('.') + 1)
    return { isCom: tld === 'com', term: index.term(lexicon().lemma(tld)) }
  }

  /** How much of the query the name covers, and how little else it says. */
  function meaning(name: number): number {
    let says = 0
    let fits = 0
    let ownWords = 0
    let others = 0
    let fillers = 0
    for (let at = 0; at < wordCount; at += 1) {
      const weight = wordWeights[at] as number
      const near = wordNear[at] as number
      says += weight
      fits += weight * near
      if (weight <= FILLER) fillers += near === 0 ? 1 : 0
      else if (near === 1) ownWords += 1
      else others += 1
    }
    const isOwnWordsAndFiller = ownWords > 0 && others === 0 && fillers > 0
    const score =
      answered(coverage()) * focus(fits, says) * (isOwnWordsAndFiller ? OWN_WORDS_AND_FILLER : 1) -
      WORD_COST * Math.max(0, wordCount - FREE_WORDS) +
      (endingOf(name).isCom ? COM : 0)
    return Math.max(0, Math.min(BEST_BUT_EXACT, score))
  }

  /** The share of the query's meaning that is answered; a word of the name answers one word in full, or a phrase. */
  function coverage(): number {
    for (let at = 0; at < words.length; at += 1) {
      let place = at
      for (; place > 0; place -= 1) {
        const before = nearestFirst[place - 1] as number
        if ((nearest[before] as number) >= (nearest[at] as number)) break
        nearestFirst[place] = before
      }
      nearestFirst[place] = at
    }
    let used = 0
    let covered = 0
    let most = 0
    for (const at of nearestFirst) {
      if (nearest[at] === 0) break
      const bit = 1 << ((answeredFrom[at] as number) - TLD)
      const isPhrase = (responses[at]?.unit.at.length ?? 0) > 1
      const share = isPhrase || (used & bit) === 0 ? 1 : AGAIN
      const near = together(nearest[at] as number, second[at] as number)
      covered += (words[at]?.weight ?? 0) * near ** SOFTNESS * share
      if (near > most) most = near
      used |= bit
    }
    return most < TOLD ? 0 : Math.min(1, covered / asked)
  }

  function isLabel(name: number): boolean {
    const isAsLong = index.length(name) === read.label.length
    return isAsLong && (index.domains[name] ?? '').startsWith(read.label)
  }

  /**
   * How much the label looks like what was typed, for brands and slips. What its letters rule out is not read:
   * each letter that only one of them has is an edit.
   */
  function spelling(name: number): number {
    const asked = read.leadingLetters
    const length = index.length(name)
    if (asked.length < 4 || asked.length > (1 + MAX_LONGER) * length) return 0
    const letters = index.letters(name)
    const missing = bitsIn(leadingLetters & ~letters)
    const edits = Math.max(missing, bitsIn(letters & ~leadingLetters))
    const alikeAtMost = 1 - edits / Math.max(asked.length, length)
    if (missing > 0 && alikeAtMost < MIN_LIKENESS) return 0
    return scoreLetters(asked, (index.domains[name] ?? '').slice(0, length))
  }

  return {
    score(name) {
      if (read.domain !== null && index.domains[name] === read.domain) return 1
      if (isLabel(name)) return SAME_LABEL
      readName(name)
      return Math.round(Math.max(meaning(name), spelling(name)) * 1000) / 1000
    },
    why(name) {
      const domain = index.domains[name] ?? ''
      if (domain === read.domain) return 'the name itself'
      readName(name)
      const label = labelOf(domain)
      const matches = new Set<string>()
      for (const [at, near] of nearest.entries()) {
        const { term, unit } = responses[at] ?? {}
        if (near === 0 || term === undefined || !unit || words[at]?.isFiller) continue
        const word = index.terms[term] ?? ''
        if (near === 1) matches.add(unit.text)
        else matches.add(unit.text.split(' ').includes(word) ? word : `${word} for ${unit.text}`)
      }
      if (matches.size > 0) return `matches ${[...matches].join(', ')}`
      const letters = read.leadingLetters || read.label
      const isBegun = label.replaceAll('-', '').startsWith(letters)
      return `${isBegun ? 'begins with' : 'is spelt much like'} ${letters}`
    },
  }
}

/** What it is worth to cover a share of what is asked. */
export function answered(coverage: number): number {
  return coverage ** COVERAGE_POWER
}

/** How much two words of a name answer together, of which one answers at least as much as the other. */
export function together(best: number, second: number): number {
  return best + SECOND * second * (1 - best)
}

/** What is left of that, as of all that a name says not all fits. */
export function focus(fits: number, says: number): number {
  return says === 0 ? 1 - REST : 1 - REST + REST * Math.min(1, fits / says)
}

/** How much a name would have to say to answer the query in full. */
export function askedBy(weights: number[]): number {
  const asked = weights
    .toSorted((a, b) => b - a)
    .reduce((sum, weight, at) => sum + weight * (at < ROOM ? 1 : BEYOND_ROOM), 0)
  return Math.max(asked, LEAST_ASKED)
}

function bitsIn(number: number): number {
  let bits = 0
  for (let left = number; left !== 0; left &= left - 1) bits += 1
  return bits
}

function scoreLetters(asked: string, label: string): number {
  const letters = label.includes('-') ? label.replaceAll('-', '') : label
  if (letters.startsWith(asked)) return 0.6 + 0.35 * (asked.length / letters.length)
  if (Math.abs(letters.length - asked.length) > MAX_LONGER * letters.length) return 0
  if (likenessAtMost(asked, letters) < MIN_LIKENESS) return 0
  const alike = likeness(asked, letters)
  return alike < MIN_LIKENESS ? 0 : 0.5 + ((alike - MIN_LIKENESS) / (1 - MIN_LIKENESS)) * 0.45
}

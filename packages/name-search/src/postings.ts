import { lexicon } from './lexicon.ts'
import { labelOf, MAX_TOKENS } from './name-index.ts'
import { costOfName, listedPairs, phrasesOf } from './name-terms.ts'
import { keyOfTerms, spellingKey, termHash } from './posting-key.ts'

/** Costs are whole numbers of these steps. */
export const COST_STEPS = 4096
/** A brand, or a beginning of one, that is shorter looks like too many others. */
export const MIN_LETTERS = 4
/** The longest beginning that names are listed by. */
export const MAX_BEGINNING = 8
const MAX_SLIP_LETTERS = 24

export interface Postings {
  /** 32 bits each, signed; every key once. */
  keys: number[]
  /** How much the name says in all, in steps: those that say least come first in each list. */
  cost: number
}

/**
 * The lists in which a name is to be found: of its terms and each two of them, of its label, and, when the lexicon
 * does not know one of its words, of what it begins with and of what one letter less makes of it.
 *
 * @param words those of its label, as `splitLabel` has them
 * @param scope tells apart names that are never searched together
 */
export function postingsOf(domain: string, words: readonly string[], scope: string): Postings {
  const read = words.slice(0, MAX_TOKENS)
  const label = labelOf(domain)
  const terms = [
    ...read.map((word, from) => ({ hash: termHash(scope, lexicon().lemma(word)), from, count: 1 })),
    ...phrasesOf(read).map(({ lemma, from, count }) => ({
      hash: termHash(scope, lemma),
      from,
      count,
    })),
  ]
  const keys = new Set([spellingKey('label', scope, label)])
  for (const [one, other] of listedPairs(terms)) keys.add(keyOfTerms(one.hash, other.hash))
  const brands = read.filter((word) => word.length >= MIN_LETTERS && !lexicon().has(word))
  if (read.some((word) => !lexicon().has(word))) brands.push(label.replaceAll('-', ''))
  for (const brand of new Set(brands)) {
    for (const text of slipsOf(brand)) keys.add(spellingKey('slip', scope, text))
    const longest = Math.min(brand.length - 1, MAX_BEGINNING)
    for (let length = MIN_LETTERS; length <= longest; length += 1) {
      keys.add(spellingKey('beginning', scope, brand.slice(0, length)))
    }
  }
  const weights = read.map((word) => lexicon().weight(lexicon().lemma(word)))
  const cost = costOfName(domain, label.length, weights)
  return { keys: [...keys], cost: Math.round(cost * COST_STEPS) }
}

/** A text, and the text less each of its letters: two that are a letter apart have one of these in common. */
export function slipsOf(text: string): string[] {
  if (text.length < MIN_LETTERS || text.length > MAX_SLIP_LETTERS) return []
  const slips = new Set([text])
  for (let at = 0; at < text.length; at += 1) slips.add(text.slice(0, at) + text.slice(at + 1))
  return [...slips]
}

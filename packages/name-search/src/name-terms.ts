import { lexicon } from './lexicon.ts'

const MAX_PHRASE = 3
/** So many words of a query make a phrase, and of a long one, where there are many ways to choose them. */
const MAX_ASKED = 4
const MAX_ASKED_OF_MANY = 3
const MANY_SAID = 8
/** A word that weighs no more is in no phrase. */
export const SAYS_NOTHING = 0.1
/** A name is listed by no more of its terms. */
const MAX_LISTED = 8
/** What each letter, each word after the first two and another TLD cost, as if so much more were said. */
const LETTER_COST = 0.002
const WORD_COST = 0.2
const FREE_WORDS = 2
const COM = 0.2

/** Where a term stands in a name or a query: the word it begins at, and how many words it takes. */
interface Place {
  from: number
  count: number
}

/** Neighbouring words that the lexicon knows as one. */
export function phrasesOf(words: readonly string[]) {
  const phrases: (Place & { lemma: string })[] = []
  for (let from = 0; from + 1 < words.length; from += 1) {
    let joined = words[from] ?? ''
    for (let count = 2; count <= MAX_PHRASE && from + count <= words.length; count += 1) {
      joined += words[from + count - 1]
      if (lexicon().has(joined)) phrases.push({ lemma: lexicon().lemma(joined), from, count })
    }
  }
  return phrases
}

/** A phrase as the lexicon has it, by the lemmas of those of its words that say something. */
export function phraseKey(lemmas: readonly string[]): string {
  return [...new Set(lemmas)].toSorted().join(' ')
}

/** The phrases of the lexicon that a query has: neighbours that are one word, and words in any order. */
export function phrasesAsked(words: readonly string[]): { lemma: string; at: number[] }[] {
  const phrases = phrasesOf(words).map(({ lemma, from, count }) => ({
    lemma,
    at: Array.from({ length: count }, (_, place) => from + place),
  }))
  const { has, lemma, weight } = lexicon()
  const said = [...words.keys()].filter((at) => weight(words[at] ?? '') > SAYS_NOTHING)
  const lemmas = words.map(lemma)
  const most = said.length > MANY_SAID ? MAX_ASKED_OF_MANY : MAX_ASKED
  const extend = (at: number[], from: number) => {
    if (at.length > 1) {
      const key = phraseKey(at.map((place) => lemmas[place] ?? ''))
      if (key.includes(' ') && has(key)) phrases.push({ lemma: key, at })
    }
    if (at.length === most) return
    for (const [next, place] of said.entries()) {
      if (next >= from) extend([...at, place], next + 1)
    }
  }
  extend([], 0)
  return phrases
}

/** The terms that a name is listed by: each, twice, and each two that share no word. */
export function* listedPairs<Term extends Place>(terms: readonly Term[]): Generator<[Term, Term]> {
  const listed = terms.slice(0, MAX_LISTED)
  for (const [at, one] of listed.entries()) {
    yield [one, one]
    for (const other of listed.slice(at + 1)) {
      const isApart = one.from + one.count <= other.from || other.from + other.count <= one.from
      if (isApart) yield [one, other]
    }
  }
}

/**
 * How much a name says in all; a little more or less for what else the score minds. `weights` are those of its
 * words in their order.
 */
export function costOfName(
  domain: string,
  labelLength: number,
  weights: readonly number[],
): number {
  const said = weights.reduce(
    (sum, weight, at) => sum + weight + (at < FREE_WORDS ? 0 : WORD_COST),
    LETTER_COST * labelLength,
  )
  return domain.endsWith('.com') ? Math.max(0, said - COM) : said
}

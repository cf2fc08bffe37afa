import { companyOf } from './company.ts'
import type { Asked } from './read-asked.ts'
import type { Concept } from './read-thesaurus.ts'
import { MIN_WEIGHT, MOST, type Near, nearest } from './relate.ts'

/** How near a word of a line is to what is asked, in its first sense, its second, and the others. */
const TELLING = 0.8
const FITTING = 0.5
/** To a phrase, of which it answers all words. */
const FITTING_PHRASE = 0.4
const SENSES = [1, 0.8, 0.65]
/** How near what is asked is to a word of its line, when that is asked itself. */
const TELLING_BACK = 0.7
const FITTING_BACK = 0.2
/** From which cosine on words whose lines have much in common are near, how fast, and how near at most. */
const COMPANY_FROM = 0.12
const COMPANY_SLOPE = 1.5
const COMPANY_MOST = 0.7
/** How much of what is left to 1 the weaker of two reasons adds to the stronger. */
const SHARED = 0.25
const COMPANY_SHARED = 0.6

type Weights = Map<string, number>

/** What the lines of `asked/` add to what lies near each word, and what lies near each of their phrases, by its key. */
export function relateAsked(
  asked: Asked[],
  thesaurus: Concept[],
  lemma: (word: string) => string,
  phraseKey: (words: string[]) => string,
  nearTo: (lemma: string) => Near[],
): { nearTo: (head: string) => Near[]; phrases: string[] } {
  const forth = new Map<string, Weights>()
  const back = new Map<string, Weights>()
  const senses = new Map<string, number>()
  for (const { heads, telling, fitting } of asked) {
    for (const words of heads) {
      const head = words.length === 1 ? lemma(words[0] ?? '') : phraseKey(words)
      const place = senses.get(head) ?? 0
      senses.set(head, place + 1)
      const sense = SENSES[Math.min(place, SENSES.length - 1)] ?? 0
      // What a phrase has itself answers its own word, not all of the phrase.
      const own = new Set(words.map(lemma))
      const fits = words.length === 1 ? FITTING : FITTING_PHRASE
      const others = (list: string[]) => list.map(lemma).filter((word) => !own.has(word))
      for (const word of others(telling)) {
        raise(forth, head, word, TELLING * sense)
        raise(back, word, head, TELLING_BACK * sense)
      }
      for (const word of others(fitting)) {
        raise(forth, head, word, fits * sense)
        raise(back, word, head, FITTING_BACK * sense)
      }
    }
  }
  // A phrase's line once, however many wordings it has.
  const lines = new Map<string, Weights>()
  for (const [head, words] of forth) if (!isPhrase(head)) lines.set(head, new Map(words))
  for (const [place, { heads, telling, fitting }] of asked.entries()) {
    if (heads.every((words) => words.length === 1)) continue
    for (const word of telling.map(lemma)) raise(lines, `line ${place}`, word, TELLING)
    for (const word of fitting.map(lemma)) raise(lines, `line ${place}`, word, FITTING)
  }
  for (const { synonyms, associated } of thesaurus) {
    const [head = '', ...others] = synonyms.map(lemma)
    for (const word of others) raise(lines, head, word, TELLING)
    for (const word of associated.map(lemma)) raise(lines, head, word, FITTING)
  }
  const company = companyOf(lines, (name) => !isPhrase(name))
  return {
    phrases: [...forth.keys()].filter(isPhrase).toSorted(),
    nearTo(head) {
      const near: Weights = new Map(nearTo(head).map(({ word, weight }) => [word, weight]))
      for (const more of [forth, back]) {
        for (const [word, weight] of more.get(head) ?? []) add(near, word, weight, SHARED)
      }
      for (const [word, cosine] of company(head, isPhrase(head) ? forth.get(head) : undefined)) {
        const weight = Math.min(COMPANY_MOST, (cosine - COMPANY_FROM) * COMPANY_SLOPE)
        if (weight > 0) add(near, word, weight, COMPANY_SHARED)
      }
      return nearest(
        // No name is read as a phrase.
        [...near].filter(
          ([word, weight]) => weight >= MIN_WEIGHT && word !== head && !isPhrase(word),
        ),
      )
    },
  }
}

function isPhrase(head: string): boolean {
  return head.includes(' ')
}

function raise(weights: Map<string, Weights>, of: string, word: string, weight: number): void {
  const near = weights.get(of) ?? new Map<string, number>()
  weights.set(of, near)
  near.set(word, Math.max(near.get(word) ?? 0, weight))
}

function add(near: Weights, word: string, weight: number, shared: number): void {
  const known = near.get(word) ?? 0
  const less = Math.min(known, weight)
  const more = Math.max(known, weight)
  near.set(word, Math.min(MOST, more + shared * less * (1 - more)))
}

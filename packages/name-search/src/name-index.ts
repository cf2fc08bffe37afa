import { GrowingArray } from './growing-array.ts'
import { lexicon } from './lexicon.ts'
import { entryOf } from './name-entry.ts'
import { costOfName, listedPairs, phrasesOf } from './name-terms.ts'
import { NamesByLabel } from './names-by-label.ts'
import { NamesByTerms } from './names-by-terms.ts'

/** Words of a name that are read; what comes after them is not worth finding. */
export const MAX_TOKENS = 12
/** What is kept of each name, in one place: its state, where its occurrences begin, and its letters. */
const WIDTH = 3
const LETTERS = '-0123456789abcdefghijklmnopqrstuvwxyz'

/**
 * The names of one inventory by the words they are made of, in memory. Names are numbered as they come;
 * one that is removed keeps its number. Some 400 bytes a name.
 *
 * A name's words, and neighbouring words that the lexicon knows as one (`real`, `estate` are also
 * `realestate`), are terms, each a number too. Where a term stands in a name is packed in one number:
 * the term, the word it begins at, and how many words it takes.
 */
export class NameIndex {
  readonly domains: string[] = []
  readonly terms: string[] = []
  readonly #byLabel = new NamesByLabel()
  /** What names have after their labels: few, among however many names. */
  readonly endings: string[] = []
  readonly #endingNumbers = new Map<string, number>()
  readonly #prices: number[] = []
  readonly #names = new GrowingArray(4096)
  readonly #occurrences = new GrowingArray(4096)
  readonly #termNumbers = new Map<string, number>()
  readonly #termOfToken = new Map<string, number>()
  /** By the number that the lexicon has for it. */
  readonly #termOfWord = new Map<number, number>()
  readonly #termWeights: number[] = []
  readonly namesByTerms = new NamesByTerms()
  /** Entries of the names that have each. */
  readonly #withTrigram = new Map<number, GrowingArray>()

  /**
   * Adds a name, or takes note of its new price; `tokens` are the words of its label. One whose words are
   * read another way now gets a new number. Returns the number.
   */
  put(domain: string, tokens: readonly string[], priceCents: number): number {
    const words = tokens.slice(0, MAX_TOKENS)
    const known = this.#numberOf(domain)
    if (known !== undefined && this.#isReadAs(known, words)) {
      this.#prices[known] = priceCents
      this.#names.set(known * WIDTH, this.#state(known) | 1)
      return known
    }
    this.remove(domain)
    const name = this.domains.length
    this.domains.push(domain)
    this.#prices.push(priceCents)
    const start = this.#occurrences.length
    for (const [from, word] of words.entries()) this.#occur(this.#termOf(word), from, 1)
    for (const { lemma, from, count } of phrasesOf(words)) {
      this.#occur(this.#number(lemma), from, count)
    }
    const label = labelOf(domain)
    this.#byLabel.add(label, name)
    const ending = this.#endingOf(domain.slice(label.length))
    this.#names.push(packState(label.length, this.#occurrences.length - start, ending))
    this.#names.push(start)
    this.#names.push(lettersIn(label))
    this.#listByTerms(name)
    const entry = entryOf(name, label.length)
    for (const trigram of trigramsOf(label)) {
      let entries = this.#withTrigram.get(trigram)
      if (!entries) this.#withTrigram.set(trigram, (entries = new GrowingArray()))
      if (entries.last !== entry) entries.push(entry)
    }
    return name
  }

  remove(domain: string): void {
    const name = this.#numberOf(domain)
    if (name !== undefined) this.#names.set(name * WIDTH, this.#state(name) & ~1)
  }

  /** The last that it was given. */
  #numberOf(domain: string): number | undefined {
    return this.#byLabel.find(labelOf(domain)).find((name) => this.domains[name] === domain)
  }

  #isReadAs(name: number, words: readonly string[]): boolean {
    const known = Array.from({ length: this.occurrenceCount(name) }, (_, at) =>
      this.occurrence(name, at),
    ).filter(({ count }) => count === 1)
    return (
      known.length === words.length &&
      words.every((word, at) => known[at]?.term === this.#termOf(word))
    )
  }

  #termOf(word: string): number {
    const known = this.#termOfToken.get(word)
    if (known !== undefined) return known
    const term = this.#number(lexicon().lemma(word))
    this.#termOfToken.set(word, term)
    return term
  }

  #number(text: string): number {
    const known = this.#termNumbers.get(text)
    if (known !== undefined) return known
    const term = this.terms.length
    this.#termNumbers.set(text, term)
    this.terms.push(text)
    this.#termWeights.push(lexicon().weight(text))
    const word = lexicon().number(text)
    if (word !== undefined) this.#termOfWord.set(word, term)
    return term
  }

  #endingOf(text: string): number {
    const known = this.#endingNumbers.get(text)
    if (known !== undefined) return known
    this.#endingNumbers.set(text, this.endings.length)
    return this.endings.push(text) - 1
  }

  #occur(term: number, from: number, count: number): void {
    this.#occurrences.push(packOccurrence(term, from, count))
  }

  /** By each of its terms and each two of them, those that say least else first. */
  #listByTerms(name: number): void {
    const terms = Array.from({ length: this.occurrenceCount(name) }, (_, at) =>
      this.occurrence(name, at),
    )
    const weights = terms
      .filter(({ count }) => count === 1)
      .map(({ term }) => this.termWeight(term))
    const cost = costOfName(this.domains[name] ?? '', this.length(name), weights)
    for (const [one, other] of listedPairs(terms)) {
      this.namesByTerms.add(one.term, other.term, name, cost)
    }
  }

  get size(): number {
    return this.domains.length
  }

  #state(name: number): number {
    return this.#names.at(name * WIDTH)
  }

  isListed(name: number): boolean {
    return (this.#state(name) & 1) === 1
  }

  /** How many letters the label has. */
  length(name: number): number {
    return (this.#state(name) >>> 1) & 63
  }

  /** Which letters the label has, as `lettersIn` has them. */
  letters(name: number): number {
    return this.#names.at(name * WIDTH + 2)
  }

  /** Which of `endings` the name has. */
  ending(name: number): number {
    return this.#state(name) >>> 13
  }

  priceCents(name: number): number {
    return this.#prices[name] ?? 0
  }

  /** The names that are this label, on whatever TLD. */
  labelled(label: string): number[] {
    return this.#byLabel.find(label).filter((name) => labelOf(this.domains[name] ?? '') === label)
  }

  term(text: string): number | undefined {
    return this.#termNumbers.get(text)
  }

  /** The term that is the word of this number in the lexicon. */
  termOfWord(word: number): number | undefined {
    return this.#termOfWord.get(word)
  }

  /** How much the term says of what a name is about. */
  termWeight(term: number): number {
    return this.#termWeights[term] ?? 1
  }

  /** Entries, the names rising. */
  withTrigram(trigram: number): Uint32Array {
    return this.#withTrigram.get(trigram)?.view() ?? new Uint32Array()
  }

  occurrenceCount(name: number): number {
    return (this.#state(name) >>> 7) & 63
  }

  /** A term of the name: its words in their order come first, then the phrases. */
  occurrence(name: number, at: number): { term: number; from: number; count: number } {
    const packed = this.#occurrences.at(this.#names.at(name * WIDTH + 1) + at)
    return { term: packed >>> 8, from: (packed >>> 4) & 15, count: packed & 15 }
  }
}

/** A listed name: how long its label is, how many occurrences it has, and the number of its ending. */
function packState(length: number, occurrences: number, ending: number): number {
  return ((ending << 13) | (occurrences << 7) | (length << 1) | 1) >>> 0
}

/** Which letters a text has, a bit each; digits share theirs. Hyphens are none. */
export function lettersIn(text: string): number {
  let letters = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= 97 && code <= 122) letters |= 1 << (code - 97)
    else if (code !== 45) letters |= 1 << (26 + (code % 6))
  }
  return letters >>> 0
}

function packOccurrence(term: number, from: number, count: number): number {
  return term * 256 + from * 16 + count
}

export function labelOf(domain: string): string {
  return domain.slice(0, domain.indexOf('.'))
}

/** Each run of three letters, as a number. */
export function trigramsOf(label: string): number[] {
  const trigrams: number[] = []
  const base = LETTERS.length
  let last = -1
  let beforeLast = -1
  for (const letter of label) {
    const place = Math.max(0, LETTERS.indexOf(letter))
    if (beforeLast >= 0) trigrams.push((beforeLast * base + last) * base + place)
    beforeLast = last
    last = place
  }
  return trigrams
}

import { lexicon } from './lexicon.ts'

/** The terms that names may have, each by a number. */
export interface Vocabulary {
  term(text: string): number | undefined
  /** The term that is the word of this number in the lexicon. */
  termOfWord(word: number): number | undefined
  /** How much the term says of what a name is about. */
  termWeight(term: number): number
}

/** All words of the lexicon, for names that nobody holds in memory; terms have the lexicon's numbers. */
export class AllWords implements Vocabulary {
  readonly #brands: string[] = []
  readonly #takesBrands: boolean

  /** @param takesBrands whether a word that the lexicon does not know is a term, too, rather than a slip */
  constructor(takesBrands: boolean) {
    this.#takesBrands = takesBrands
  }

  term(text: string): number | undefined {
    const word = lexicon().number(text)
    if (word !== undefined || !this.#takesBrands) return word
    const known = this.#brands.indexOf(text)
    return lexicon().size + (known >= 0 ? known : this.#brands.push(text) - 1)
  }

  termOfWord(word: number): number {
    return word
  }

  termWeight(term: number): number {
    return lexicon().weight(this.text(term))
  }

  text(term: number): string {
    return this.#brands[term - lexicon().size] ?? lexicon().word(term)
  }
}

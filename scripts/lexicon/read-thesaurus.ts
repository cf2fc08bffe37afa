import { linesIn } from './read-lines.ts'

const FOLDER = new URL('../../packages/name-search/lexicon/thesaurus/', import.meta.url)

/** One line of the thesaurus: `synonym, … < broader, … ~ associated, …` (packages/name-search/lexicon/README.md). */
export interface Concept {
  synonyms: string[]
  broader: string[]
  associated: string[]
}

export function readThesaurus(): Concept[] {
  return linesIn(FOLDER).map((line) => {
    const [rest = '', associated = ''] = line.split('~')
    const [synonyms = '', broader = ''] = rest.split('<')
    return {
      synonyms: wordsOf(synonyms),
      broader: wordsOf(broader),
      associated: wordsOf(associated),
    }
  })
}

function wordsOf(list: string): string[] {
  const words = list.split(',').map((word) => word.trim())
  return [...new Set(words.filter((word) => /^[a-z0-9]{1,24}$/.test(word)))]
}

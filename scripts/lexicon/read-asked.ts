import { linesIn } from './read-lines.ts'

const FOLDER = new URL('../../packages/name-search/lexicon/asked/', import.meta.url)

/** One line of `asked/`: `asked, … : telling … | fitting …` (packages/name-search/lexicon/README.md). */
export interface Asked {
  /** A word, or the words of a phrase. */
  heads: string[][]
  telling: string[]
  fitting: string[]
}

export function readAsked(): Asked[] {
  return linesIn(FOLDER).map((line) => {
    const [heads = '', words = ''] = line.split(':')
    const [telling = '', fitting = ''] = words.split('|')
    return {
      heads: heads.split(',').map(wordsOf),
      telling: wordsOf(telling),
      fitting: wordsOf(fitting),
    }
  })
}

function wordsOf(text: string): string[] {
  return text.match(/[a-z0-9]+/g) ?? []
}

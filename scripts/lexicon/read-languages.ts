import { readFileSync } from 'node:fs'
import { foldLetters } from '../../packages/name-search/src/split-label.ts'

const FOLDER = new URL('../../packages/name-search/lexicon/languages/', import.meta.url)
/** The columns of commerce.txt after the first, which is English. */
const LANGUAGES = ['de', 'es', 'fr', 'it', 'pt', 'nl', 'ru', 'zh', 'ja', 'ko', 'hi', 'ar'] as const
type Language = (typeof LANGUAGES)[number]

/** A word of another language, or several that are said as one. */
interface ForeignWord {
  text: string
  /** What it is written with, where that is several words. */
  parts: string[]
  /** Its plurals and other common forms. */
  forms: string[]
  language: Language
}

/** What English says by these words, the most common first, and other languages by those. */
export interface Translation {
  heads: string[]
  words: ForeignWord[]
}

export function readTranslations(): Translation[] {
  return linesOf('commerce.txt').map((line) => {
    const [heads = '', ...columns] = line.split('|')
    return {
      heads: heads.trim().split(/\s+/),
      words: LANGUAGES.flatMap((language, at) => wordsOf(columns[at] ?? '', language)),
    }
  })
}

/** Words that say nothing by themselves. */
export function readFunctionWords(): Set<string> {
  return new Set(
    linesOf('function-words.txt').flatMap((line) => {
      const [language = '', ...words] = line.split(/\s+/)
      return words.flatMap((word) => spellings(word, language).map(({ text }) => text))
    }),
  )
}

function linesOf(file: string): string[] {
  return readFileSync(new URL(file, FOLDER), 'utf8')
    .split('\n')
    .map((line) => line.replace(/^#.*/, '').trim())
    .filter((line) => line !== '')
}

function wordsOf(column: string, language: Language): ForeignWord[] {
  return column
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => spellings(word, language))
    .map(({ text, parts }) => ({ text, parts, forms: formsOf(text, language), language }))
}

/** As names and queries write it: without marks, and in German with `ae` for `ä` as well. */
function spellings(word: string, language: string): { text: string; parts: string[] }[] {
  const written = [word]
  if (language === 'de' && /[äöü]/i.test(word)) {
    written.push(word.replace(/[äöü]/gi, (letter) => `${foldLetters(letter)}e`))
  }
  return written.map((each) => {
    const parts = foldLetters(each)
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      .filter((part) => part !== '')
    return { text: parts.join(''), parts }
  })
}

const RUSSIAN_ADJECTIVE = /(?:ый|ий|ой|ая|ое|ые|ие)$/
const RUSSIAN_NOUN = /[аяоеьйыи]$/

/** Forms that may be no words at all cost nothing: nobody writes them. */
function formsOf(word: string, language: Language): string[] {
  const stem = word.slice(0, -1)
  const ends = (...endings: string[]) => endings.some((ending) => word.endsWith(ending))
  switch (language) {
    case 'de':
      if (word.length < 4) return []
      return ['e', 'en', 'n', 'er', 's', 'es', 'em'].map((ending) => word + ending)
    case 'nl':
      return word.length < 4 ? [] : ['en', 's', 'n', 'e', 'je'].map((ending) => word + ending)
    case 'es':
      return ends('a', 'e', 'o', 'i', 'u') ? [`${word}s`] : [`${word}es`]
    case 'pt':
      if (ends('ao')) return [`${word.slice(0, -2)}oes`, `${word}s`]
      if (ends('l')) return [`${stem}is`]
      return ends('a', 'e', 'o', 'i', 'u') ? [`${word}s`] : [`${word}es`]
    case 'fr':
      if (ends('s', 'x', 'z')) return []
      if (ends('al')) return [`${word.slice(0, -2)}aux`, `${word}es`, `${word}e`]
      return ends('eau', 'eu') ? [`${word}x`] : [`${word}s`, `${word}es`, `${word}e`]
    case 'it':
      if (ends('o')) return [`${stem}i`, `${stem}a`, `${stem}e`]
      if (ends('a')) return [`${stem}e`]
      return ends('e') ? [`${stem}i`] : []
    case 'ru': {
      if (word.length < 3) return []
      if (RUSSIAN_ADJECTIVE.test(word)) {
        const base = word.slice(0, -2)
        return ['ый', 'ий', 'ой', 'ая', 'ое', 'ые', 'ие', 'ого', 'ых', 'их', 'ую', 'ому', 'ым'].map(
          (ending) => base + ending,
        )
      }
      const base = RUSSIAN_NOUN.test(word) ? stem : word
      return ['', 'а', 'я', 'у', 'ю', 'е', 'ы', 'и', 'ой', 'ом', 'ов', 'ей', 'ах', 'ам', 'ами'].map(
        (ending) => base + ending,
      )
    }
    case 'ar':
      return [`ال${word}`, `لل${word}`, `و${word}`]
    case 'ko':
      return ['을', '를', '이', '가', '은', '는', '의', '에'].map((ending) => word + ending)
    default:
      return []
  }
}

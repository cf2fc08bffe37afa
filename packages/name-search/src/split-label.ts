import { domainToUnicode } from 'node:url'
import { lexicon } from './lexicon.ts'

/** What letters that form no known word cost together, as -ln of a frequency. */
const UNKNOWN_COST = 9.7
const UNKNOWN_LETTER_COST = 2.6
/** A sign of Chinese, Japanese or Korean; more than a word that is known costs. */
const UNKNOWN_SIGN_COST = 14.7
/** A single letter is rarely a word; two are a word less often than they look like one. */
const SHORT_COSTS = [0, 7, 1.5]
/** `4k` and `x1` are said as one, though no lexicon has all such. */
const LONGEST_MODEL = 3
/** `mushroomspawn` sells spawn of a mushroom: a plural mostly ends a name. */
const PLURAL_BEFORE_COST = 1.5
/** Where `pawsandclaws` and `boatsinparis` go on. */
const JOINED = /^(?:and|at|by|for|from|in|of|on|to|with)/

/**
 * Reads a label as the words it is most likely made of: `petsupplies` as pet, supplies. Letters that
 * form no word stay together as a brand: `zapli`. Hyphens part words, and so does a digit beside a letter
 * unless the two are a known word, or short.
 */
export function splitLabel(label: string): string[] {
  return foldLetters(label.startsWith('xn--') ? domainToUnicode(label) : label)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .flatMap((run) => (run === '' ? [] : splitRun(run)))
}

const PLAIN = /^[a-z0-9 -]*$/
const FOLDED: Record<string, string> = { ß: 'ss', ё: 'е', أ: 'ا', إ: 'ا', آ: 'ا', ى: 'ي', ة: 'ه' }

/** Lower case, and Latin letters without their marks: what names are written in. */
export function foldLetters(text: string): string {
  if (PLAIN.test(text)) return text
  return text
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ßёأإآىة]/g, (letter) => FOLDED[letter] ?? letter)
}

function splitRun(run: string): string[] {
  const { cost: costOf, longestFrom } = lexicon()
  const least = new Float64Array(run.length + 1).fill(Number.POSITIVE_INFINITY)
  const cameFrom = new Int32Array(run.length + 1)
  least[0] = 0
  for (let from = 0; from < run.length; from += 1) {
    const before = least[from] ?? 0
    const longest = Math.max(2, longestFrom(run.slice(from, from + 3)))
    for (let to = from + 1; to <= run.length; to += 1) {
      const length = to - from
      const known = length <= longest ? costOf(run.slice(from, to)) : undefined
      const cost =
        before +
        (known === undefined
          ? unknownCost(run, from, to)
          : known + shortCost(run, from, length) + pluralBeforeCost(run, from, to))
      if (cost < (least[to] ?? 0)) {
        least[to] = cost
        cameFrom[to] = from
      }
    }
  }
  const words: string[] = []
  for (let to = run.length; to > 0; to = cameFrom[to] ?? 0) {
    words.unshift(...cut(run.slice(cameFrom[to], to)))
  }
  return words
}

/** Writings whose signs say more than a letter does. */
const SIGN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
/** Those without spaces, whose words a dictionary of the runtime tells apart. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
let segmenter: Intl.Segmenter | undefined

/** A word, or what of it the lexicon does not know and the runtime does. */
function cut(word: string): string[] {
  if (word.length < 3 || !UNSPACED.test(word) || lexicon().has(word)) return [word]
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' })
  return Array.from(segmenter.segment(word), ({ segment }) => segment)
}

/** One letter of an alphabet is rarely a word; a sign often is. */
function shortCost(run: string, from: number, length: number): number {
  return SIGN.test(run[from] ?? '') ? 0 : (SHORT_COSTS[length] ?? 0)
}

function pluralBeforeCost(run: string, from: number, to: number): number {
  if (to === run.length || run[to - 1] !== 's' || JOINED.test(run.slice(to))) return 0
  const word = run.slice(from, to)
  const isPlural = lexicon().lemma(word) !== word && !lexicon().isForeign(word)
  return isPlural ? PLURAL_BEFORE_COST : 0
}

function unknownCost(run: string, from: number, to: number): number {
  if (/^\d+$/.test(run.slice(from, to))) {
    // A number is one word, whole.
    const isWhole = !isDigit(run[from - 1]) && !isDigit(run[to])
    return isWhole ? UNKNOWN_COST : Number.POSITIVE_INFINITY
  }
  if (SIGN.test(run[from] ?? '')) return UNKNOWN_SIGN_COST * (to - from)
  if (to - from > LONGEST_MODEL && /\d/.test(run.slice(from, to))) return Number.POSITIVE_INFINITY
  return UNKNOWN_COST + UNKNOWN_LETTER_COST * (to - from)
}

function isDigit(letter: string | undefined): boolean {
  return letter !== undefined && letter >= '0' && letter <= '9'
}

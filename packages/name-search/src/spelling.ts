import { lexicon } from './lexicon.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** Every text that one slip of the keyboard makes of the word: a letter lost, doubled, wrong or swapped. */
export function oneTypoAway(word: string): Set<string> {
  const typos = new Set<string>()
  for (let at = 0; at <= word.length; at += 1) {
    const before = word.slice(0, at)
    const after = word.slice(at)
    if (after !== '') typos.add(before + after.slice(1))
    if (after.length > 1) typos.add(before + after[1] + after[0] + after.slice(2))
    for (const letter of LETTERS) {
      typos.add(before + letter + after)
      if (after !== '') typos.add(before + letter + after.slice(1))
    }
  }
  typos.delete(word)
  return typos
}

/** Rarer words are not what somebody meant to type. */
const COMMON_COST = 13
const MIN_SHARED = 0.45
const MIN_LIKENESS = 0.7
let common: CommonWords | undefined

interface CommonWords {
  words: string[]
  /** Where in them those are that have a bigram. */
  byBigram: Map<string, number[]>
  /** How many bigrams each shares with the word that is looked at; zeros between two. */
  shared: Uint8Array
}

/** Common words that look much like this one: `bicycle` for `bycicle`, which is more than a slip away. */
export function lookalikes(word: string): string[] {
  common ??= readCommonWords()
  const { words, byBigram, shared } = common
  const bigrams = bigramsOf(word)
  const touched: number[] = []
  for (const bigram of bigrams) {
    for (const other of byBigram.get(bigram) ?? []) {
      if (shared[other] === 0) touched.push(other)
      shared[other] = (shared[other] as number) + 1
    }
  }
  const found: { other: string; alike: number }[] = []
  for (const at of touched) {
    const other = words[at] as string
    const isShared = (shared[at] as number) >= bigrams.size * MIN_SHARED
    shared[at] = 0
    if (!isShared || Math.abs(other.length - word.length) > 2) continue
    const alike = likeness(word, other)
    if (alike >= MIN_LIKENESS) found.push({ other, alike })
  }
  return found.toSorted((a, b) => b.alike - a.alike).map(({ other }) => other)
}

function readCommonWords(): CommonWords {
  const words = lexicon()
    .wordsUpTo(COMMON_COST)
    .filter(({ length }) => length > 4)
  const byBigram = new Map<string, number[]>()
  for (const [at, word] of words.entries()) {
    for (const bigram of bigramsOf(word)) {
      const known = byBigram.get(bigram)
      if (known) known.push(at)
      else byBigram.set(bigram, [at])
    }
  }
  return { words, byBigram, shared: new Uint8Array(words.length) }
}

function bigramsOf(word: string): Set<string> {
  return new Set(Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2)))
}

const left = new Int8Array(128)

/** `likeness` is no more than this, which is quicker known: a letter that only one of them has is an edit. */
export function likenessAtMost(a: string, b: string): number {
  for (let at = 0; at < b.length; at += 1) {
    const letter = b.charCodeAt(at) % left.length
    left[letter] = (left[letter] as number) + 1
  }
  let edits = Math.max(0, b.length - a.length)
  for (let at = 0; at < a.length; at += 1) {
    const letter = a.charCodeAt(at) % left.length
    const has = left[letter] as number
    if (has === 0) edits += 1
    else left[letter] = has - 1
  }
  for (let at = 0; at < b.length; at += 1) left[b.charCodeAt(at) % left.length] = 0
  return 1 - edits / Math.max(a.length, b.length, 1)
}

/**
 * How alike two labels look, 0 to 1: one less the share of letters to insert, remove, change or swap
 * (optimal string alignment).
 */
export function likeness(a: string, b: string): number {
  const longest = Math.max(a.length, b.length)
  if (longest === 0) return 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(least)
    }
    beforeLast = last
    last = row
  }
  return 1 - (last[b.length] ?? 0) / longest
}

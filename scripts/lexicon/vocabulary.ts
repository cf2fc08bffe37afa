import type { Asked } from './read-asked.ts'
import type { Concept } from './read-thesaurus.ts'
import type { WordNet } from './read-wordnet.ts'

export interface Word {
  /** How common the written form is, in counts of a text of a few million words. */
  count: number
  /** Forms of one word share a lemma: `flights` has `flight`. */
  lemma: string
  /** Only ever read as the words it is made of: `waterheater`. */
  isCompound: boolean
}

/** Two letters that read as a word in a name; others of that length are mostly noise. */
const SHORT =
  'ad ai am an as at be bi by cv db do dr ex fi go gp he hi hq hr id if in io is it la le ly me mr my no of ok on or ox pa pc pi pr re so tv to uk up us vr we'
const SHORT_WORDS = new Set(SHORT.split(' '))

/** Every written form that search knows, with its frequency and its lemma. */
export function buildVocabulary(
  wordNet: WordNet,
  thesaurus: Concept[],
  asked: Asked[],
): Map<string, Word> {
  const mentions = countMentions(thesaurus, asked)
  const known = (word: string) => wordNet.senses.has(word) || mentions.has(word)
  const counts = new Map<string, number>()
  const add = (word: string, count: number) =>
    counts.set(word, Math.max(counts.get(word) ?? 0, count))

  const countOf = (word: string) => {
    const tagged = (wordNet.senses.get(word) ?? []).reduce((sum, { tagged }) => sum + tagged, 0)
    return 1 + (wordNet.glossCounts.get(word) ?? 0) + 2 * tagged + (mentions.get(word) ?? 0)
  }
  for (const word of mentions.keys()) add(word, countOf(word))
  for (const [word, senses] of wordNet.senses) {
    // What no gloss and no tagged text uses is a rare plant more often than somebody's shop.
    const isMet = wordNet.glossCounts.has(word) || senses.some(({ tagged }) => tagged > 0)
    const isName = senses.every(({ synset }) => !wordNet.synsets.get(synset)?.words.includes(word))
    if (isMet && !isName) add(word, countOf(word))
    else if (wordNet.compounds.has(word) && !isName) add(word, 1)
  }
  // `of` and `your` are in no dictionary of meanings, but in names.
  for (const [word, count] of wordNet.glossCounts) {
    if (count > 500 && !counts.has(word)) add(word, count)
  }
  for (const [word, count] of Array.from(counts)) {
    for (const form of formsOf(word, wordNet)) {
      if (!known(form)) add(form, Math.max(0.12 * count, wordNet.glossCounts.get(form) ?? 0))
    }
  }

  const vocabulary = new Map<string, Word>()
  for (const word of [...counts.keys()].toSorted()) {
    if (word.length === 1 || (word.length === 2 && !SHORT_WORDS.has(word) && !mentions.has(word))) {
      continue
    }
    const count = counts.get(word) ?? 1
    vocabulary.set(word, { count, lemma: word, isCompound: false })
  }
  for (const [word, entry] of vocabulary) {
    entry.lemma = lemmaOf(word, vocabulary, wordNet, mentions)
    // `earrings` is read whole, as `earring` is.
    entry.isCompound = isCompound(entry.lemma, vocabulary, wordNet, mentions)
  }
  for (const entry of vocabulary.values()) {
    // A form of a form: one step is enough for every reader.
    entry.lemma = vocabulary.get(entry.lemma)?.lemma ?? entry.lemma
    entry.isCompound ||= vocabulary.get(entry.lemma)?.isCompound ?? false
  }
  return vocabulary
}

/** How much the thesaurus speaks of a word: what it is about counts more than what it brings along. */
function countMentions(thesaurus: Concept[], asked: Asked[]): Map<string, number> {
  const mentions = new Map<string, number>()
  const add = (word: string, count: number) => mentions.set(word, (mentions.get(word) ?? 0) + count)
  for (const { synonyms, broader, associated } of thesaurus) {
    synonyms.forEach((word, place) => add(word, place === 0 ? 40 : 15))
    for (const word of broader) add(word, 2)
    for (const word of associated) add(word, 4)
  }
  for (const { heads, telling, fitting } of asked) {
    for (const word of [...heads.flat(), ...telling, ...fitting]) add(word, 10)
  }
  return mentions
}

function formsOf(word: string, { senses, synsets }: WordNet): string[] {
  if (word.length < 3) return []
  const parts = new Set((senses.get(word) ?? []).map(({ synset }) => synsets.get(synset)?.part))
  const forms: string[] = []
  if (parts.size === 0 || parts.has('noun')) forms.push(plural(word))
  if (parts.has('verb')) {
    const stem = word.endsWith('e') ? word.slice(0, -1) : word
    const doubled = /[^aeiou][aeiou][bdgmnprt]$/.test(word) ? word + word.at(-1) : stem
    forms.push(`${doubled}ing`, `${doubled}ed`, plural(word))
  }
  return forms
}

function plural(word: string): string {
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return `${word}s`
}

/** WordNet's own rules of detachment (morphy(7WN)), where the shorter form is known. */
const DETACH: [ending: string, instead: string][] = [
  ['ies', 'y'],
  ['sses', 'ss'],
  ['xes', 'x'],
  ['zes', 'z'],
  ['ches', 'ch'],
  ['shes', 'sh'],
  ['s', ''],
  ['ing', ''],
  ['ing', 'e'],
  ['ed', ''],
  ['ed', 'e'],
]

function lemmaOf(
  word: string,
  vocabulary: Map<string, Word>,
  { senses }: WordNet,
  mentions: Map<string, number>,
): string {
  const isOwn = senses.has(word)
  for (const [ending, instead] of DETACH) {
    if (!word.endsWith(ending) || word.length - ending.length < 2) continue
    // `plumbing` and `glasses` are words of their own; a plural in the thesaurus is still a plural.
    if (isOwn || (mentions.has(word) && !ending.endsWith('s'))) continue
    const stem = word.slice(0, -ending.length)
    for (const lemma of [stem + instead, /(.)\1$/.test(stem) ? stem.slice(0, -1) : '']) {
      if (lemma.length > 2 && lemma !== word && !lemma.endsWith('s') && vocabulary.has(lemma)) {
        return lemma
      }
    }
  }
  return word
}

/** A rarer word is no part of another: `crypto` is not cry and pto. */
const PART_COUNT = 60

function isCompound(
  word: string,
  vocabulary: Map<string, Word>,
  wordNet: WordNet,
  mentions: Map<string, number>,
): boolean {
  const written = wordNet.compounds.has(word)
  const isClosed = written ? wordNet.glossCounts.has(word) : wordNet.senses.has(word)
  if (isClosed || word.length < 6) return false
  const isPart = (part: string) => {
    if (written) return part.length >= 2 && vocabulary.has(part)
    const isLong = part.length >= 3 || /\d/.test(part)
    return isLong && mentions.has(part) && (vocabulary.get(part)?.count ?? 0) >= PART_COUNT
  }
  for (let at = 2; at <= word.length - 2; at += 1) {
    if (isPart(word.slice(0, at)) && isPart(word.slice(at))) return true
    for (let then = at + 2; written && then <= word.length - 2; then += 1) {
      if ([word.slice(0, at), word.slice(at, then), word.slice(then)].every(isPart)) return true
    }
  }
  return false
}

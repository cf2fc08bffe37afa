import { parseDomainName, withULabels } from 'domain-marketplace-domain-names'
import { lexicon } from './lexicon.ts'
import { phrasesAsked, phrasesOf } from './name-terms.ts'
import { lookalikes, oneTypoAway } from './spelling.ts'
import { foldLetters, splitLabel } from './split-label.ts'
import type { Vocabulary } from './vocabulary.ts'

const MAX_WORDS = 16
/** What an apostrophe adds to a word says nothing, nor does `don't`. */
const CLITICS = /\p{L}+n['’]t(?!\p{L})|['’](?:s|m|re|ve|ll|d)(?!\p{L})/gu
/** Somebody who asks `how do I call my bakery` is after no telephone. */
const ASKS_FOR_NAME =
  /\b(?:how|what)\s+(?:do|can|could|shall|should|would|to|might)\s+(?:(?:i|we|you|one)\s+)?(?:call|name)\b/gu
/** The form in which we return internationalised names, so a part of one is copied from there. */
const A_LABELS = /(?<![\p{L}\p{N}-])xn--[a-z0-9-]+/giu
/** A word that says much less than the heaviest does not lead. */
const LEADING_SHARE = 0.4
/** However many do not lead, together they weigh no more than this share of those that do. */
const OTHERS_SHARE = 0.2
/** A word that weighs less, unless it leads, stands for itself only: `good` is no point, nor a shop. */
const FILLER = 0.05
/** What a slip costs against reading the letters as other words, as -ln of its likelihood. */
const TYPO_COST = 5
const MAX_CORRECTIONS = 3
/** A word so rare may be a slip in a common one: `calender`. */
const RARE_COST = 13.2
/** A brand that listings have is as likely as a rather rare word. */
const BRAND_COST = 12.7
const CORRECTED = 0.85
/** What an unknown word among those of another language says, as a share of what a brand does. */
const UNTRANSLATED = 0.4
/** What a function word says that is a part of a phrase, as in `pas cher`. */
const PART_OF_PHRASE = 0.1

/** One word of the query, or several that form a known phrase. */
export interface QueryUnit {
  text: string
  /** The places of its words among the query's, rising. */
  at: number[]
  /** How near to it each term of the vocabulary is: 1 is the word itself. */
  near: Map<number, number>
}

export interface ReadQuery {
  /** The domain that the query is, if it is one. */
  domain: string | null
  /** The query as a label would have it. */
  label: string
  /**
   * The same without the words that do not lead: the brand or the slip that a sentence is put around. Empty
   * when more than two lead, as what is written much like them is so by chance.
   */
  leadingLetters: string
  /** Two common words are no brand and no slip: names of theirs are found by what they mean. */
  mayBeSpelt: boolean
  /** It was typed as one word, though it may be read as several. */
  isOneWord: boolean
  /** Those that lead say what is looked for, the others which of it fits better, and fillers hardly that. */
  words: { typed: string; text: string; weight: number; leads: boolean; isFiller: boolean }[]
  units: QueryUnit[]
  /** The units that a term of the vocabulary is near to. */
  near: Map<number, { unit: QueryUnit; weight: number }[]>
}

/** Reads what somebody typed against the names that there are. */
export function readQuery(query: string, vocabulary: Vocabulary): ReadQuery {
  const domain = query.includes('.') ? (parseDomainName(query)?.domain ?? null) : null
  const text = foldLetters(
    domain ? domain.slice(0, domain.indexOf('.')) : query.replace(A_LABELS, asRead),
  )
  const typed = domain
    ? splitLabel(text)
    : wordsOf(text.replace(CLITICS, ' ').replace(ASKS_FOR_NAME, ' '))
  const label = (domain ? typed : wordsOf(text)).join('')
  const isKnown = (word: string) => lexicon().has(word) || vocabulary.term(word) !== undefined
  // A word that is not known among words of another language is one of that language, and no slip in English.
  const isForeign = typed.some((word) => lexicon().isForeign(word))
  const said = isForeign ? withoutFunctionWords(typed) : typed
  const asTyped = weightiest([...new Set(said)], (word) => word)
  // Each of them may be several words, so that there are too many again.
  const readings = weightiest(
    asTyped.flatMap((word) => readWord(word, isKnown, !isForeign)),
    ({ text }) => text,
  )
  const words = weighed(readings, isForeign)
  const leading = new Set(words.filter(({ leads }) => leads).map(({ typed }) => typed))
  const leadingLetters = domain ? label : leading.size < 3 ? [...leading].join('') : ''
  const isOneWord = domain !== null || typed.length === 1
  const mayBeSpelt =
    isOneWord || leading.size === 1 || words.some(({ leads, isCommon }) => leads && !isCommon)
  const units: QueryUnit[] = words.map(({ text, readings, isFiller }, at) => ({
    text,
    at: [at],
    near: nearTerms(readings, vocabulary, !isFiller),
  }))
  for (const { lemma, at } of phrasesAsked(words.map(({ text }) => text))) {
    const parts = at.map((place) => words[place]).filter((word) => word !== undefined)
    // `starting a company that gives driving lessons` does not ask how to start a company.
    if (!parts.some(({ leads }) => leads)) continue
    units.push({
      text: parts.map(({ text }) => text).join(' '),
      at,
      near: nearTerms(new Map([[lemma, 1]]), vocabulary, !parts.every(({ isFiller }) => isFiller)),
    })
  }
  const near: ReadQuery['near'] = new Map()
  for (const unit of units) {
    for (const [term, weight] of unit.near) {
      // What was asked for itself answers that, and nothing else of the query.
      const known = near.get(term)?.filter((other) => weight < 1 || other.weight === 1) ?? []
      if (weight === 1 || known.every((other) => other.weight < 1)) known.push({ unit, weight })
      near.set(term, known)
    }
  }
  return { domain, label, leadingLetters, mayBeSpelt, isOneWord, words, units, near }
}

/** `für` is no fur among German words, but `pas cher` is cheap. Where only such words are, they are what is said. */
function withoutFunctionWords(typed: string[]): string[] {
  const phrased = new Set(
    phrasesOf(typed).flatMap(({ from, count }) => typed.slice(from, from + count)),
  )
  const said = typed.filter((word) => phrased.has(word) || !lexicon().isFunctionWord(word))
  return said.length > 0 ? said : typed
}

/** What an A-label stands for; what stands for nothing is in no name. */
function asRead(aLabel: string): string {
  const shown = withULabels(aLabel)
  return shown === aLabel ? ' ' : shown
}

/** No longer than a label: what a word may mean takes the square of its letters to find. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]{1,63}/gu) ?? []
}

/** As many words as are read, in their order: of a long text those that say most. */
function weightiest<Word>(words: Word[], textOf: (word: Word) => string): Word[] {
  if (words.length <= MAX_WORDS) return words
  const weights = words.map((word) => lexicon().weight(textOf(word)))
  const kept = [...words.keys()]
    .toSorted((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0))
    .slice(0, MAX_WORDS)
  return words.filter((_, at) => kept.includes(at))
}

/**
 * How much each word says of what is looked for. Each word of `I need a domain name for my new website
 * about` says little, but together they would outweigh the `recipes` that follow.
 */
function weighed(readings: WordReading[], isForeign: boolean) {
  const words = readings.map((word) => ({
    ...word,
    weight: Math.max(...[...word.readings.keys()].map((reading) => weightOf(reading, isForeign))),
  }))
  const heaviest = Math.max(0, ...words.map(({ weight }) => weight))
  const leads = ({ weight }: { weight: number }) => weight >= heaviest * LEADING_SHARE
  const leading = sum(words.filter(leads).map(({ weight }) => weight))
  const others = sum(words.map(({ weight }) => weight)) - leading
  const share = Math.min(1, (leading * OTHERS_SHARE) / others)
  return words.map((word) => {
    if (leads(word)) return { ...word, leads: true, isFiller: false }
    const weight = word.weight * share
    return { ...word, weight, leads: false, isFiller: weight < FILLER }
  })
}

/** Of another language we know few words: one that is not known is rarely a brand. */
function weightOf(reading: string, isForeign: boolean): number {
  const weight = lexicon().weight(reading)
  if (!isForeign) return weight
  if (lexicon().isFunctionWord(reading)) return Math.min(weight, PART_OF_PHRASE)
  return lexicon().has(reading) ? weight : weight * UNTRANSLATED
}

function sum(weights: number[]): number {
  return weights.reduce((sum, weight) => sum + weight, 0)
}

interface WordReading {
  /** What was typed, of which it may be a part or a correction. */
  typed: string
  text: string
  /** What it may stand for, by how sure that is. */
  readings: Map<string, number>
  isCommon: boolean
}

/** A common word stands for itself; another is several words in one, a slip, or a brand. */
function readWord(
  word: string,
  isKnown: (word: string) => boolean,
  mayBeSlip: boolean,
): WordReading[] {
  const readings = new Map([[word, 1]])
  const itself = { typed: word, text: word, readings, isCommon: false }
  const cost = isKnown(word) ? costOf(word) : undefined
  const isCommon = lexicon().isForeign(word) || (cost !== undefined && cost < RARE_COST)
  if (isCommon) return [{ ...itself, isCommon: true }]
  const corrections = mayBeSlip ? likelyMeant(word, isKnown) : []
  const [likeliest] = corrections
  const parts = cost === undefined ? splitLabel(word) : [word]
  const partsCost =
    cost ?? parts.reduce((sum, part) => sum + (lexicon().cost(part) ?? Number.POSITIVE_INFINITY), 0)
  if (likeliest && likeliest.cost < partsCost) {
    for (const { text } of corrections) readings.set(text, CORRECTED)
    return [{ ...itself, text: likeliest.text }]
  }
  return parts.length > 1
    ? parts.map((text) => ({ ...itself, text, readings: new Map([[text, 1]]) }))
    : [itself]
}

function costOf(word: string): number {
  return lexicon().cost(word) ?? BRAND_COST
}

/** What somebody may have meant to type, the likeliest first. */
function likelyMeant(word: string, isKnown: (word: string) => boolean) {
  if (word.length < 4) return []
  const typos = [...oneTypoAway(word)].filter((typo) => typo.length > 2 && isKnown(typo))
  const meant = typos.length > 0 || word.length < 6 ? typos : lookalikes(word)
  const typoCost = typos.length > 0 ? TYPO_COST : 2 * TYPO_COST
  return meant
    .map((text) => ({ text, cost: costOf(text) + typoCost }))
    .toSorted((a, b) => a.cost - b.cost || (a.text < b.text ? -1 : 1))
    .slice(0, MAX_CORRECTIONS)
}

function nearTerms(
  readings: Map<string, number>,
  vocabulary: Vocabulary,
  withOthers: boolean,
): Map<number, number> {
  const near = new Map<number, number>()
  const add = (term: number | undefined, weight: number) => {
    if (term !== undefined) near.set(term, Math.max(near.get(term) ?? 0, weight))
  }
  for (const [reading, sureness] of readings) {
    const lemma = lexicon().lemma(reading)
    add(vocabulary.term(lemma), sureness)
    if (!withOthers) continue
    for (const { word, weight } of lexicon().near(lemma)) {
      add(vocabulary.termOfWord(word), weight * sureness)
    }
  }
  return near
}

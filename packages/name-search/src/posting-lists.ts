import { answeredBy, ofBoth, termsNear } from './by-meaning.ts'
import { lexicon } from './lexicon.ts'
import { labelOf } from './name-index.ts'
import { keyOfTerms, spellingKey, termHash } from './posting-key.ts'
import { COST_STEPS, MAX_BEGINNING, MIN_LETTERS, slipsOf } from './postings.ts'
import { type ReadQuery, readQuery } from './read-query.ts'
import { focus, REST } from './score-name.ts'
import { oneTypoAway } from './spelling.ts'
import { AllWords } from './vocabulary.ts'

const MAX_PAIRS = 200
const WORTH_STEPS = 256
const LEAST_WORTH = 0.1
/** What names are worth a look for that are written like the query, beside those that mean what it does. */
const SAME_LABEL = 1
const ONE_SLIP_FROM_LABEL = 0.9
const LIKE_LABEL = 0.6
const BEGINS_SO = 0.5

/**
 * A list of names to read, the cheapest first. A name of it that costs `cost` is worth at most
 * `base + rest * min(1, fit / cost)`.
 */
export interface PostingList {
  key: number
  base: number
  rest: number
  /** In the steps of costs. */
  fit: number
}

/** The lists in which the names that a query asks for are to be found. */
export function postingLists(query: string, scope: string): PostingList[] {
  const lists = new Map<number, PostingList>()
  const add = (list: PostingList) => {
    const known = lists.get(list.key)
    if (!known || most(known) < most(list)) lists.set(list.key, list)
  }
  const words = new AllWords(false)
  const read = readQuery(query, words)
  for (const list of listsOfMeaning(read, words, scope)) add(list)
  if (read.words.some(({ typed }) => !lexicon().has(typed))) {
    // What is not known may be a slip or a brand that names have: nobody knows before they are read.
    const brands = new AllWords(true)
    for (const list of listsOfMeaning(readQuery(query, brands), brands, scope)) add(list)
  }
  for (const list of listsOfLetters(read, scope)) add(list)
  return [...lists.values()]
}

function most({ base, rest }: PostingList): number {
  return base + rest
}

function listsOfMeaning(read: ReadQuery, vocabulary: AllWords, scope: string): PostingList[] {
  const { terms, says, fits, coverages } = termsNear(vocabulary, read)
  const count = terms.length
  const hashes = terms.map((term) => termHash(scope, vocabulary.text(term)))
  const listOf = (a: number, b: number): PostingList => {
    const share = answeredBy(coverages[a * count + b] as number)
    return {
      key: keyOfTerms(hashes[a] as number, hashes[b] as number),
      base: share * (1 - REST),
      rest: share * REST,
      fit: ofBoth(fits, a, b) * COST_STEPS,
    }
  }
  /** By how much a name of both terms that says nothing else is worth. */
  const pairs: number[][] = Array.from({ length: WORTH_STEPS + 1 }, () => [])
  const alone: PostingList[] = []
  for (let a = 0; a < count; a += 1) {
    for (let b = a; b < count; b += 1) {
      const share = answeredBy(coverages[a * count + b] as number)
      const worth = share * focus(ofBoth(fits, a, b), ofBoth(says, a, b))
      if (worth < LEAST_WORTH) continue
      if (a === b) alone.push(listOf(a, a))
      else pairs[Math.floor(worth * WORTH_STEPS)]?.push(a * count + b)
    }
  }
  // Of most pairs there is no name: those of one term alone are never left out for them.
  const best = pairs.toReversed().flat().slice(0, MAX_PAIRS)
  return [...alone, ...best.map((pair) => listOf(Math.floor(pair / count), pair % count))]
}

function listsOfLetters(read: ReadQuery, scope: string): PostingList[] {
  const lists: PostingList[] = []
  const add = (key: number, base: number) => lists.push({ key, base, rest: 0, fit: 0 })
  for (const label of new Set([read.label, labelOf(read.domain ?? '')])) {
    add(spellingKey('label', scope, label), SAME_LABEL)
  }
  const letters = read.leadingLetters
  if (!read.mayBeSpelt || letters.length < MIN_LETTERS) return lists
  for (const slip of slipsOf(letters)) add(spellingKey('slip', scope, slip), LIKE_LABEL)
  add(spellingKey('beginning', scope, letters.slice(0, MAX_BEGINNING)), BEGINS_SO)
  if (read.isOneWord && !lexicon().has(letters)) {
    for (const typo of oneTypoAway(letters)) {
      add(spellingKey('label', scope, typo), ONE_SLIP_FROM_LABEL)
    }
  }
  return lists
}

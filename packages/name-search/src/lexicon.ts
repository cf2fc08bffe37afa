import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { readWords } from './word-list.ts'

/** Made by `npm run lexicon` from WordNet 3.1 and our thesaurus (docs/decisions). */
const FILE = new URL('../lexicon/lexicon.bin', import.meta.url)
const MAGIC = 'LEX1'
const HEADER_BYTES = 512
const HASHED_BYTES = 2 ** 16
const NEVER = 0xffff
const COST_SCALE = 1000
const WEIGHT_SCALE = 150
const START_LETTERS = 3
/** An unknown word is a brand, and that is mostly all a name is about. */
const BRAND_WEIGHT = 1.3
/** A number counts or prices what else is said: `under 2000 dollars`. */
const NUMBER_WEIGHT = 0.4

interface Near {
  /** The word's number in the lexicon. */
  word: number
  /** 0 to 1; 1 says the same. */
  weight: number
}

/** What is known of words: how common they are, their forms, and what lies near them in meaning. */
export interface Lexicon {
  has(word: string): boolean
  /** Whether it is a word of another language than English. */
  isForeign(word: string): boolean
  /** Whether it says nothing by itself in some language other than English, whatever it says in English. */
  isFunctionWord(word: string): boolean
  /** The word's number, from 0 to below `size`. */
  number(word: string): number | undefined
  /** The word of a number. */
  word(number: number): string
  size: number
  /** What reading the word in a label costs, -ln of its frequency; undefined when it never reads so. */
  cost(word: string): number | undefined
  /** How long the longest word is that begins with these three letters, of those that labels are read as. */
  longestFrom(start: string): number
  /** How much the word says of what a name is about: 0.02 for `the`, about 1 for `dentist`. */
  weight(word: string): number
  /** `flights` has the lemma `flight`; an unknown word is its own. */
  lemma(word: string): string
  /** The nearest first, by lemma. */
  near(lemma: string): Near[]
  /** The words that labels are read as, at most as rare as `cost`. */
  wordsUpTo(cost: number): string[]
}

let loaded: Lexicon | undefined
let fingerprint: string | undefined

/** The lexicon that ships with the service, read once a thread. */
export function lexicon(): Lexicon {
  loaded ??= readLexicon(openSync(FILE, 'r'))
  return loaded
}

/** Raised whenever `splitLabel` or `postingsOf` reads labels otherwise. */
const READING = '5'

/** Another whenever the lexicon is another, or is read otherwise. */
export function lexiconFingerprint(): string {
  fingerprint ??= hashFile().digest('hex')
  return fingerprint
}

/** A piece at a time: most of the file is not held otherwise. */
function hashFile() {
  const hash = createHash('sha256').update(READING)
  const file = openSync(FILE, 'r')
  const piece = Buffer.alloc(HASHED_BYTES)
  for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
    hash.update(piece.subarray(0, read))
  }
  closeSync(file)
  return hash
}

function readLexicon(file: number): Lexicon {
  const read = (at: number, length: number) => {
    const bytes = new Uint8Array(length)
    readSync(file, bytes, 0, length, at)
    return bytes
  }
  const start = Buffer.from(read(0, HEADER_BYTES))
  if (start.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new Error(`${FILE.pathname} is not a lexicon: make it with \`npm run lexicon\``)
  }
  const sections = new Map<string, [at: number, length: number]>()
  let at = HEADER_BYTES
  const header = JSON.parse(start.toString('utf8', MAGIC.length)) as [string, number][]
  for (const [name, length] of header) {
    sections.set(name, [at, length])
    at += Math.ceil(length / 4) * 4
  }
  const section = (name: string) => read(...(sections.get(name) ?? [0, 0]))
  const numbers = (name: string) => new Uint32Array(section(name).buffer)
  const words = readWords(section('words'))
  const costs = new Uint16Array(section('cost').buffer)
  const lemmas = numbers('lemma')
  const weights = section('weight')
  const starts = numbers('start')
  // Most of the file, of which a search needs some hundred bytes: they are read when asked for.
  const [nearAt = 0] = sections.get('near') ?? []
  const [firstForeign = words.size] = numbers('foreign')
  const functionWords = new Set(numbers('function'))
  const longest = new Map<string, number>()
  for (let id = 0; id < words.size; id += 1) {
    if (costs[id] === NEVER) continue
    const word = words.word(id)
    const start = word.slice(0, START_LETTERS)
    if (word.length > (longest.get(start) ?? 0)) longest.set(start, word.length)
  }
  const { word: wordAt, number } = words

  return {
    has: (word) => number(word) !== undefined,
    isForeign: (word) => (number(word) ?? -1) >= firstForeign,
    isFunctionWord: (word) => functionWords.has(number(word) ?? -1),
    number,
    word: wordAt,
    size: words.size,
    cost(word) {
      const id = number(word)
      const cost = id === undefined ? NEVER : (costs[id] ?? NEVER)
      return cost === NEVER ? undefined : cost / COST_SCALE
    },
    longestFrom: (start) => longest.get(start) ?? 0,
    weight(word) {
      if (/^\d+$/.test(word)) return NUMBER_WEIGHT
      const id = number(word)
      return id === undefined ? BRAND_WEIGHT : (weights[id] ?? 0) / WEIGHT_SCALE
    },
    lemma(word) {
      const id = number(word)
      const lemma = id === undefined ? undefined : lemmas[id]
      return lemma === undefined || lemma === id ? word : wordAt(lemma)
    },
    wordsUpTo(most) {
      const found: string[] = []
      for (const [id, cost] of costs.entries())
        if (cost <= most * COST_SCALE) found.push(wordAt(id))
      return found
    },
    near(lemma) {
      const id = number(lemma)
      if (id === undefined) return []
      const from = starts[id] ?? 0
      const { buffer } = read(nearAt + from * 4, ((starts[id + 1] ?? from) - from) * 4)
      return Array.from(new Uint32Array(buffer), (packed) => ({
        word: packed >>> 8,
        weight: (packed & 0xff) / 255,
      }))
    },
  }
}

import { writeFileSync } from 'node:fs'
import { phraseKey, SAYS_NOTHING } from '../packages/name-search/src/name-terms.ts'
import { readAsked } from './lexicon/read-asked.ts'
import { readGeneric } from './lexicon/read-generic.ts'
import { readFunctionWords, readTranslations } from './lexicon/read-languages.ts'
import { readThesaurus } from './lexicon/read-thesaurus.ts'
import { readWordNet } from './lexicon/read-wordnet.ts'
import { nearest, relate } from './lexicon/relate.ts'
import { relateAsked } from './lexicon/relate-asked.ts'
import { translate } from './lexicon/translate.ts'
import { buildVocabulary, type Word } from './lexicon/vocabulary.ts'

const OUT = new URL('../packages/name-search/lexicon/lexicon.bin', import.meta.url)
/** A cost that no reading of a label would choose. */
const NEVER = 0xffff
const COST_SCALE = 1000
const WEIGHT_SCALE = 150
/** What function words of other languages say, and a word that is only known as a part of others. */
const NOTHING = 0.02
const PART = 0.5

/**
 * Writes `packages/name-search/lexicon/lexicon.bin`: the words of WordNet and of
 * the thesaurus with what reading each costs in a label (-ln of its frequency), its lemma, and the words
 * near it. The same sources give the same bytes.
 */
const started = process.hrtime.bigint()
const wordNet = readWordNet()
const thesaurus = readThesaurus()
const asked = readAsked()
const vocabulary = buildVocabulary(wordNet, thesaurus, asked)
const generic = readGeneric()
// `a` and `these` are in no dictionary of meanings: queries have them, and no label is read so.
const onlyAsked = [...generic.keys()].filter((word) => !vocabulary.has(word))
const related = relate(wordNet, thesaurus, vocabulary)
const lemmaOf = (word: string) => vocabulary.get(word)?.lemma ?? word
const genericWeight = (word: string) => generic.get(word) ?? generic.get(lemmaOf(word))
const saysNothing = (word: string) => (genericWeight(word) ?? 1) <= SAYS_NOTHING
const keyOf = (phrase: string[]) =>
  phraseKey(phrase.filter((word) => !saysNothing(word)).map(lemmaOf))
const { nearTo, phrases } = relateAsked(asked, thesaurus, lemmaOf, keyOf, related)
const functionWords = readFunctionWords()
const sources = { english: vocabulary, dictionary: wordNet.senses, generic }
const foreign = translate(readTranslations(), functionWords, sources, nearTo)
for (const word of foreign.keys()) vocabulary.delete(word)
const total = [...vocabulary.values()].reduce((sum, { count }) => sum + count, 0)
// Those of other languages last, by which they are told apart.
const english = [...vocabulary.keys(), ...onlyAsked.filter((word) => !foreign.has(word))]
const words = [...english, ...phrases, ...foreign.keys()]
const ids = new Map(words.map((word, id) => [word, id]))
const idOf = (word: string) => ids.get(word) ?? 0

const cost = new Uint16Array(words.length)
const lemma = new Uint32Array(words.length)
const weight = new Uint8Array(words.length)
const start = new Uint32Array(words.length + 1)
const near: number[] = []
for (const [id, word] of words.entries()) {
  const other = foreign.get(word)
  const entry = other?.word ?? vocabulary.get(word) ?? { count: 0, lemma: word, isCompound: true }
  // A filler that is a word is one wherever it stands: `online`.
  cost[id] =
    entry.isCompound && !(generic.has(word) && vocabulary.has(word))
      ? NEVER
      : Math.min(NEVER - 1, Math.round(-Math.log(entry.count / total) * COST_SCALE))
  lemma[id] = idOf(entry.lemma)
  const says = other ? saysAs(other.says) : weightOf(word)
  weight[id] = Math.round(says * WEIGHT_SCALE)
  if (entry.lemma === word) {
    for (const { word: to, weight } of other ? nearest(other.near) : nearTo(word)) {
      if (ids.has(to)) near.push(idOf(to) * 256 + Math.round(weight * 255))
    }
  }
  start[id + 1] = near.length
}

const sections = {
  words: Buffer.from(words.join('\n')),
  cost: bytesOf(cost),
  lemma: bytesOf(lemma),
  weight: bytesOf(weight),
  start: bytesOf(start),
  near: bytesOf(Uint32Array.from(near)),
  foreign: bytesOf(Uint32Array.of(english.length + phrases.length)),
  function: bytesOf(Uint32Array.from([...functionWords].flatMap((word) => ids.get(word) ?? []))),
}
const header = Buffer.from(
  JSON.stringify(Object.entries(sections).map(([name, bytes]) => [name, bytes.length])).padEnd(508),
)
const aligned = Object.values(sections).map((bytes) =>
  Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]),
)
writeFileSync(OUT, Buffer.concat([Buffer.from('LEX1'), header, ...aligned]))
const seconds = Number(process.hrtime.bigint() - started) / 1e9
console.log(
  `${words.length} words, ${near.length} relations, ${aligned.reduce((sum, { length }) => sum + length, 512)} bytes, ${seconds.toFixed(1)} s`,
)

function weightOf(word: string): number {
  const entry = vocabulary.get(word)
  return genericWeight(word) ?? (entry ? rarity(entry) : 1)
}

/** As much as the English word that a word of another language stands for; a function word says nothing. */
function saysAs(head: string | null): number {
  if (head === '') return NOTHING
  const entry = head === null ? undefined : vocabulary.get(head)
  if (head === null || !entry) return PART
  return generic.get(head) ?? generic.get(entry.lemma) ?? rarity(entry)
}

/** Rare words say more than common ones. */
function rarity({ count, isCompound }: Word): number {
  if (isCompound) return 1.1
  return Math.min(1.4, Math.max(0.6, -Math.log(count / total) / 10))
}

function bytesOf(array: Uint8Array | Uint16Array | Uint32Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength)
}

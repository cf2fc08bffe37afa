import { writeFileSync } from 'node:fs'
import { embed } from './lexicon/embed.ts'
import { readGeneric } from './lexicon/read-generic.ts'
import { readThesaurus } from './lexicon/read-thesaurus.ts'
import { readWordNet } from './lexicon/read-wordnet.ts'
import { relate } from './lexicon/relate.ts'
import { buildVocabulary, type Word } from './lexicon/vocabulary.ts'

const OUT = new URL('../packages/name-search/lexicon/lexicon.bin', import.meta.url)
/** A cost that no reading of a label would choose. */
const NEVER = 0xffff
const COST_SCALE = 1000
const WEIGHT_SCALE = 150

/**
 * Writes `packages/name-search/lexicon/lexicon.bin`: the words of WordNet and of
 * the thesaurus with what reading each costs in a label (-ln of its frequency), its lemma, and the words
 * near it. The same sources give the same bytes.
 */
const started = process.hrtime.bigint()
const wordNet = readWordNet()
const thesaurus = readThesaurus()
const vocabulary = buildVocabulary(wordNet, thesaurus)
const generic = readGeneric()
// `a` and `these` are in no dictionary of meanings: queries have them, and no label is read so.
const onlyAsked = [...generic.keys()].filter((word) => !vocabulary.has(word))
const words = [...vocabulary.keys(), ...onlyAsked]
const ids = new Map(words.map((word, id) => [word, id]))
const idOf = (word: string) => ids.get(word) ?? 0
const total = [...vocabulary.values()].reduce((sum, { count }) => sum + count, 0)

const cost = new Uint16Array(words.length)
const lemma = new Uint32Array(words.length)
const weight = new Uint8Array(words.length)
const start = new Uint32Array(words.length + 1)
const near: number[] = []
const nearTo = relate(wordNet, thesaurus, vocabulary, embed(wordNet, thesaurus, vocabulary))
for (const [id, word] of words.entries()) {
  const entry = vocabulary.get(word) ?? { count: 0, lemma: word, isCompound: true }
  cost[id] = entry.isCompound
    ? NEVER
    : Math.min(NEVER - 1, Math.round(-Math.log(entry.count / total) * COST_SCALE))
  lemma[id] = idOf(entry.lemma)
  const says = generic.get(word) ?? generic.get(entry.lemma) ?? rarity(entry)
  weight[id] = Math.round(says * WEIGHT_SCALE)
  if (entry.lemma === word) {
    for (const { word: other, weight } of nearTo(word)) {
      near.push(idOf(other) * 256 + Math.round(weight * 255))
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

/** Rare words say more than common ones. */
function rarity({ count, isCompound }: Word): number {
  if (isCompound) return 1.1
  return Math.min(1.4, Math.max(0.6, -Math.log(count / total) / 10))
}

function bytesOf(array: Uint8Array | Uint16Array | Uint32Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength)
}

import type { Concept } from './read-thesaurus.ts'
import type { WordNet } from './read-wordnet.ts'
import type { Word } from './vocabulary.ts'

const DIMENSIONS = 256
/** What each further round of the walk adds: near company first counts little, since lines join it anyway. */
const ROUNDS = [0.2, 0.6, 1, 1]

/** Lines of the thesaurus and synsets of WordNet with the words that take part in each, by how much. */
type Context = Map<string, number>

/**
 * A vector for each lemma, so that words which keep the same company lie near each other though no line
 * joins them: random vectors, spread over four rounds of the walk from words to their contexts and back
 * (FastRP, Chen et al. 2019). The same sources give the same vectors.
 */
export function embed(
  wordNet: WordNet,
  thesaurus: Concept[],
  vocabulary: Map<string, Word>,
): Map<string, Float32Array> {
  const contexts = contextsOf(wordNet, thesaurus, vocabulary)
  const degree = new Map<string, number>()
  for (const context of contexts) {
    for (const [word, weight] of context) degree.set(word, (degree.get(word) ?? 0) + weight)
  }
  const ids = new Map([...degree.keys()].toSorted().map((word, id) => [word, id]))
  const links = contexts.map((context) =>
    [...context].map(([word, weight]) => ({
      id: ids.get(word) ?? 0,
      weight: weight / Math.sqrt(degree.get(word) ?? 1),
    })),
  )
  const random = randomBits(2026)
  let vectors: Float32Array = Float32Array.from({ length: ids.size * DIMENSIONS }, () =>
    random() ? 1 : -1,
  )
  const total = new Float32Array(vectors.length)
  for (const share of ROUNDS) {
    vectors = spread(vectors, links)
    normalise(vectors)
    for (let at = 0; at < total.length; at += 1) {
      total[at] = (total[at] ?? 0) + share * (vectors[at] ?? 0)
    }
  }
  normalise(total)
  return new Map(
    [...ids].map(([word, id]) => [word, total.subarray(id * DIMENSIONS, (id + 1) * DIMENSIONS)]),
  )
}

export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < DIMENSIONS; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

function contextsOf(
  wordNet: WordNet,
  thesaurus: Concept[],
  vocabulary: Map<string, Word>,
): Context[] {
  const lemma = (word: string) => vocabulary.get(word)?.lemma
  const contexts: Context[] = []
  const context = (parts: [words: string[], weight: number][]) => {
    const words: Context = new Map()
    for (const [list, weight] of parts) {
      for (const word of list) {
        const known = lemma(word)
        if (known) words.set(known, Math.max(words.get(known) ?? 0, weight))
      }
    }
    if (words.size > 1) contexts.push(words)
  }
  for (const { synonyms, broader, associated } of thesaurus) {
    context([
      [synonyms, 1.6],
      [broader, 0.7],
      [associated, 0.9],
    ])
  }
  for (const { words, links, gloss } of wordNet.synsets.values()) {
    const kin = links.slice(0, 12).flatMap(({ relation, target }) => {
      const other = relation === 'hyponym' ? [] : (wordNet.synsets.get(target)?.words ?? [])
      return other.slice(0, 2)
    })
    const telling = gloss.filter(
      (word) => word.length > 3 && (wordNet.glossCounts.get(word) ?? 0) < 800,
    )
    context([
      [words, 0.6],
      [kin, 0.35],
      [telling, 0.15],
    ])
  }
  return contexts
}

function spread(vectors: Float32Array, links: { id: number; weight: number }[][]): Float32Array {
  const next = new Float32Array(vectors.length)
  const sum = new Float32Array(DIMENSIONS)
  for (const context of links) {
    sum.fill(0)
    let size = 0
    for (const { id, weight } of context) {
      size += weight
      const from = id * DIMENSIONS
      for (let at = 0; at < DIMENSIONS; at += 1) {
        sum[at] = (sum[at] ?? 0) + weight * (vectors[from + at] ?? 0)
      }
    }
    for (const { id, weight } of context) {
      const to = id * DIMENSIONS
      const share = weight / Math.sqrt(size)
      for (let at = 0; at < DIMENSIONS; at += 1) {
        next[to + at] = (next[to + at] ?? 0) + share * (sum[at] ?? 0)
      }
    }
  }
  return next
}

function normalise(vectors: Float32Array): void {
  for (let from = 0; from < vectors.length; from += DIMENSIONS) {
    let square = 0
    for (let at = from; at < from + DIMENSIONS; at += 1) square += (vectors[at] ?? 0) ** 2
    const length = Math.sqrt(square) || 1
    for (let at = from; at < from + DIMENSIONS; at += 1) vectors[at] = (vectors[at] ?? 0) / length
  }
}

/** A xorshift generator: the lexicon must come out the same everywhere. */
function randomBits(seed: number): () => boolean {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state & 1) === 1
  }
}

import { lexicon } from 'domain-marketplace-name-search'
import type { AppContext } from '../../core/context.ts'
import type { EmbeddingsSettings } from '../../core/settings.ts'
import { centred, cosine, meanOf, unitOf } from './label-vectors.ts'

/** What must be known of a model before its vectors mean anything to us; never changes. */
export interface EmbeddingModel {
  name: string
  dimensions: number
  centre: Float32Array
  cutoff: number
}

const REFERENCE_WORDS = 256
/** The words that labels are mostly made of. */
const COMMON_COST = 11.5
const MIN_LETTERS = 4
/** Of pairs of unrelated words, so many are less near than what counts as related. */
const UNRELATED_SHARE = 0.999
const LEAST_CUTOFF = 0.3
const MOST_CUTOFF = 0.8

export function modelName({ model, dimensions }: EmbeddingsSettings): string {
  return dimensions === undefined ? model : `${model}:${dimensions}`
}

export async function findModel(
  { db }: Pick<AppContext, 'db'>,
  name: string,
): Promise<EmbeddingModel | undefined> {
  const row = await db
    .selectFrom('embedding_models')
    .selectAll()
    .where('model', '=', name)
    .executeTakeFirst()
  if (!row) return undefined
  // Copied, since floats must begin at a multiple of four.
  const centre = new Float32Array(Uint8Array.from(row.centre).buffer)
  return { name, dimensions: row.dimensions, centre, cutoff: row.cutoff }
}

/**
 * Measures a model by the vectors of common words that have nothing to do with each other: what they share
 * is taken off every vector, and how near they still come to each other is chance. So one rule holds for
 * models whose cosines of unrelated texts are 0.1 and for those where they are 0.8.
 */
export async function measureModel(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  name: string,
  embedAll: (texts: string[]) => Promise<Float32Array[]>,
): Promise<void> {
  const vectors = (await embedAll(referenceWords())).map(unitOf)
  const centre = meanOf(vectors)
  const apart = vectors.map((vector) => centred(vector, centre))
  const cosines = apart.flatMap((vector, at) =>
    apart.slice(0, at).map((other) => cosine(vector, other)),
  )
  cosines.sort((a, b) => a - b)
  const chance = cosines[Math.floor(cosines.length * UNRELATED_SHARE)] ?? MOST_CUTOFF
  await db
    .insertInto('embedding_models')
    .values({
      model: name,
      dimensions: centre.length,
      centre: Buffer.from(centre.buffer),
      cutoff: Math.min(MOST_CUTOFF, Math.max(LEAST_CUTOFF, chance)),
      created_at: clock.now(),
    })
    .onConflict((known) => known.doNothing())
    .execute()
}

/** Spread evenly over the alphabet. */
function referenceWords(): string[] {
  const words = lexicon()
    .wordsUpTo(COMMON_COST)
    .filter((word) => word.length >= MIN_LETTERS && lexicon().lemma(word) === word)
    .toSorted()
  const step = words.length / REFERENCE_WORDS
  return Array.from({ length: REFERENCE_WORDS }, (_, at) => words[Math.floor(at * step)] ?? '')
}

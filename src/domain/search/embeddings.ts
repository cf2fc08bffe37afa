import { parseDomainName } from 'domain-marketplace-domain-names'
import { splitLabel } from 'domain-marketplace-name-search'
import { sql } from 'kysely'
import type { AppContext, SearchEmbeddings } from '../../core/context.ts'
import type { EmbeddingsSettings } from '../../core/settings.ts'
import { SECOND } from '../../lib/clock.ts'
import type { CandidateIndex, QueryMeaning } from './candidate-index.ts'
import { createLabelEmbedding } from './embed-labels.ts'
import { createEmbedder } from './embedder.ts'
import { type EmbeddingModel, findModel, measureModel, modelName } from './embedding-model.ts'
import { centred, codeOf, cosine, readQuantised } from './label-vectors.ts'
import { createQueryVectors, type NoVector } from './query-vectors.ts'

const LOOK_MS = SECOND / 2
export interface Embeddings extends SearchEmbeddings {
  /** What a query means, or why nobody knows; undefined for one without words. */
  meaningOf(query: string): Promise<QueryMeaning | undefined | NoVector | 'not_ready'>
  stop(): Promise<void>
}

/** Meaning by an embeddings endpoint of the operator's choice, beside the lexicon. */
export async function startEmbeddings(
  { db, clock, log }: Pick<AppContext, 'db' | 'clock' | 'log'>,
  settings: EmbeddingsSettings,
  index: CandidateIndex,
): Promise<Embeddings> {
  const name = modelName(settings)
  const embedder = createEmbedder(settings)
  const queries = createQueryVectors(embedder, clock, settings.timeoutMs)
  const fallbacks = new Map<string, number>()
  let model: EmbeddingModel | undefined
  const labels = createLabelEmbedding({ db, clock, log }, embedder, name, measured, index.progress)
  model = await findModel({ db }, name)
  // Another instance may measure the model.
  const timer = setInterval(() => {
    findMeasured().catch((error: unknown) => {
      log.warn({ err: error }, 'search: cannot read the embedding model')
    })
  }, LOOK_MS)

  async function findMeasured(): Promise<void> {
    model ??= await findModel({ db }, name)
  }

  async function measured(
    embedAll: (texts: string[]) => Promise<Float32Array[]>,
  ): Promise<EmbeddingModel> {
    model ??= await findModel({ db }, name)
    if (!model) await measureModel({ db, clock }, name, embedAll)
    model ??= await findModel({ db }, name)
    if (!model) throw new Error(`the embedding model ${name} was taken away`)
    return model
  }

  async function meaningOf(query: string) {
    if (!model) return 'not_ready'
    const { centre, cutoff, dimensions } = model
    const text = textOf(query)
    if (text === '') return undefined
    const vector = await queries.of(text, dimensions)
    if (typeof vector === 'string') return vector
    const asked = centred(vector, centre)
    return {
      code: codeOf(asked),
      async compare(words: string[]) {
        const { rows } = await sql<{ words: string; vector: Uint8Array }>`
          select words, vector from label_vectors
          where model = ${name} and words = any(${words}::text[])`.execute(db)
        return rows
          .map((row) => ({ words: row.words, cosine: cosine(asked, readQuantised(row.vector)) }))
          .filter(({ cosine }) => cosine >= cutoff)
          .map(({ words, cosine }) => ({ words, likeness: (cosine - cutoff) / (1 - cutoff) }))
      },
    }
  }

  return {
    async meaningOf(query) {
      const meaning = await meaningOf(query)
      if (typeof meaning === 'string') fallbacks.set(meaning, (fallbacks.get(meaning) ?? 0) + 1)
      return meaning
    },
    embedLabels: (signal) => labels.run(signal),
    progress: () => index.progress(),
    fallbacks,
    async stop() {
      clearInterval(timer)
      queries.stop()
      await embedder.close()
    },
  }
}

/** A domain as the words of its label, anything else as typed. */
function textOf(query: string): string {
  const label = query.includes('.') ? parseDomainName(query)?.label : undefined
  const text = label === undefined ? query : splitLabel(label).join(' ')
  return text.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ')
}

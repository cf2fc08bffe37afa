import { sql } from 'kysely'
import type { AppContext, ModelCheck, SearchEmbeddings } from '../../core/context.ts'
import type { EmbeddingsSettings } from '../../core/settings.ts'
import { SECOND } from '../../lib/clock.ts'
import type { CandidateIndex, QueryMeaning } from './candidate-index.ts'
import { checkModel, findCheck } from './check-model.ts'
import { createLabelEmbedding } from './embed-labels.ts'
import { createEmbedder } from './embedder.ts'
import { type EmbeddingModel, findModel, measureModel, modelName } from './embedding-model.ts'
import { centred, codeOf, readQuantised, similarTo } from './label-vectors.ts'
import { textOf } from './query-text.ts'
import { createQueryVectors, type NoVector } from './query-vectors.ts'

const LOOK_MS = SECOND / 2

export interface Embeddings extends SearchEmbeddings {
  /** What a query means, or why nobody knows; undefined for one without words, and when the model does not help. */
  meaningOf(query: string): Promise<QueryMeaning | undefined | NoVector | 'not_ready'>
  stop(): Promise<void>
}

/** Meaning by an embeddings endpoint of the operator's choice, beside the lexicon. */
export async function startEmbeddings(
  { db, server, clock, log }: Pick<AppContext, 'db' | 'server' | 'clock' | 'log'>,
  settings: EmbeddingsSettings,
  index: CandidateIndex,
): Promise<Embeddings> {
  const name = modelName(settings)
  const embedder = createEmbedder(settings)
  const queries = createQueryVectors(embedder, clock, settings.timeoutMs)
  const fallbacks = new Map<string, number>()
  let model: EmbeddingModel | undefined
  let check: ModelCheck | undefined
  const labels = createLabelEmbedding({ db, clock, log }, embedder, name, helping, index.progress)
  await findChecked()
  // Another instance may measure and check the model.
  const timer = setInterval(() => {
    findChecked().catch((error: unknown) => {
      log.warn({ err: error }, 'search: cannot read the embedding model')
    })
  }, LOOK_MS)

  async function findChecked(): Promise<void> {
    model ??= await findModel({ db }, name)
    if (model) check ??= await findCheck({ db }, name)
  }

  /** The model, measured and checked if nobody has; undefined when it does not help. */
  async function helping(
    embedAll: (texts: string[]) => Promise<Float32Array[]>,
  ): Promise<EmbeddingModel | undefined> {
    await findChecked()
    if (!model) {
      await measureModel({ db, clock }, name, embedAll)
      await findChecked()
    }
    if (model && !check) {
      await checkModel({ db, server, clock, log }, model, embedAll)
      await findChecked()
    }
    if (!model || !check) throw new Error(`the embedding model ${name} was taken away`)
    return check.is_used ? model : undefined
  }

  async function meaningOf(query: string) {
    if (!model || !check) return 'not_ready'
    if (!check.is_used) return undefined
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
        const stored = rows.map((row) => ({ words: row.words, vector: readQuantised(row.vector) }))
        return similarTo(asked, stored, cutoff)
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
    model: name,
    check: () => check,
    fallbacks,
    async stop() {
      clearInterval(timer)
      queries.stop()
      await embedder.close()
    },
  }
}

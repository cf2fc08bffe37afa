import { parseDomainName } from 'domain-marketplace-domain-names'
import { type Filter, type Similar, splitLabel } from 'domain-marketplace-name-search'
import { sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import type { AppContext, SearchEmbeddings } from '../../core/context.ts'
import type { EmbeddingsSettings } from '../../core/settings.ts'
import { SECOND } from '../../lib/clock.ts'
import { createLabelEmbedding } from './embed-labels.ts'
import { createEmbedder } from './embedder.ts'
import { type EmbeddingModel, findModel, measureModel, modelName } from './embedding-model.ts'
import type { Follower } from './follow-changes.ts'
import { followVectors } from './follow-vectors.ts'
import { centred, codeOf, cosine, readQuantised } from './label-vectors.ts'
import { createQueryVectors, type NoVector } from './query-vectors.ts'
import type { Ranker } from './ranker.ts'

const FOLLOW_MS = SECOND / 2
/** Found by their codes and then compared exactly. */
const NEAREST = 200

export interface Embeddings extends SearchEmbeddings {
  /** The labels' words that mean much the same as the query, or why nobody knows. */
  similarTo(
    environment: Environment,
    query: string,
    filter: Filter,
  ): Promise<Similar[] | NoVector | 'not_ready'>
  stop(): Promise<void>
}

/** Meaning by an embeddings endpoint of the operator's choice, beside the lexicon. */
export async function startEmbeddings(
  { db, clock, log }: Pick<AppContext, 'db' | 'clock' | 'log'>,
  settings: EmbeddingsSettings,
  ranker: Ranker,
  listings: Follower,
): Promise<Embeddings> {
  const name = modelName(settings)
  const embedder = createEmbedder(settings)
  const queries = createQueryVectors(embedder, clock, settings.timeoutMs)
  const fallbacks = new Map<string, number>()
  let model: EmbeddingModel | undefined
  const labels = createLabelEmbedding({ db, clock, log }, embedder, name, measured, progress)
  const follower = await followVectors(db, ranker, name)
  model = await findModel({ db }, name)
  const timer = setInterval(() => {
    catchUp().catch((error: unknown) => {
      log.warn({ err: error }, 'search: cannot follow the vectors')
    })
  }, FOLLOW_MS)

  async function catchUp(): Promise<void> {
    model ??= await findModel({ db }, name)
    if (model) await follower.catchUp()
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

  async function progress() {
    await Promise.all([listings.catchUp(), follower.catchUp()])
    return await ranker.progress()
  }

  async function similarTo(environment: Environment, query: string, filter: Filter) {
    if (!model) return 'not_ready'
    const { centre, cutoff, dimensions } = model
    const text = textOf(query)
    if (text === '') return []
    const vector = await queries.of(text, dimensions)
    if (typeof vector === 'string') return vector
    const asked = centred(vector, centre)
    const nearest = await ranker.nearest(environment, codeOf(asked), filter, NEAREST)
    if (nearest.length === 0) return []
    const { rows } = await sql<{ words: string; vector: Uint8Array }>`
      select words, vector from label_vectors
      where model = ${name} and words = any(${nearest}::text[])`.execute(db)
    return rows
      .map((row) => ({ words: row.words, cosine: cosine(asked, readQuantised(row.vector)) }))
      .filter(({ cosine }) => cosine >= cutoff)
      .map(({ words, cosine }) => ({ words, likeness: (cosine - cutoff) / (1 - cutoff) }))
  }

  return {
    async similarTo(environment, query, filter) {
      const similar = await similarTo(environment, query, filter)
      if (typeof similar === 'string') fallbacks.set(similar, (fallbacks.get(similar) ?? 0) + 1)
      return similar
    },
    embedLabels: (signal) => labels.run(signal),
    progress,
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

import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import { after, MINUTE, SECOND } from '../../lib/clock.ts'
import { type Embedder, EmbeddingsFailed, requireDimensions } from './embedder.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import { centred, codeOf, quantised } from './label-vectors.ts'

/** A job shares its instance's turn with others, so it works for this long and goes on the next time. */
const BATCH_MS = 5 * SECOND
const TEXTS = 256
const REQUESTS = 4
const LISTINGS = 20_000
const FIRST_PAUSE_MS = 5 * SECOND
const LONGEST_PAUSE_MS = 5 * MINUTE

/** Where in the listings, by the transaction that changed them, the search for new words stands. */
interface Place {
  changed_in: string
  environment: string
  domain: string
}

export interface LabelEmbedding {
  /** Gives vectors to labels' words that have none, for some seconds. */
  run(signal: AbortSignal): Promise<void>
}

/** Walks the listings and has their words embedded; what is stored stays, so it can stop anywhere. */
export function createLabelEmbedding(
  { db, clock, log }: Pick<AppContext, 'db' | 'clock' | 'log'>,
  embedder: Embedder,
  modelName: string,
  /** Undefined for a model that is not used, whose labels nobody needs. */
  loadModel: (
    embedAll: (texts: string[]) => Promise<Float32Array[]>,
  ) => Promise<EmbeddingModel | undefined>,
  progress: () => Promise<{ embedded: number; waiting: number }>,
): LabelEmbedding {
  let place: Place = { changed_in: '0', environment: '', domain: '' }
  /** Whatever is committed from here on is not in the walk that began there. */
  let walkBegan: string | undefined
  let waiting: string[] = []
  let texts = TEXTS
  let pausedUntil = clock.now()
  let pauseMs = FIRST_PAUSE_MS
  let stored = 0

  /** In requests of as many texts as the endpoint takes. */
  async function embedAll(all: string[], signal: AbortSignal): Promise<Float32Array[]> {
    for (let size = Math.min(texts, all.length); ; ) {
      const requests = Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
        all.slice(at * size, (at + 1) * size),
      )
      const vectors: Float32Array[] = []
      try {
        while (requests.length > 0) {
          const some = requests.splice(0, REQUESTS)
          vectors.push(
            ...(await Promise.all(some.map((request) => embedder.embed(request, signal)))).flat(),
          )
        }
        if (size < all.length) texts = size
        return vectors
      } catch (error) {
        const mayBeTooMany = error instanceof EmbeddingsFailed && error.reason === 'refused'
        if (!mayBeTooMany || size === 1) throw error
        size = Math.ceil(size / 2)
      }
    }
  }

  /** Reads on in the listings; false at their end, from which the next walk takes what has changed. */
  async function readOn(): Promise<boolean> {
    walkBegan ??= (
      await sql<{ xmin: string }>`
        select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`.execute(db)
    ).rows[0]?.xmin
    const { rows } = await sql<Place & { count: number; words: string[] | null }>`
      with page as materialized (
        select changed_in, environment, domain, array_to_string(tokens, ' ') as words from listings
        where status = 'listed' and changed_in >= ${place.changed_in}::xid8
          and (changed_in, environment::text, domain)
            > (${place.changed_in}::xid8, ${place.environment}, ${place.domain})
        order by changed_in, environment::text, domain limit ${LISTINGS}
      )
      select changed_in::text, environment, domain, (select count(*)::int from page) as count, (
        select array_agg(distinct p.words) from page p where p.words <> '' and not exists (
          select from label_vectors v where v.model = ${modelName} and v.words = p.words)
      ) as words
      from page order by page.changed_in desc, environment::text desc, domain desc limit 1`.execute(
      db,
    )
    const [last] = rows
    if (last) {
      waiting = last.words ?? []
      place = last
    }
    if (last?.count === LISTINGS) return true
    // Transactions that were open when this walk began may have been passed by: the next sees them.
    place = { changed_in: walkBegan ?? '0', environment: '', domain: '' }
    walkBegan = undefined
    return false
  }

  async function embedSome(model: EmbeddingModel, signal: AbortSignal): Promise<void> {
    const some = waiting.slice(0, texts * REQUESTS)
    const vectors = await embedAll(some, signal)
    requireDimensions(vectors[0], model.dimensions)
    const rows = some.map((words, at) => {
      const vector = centred(vectors[at] ?? new Float32Array(), model.centre)
      return {
        model: model.name,
        words,
        vector: Buffer.from(quantised(vector)),
        code: Buffer.from(codeOf(vector).buffer),
      }
    })
    await db
      .insertInto('label_vectors')
      .values(rows)
      .onConflict((known) => known.doNothing())
      .execute()
    waiting = waiting.slice(some.length)
    stored += some.length
  }

  async function work(signal: AbortSignal): Promise<void> {
    const end = after(clock.now(), BATCH_MS)
    const model = await loadModel((all) => embedAll(all, signal))
    if (!model) return
    for (let more = true; clock.now() < end && !signal.aborted; ) {
      if (waiting.length > 0) await embedSome(model, signal)
      else if (more) more = await readOn()
      else return
    }
  }

  return {
    async run(signal) {
      if (clock.now() < pausedUntil) return
      try {
        await work(signal)
        pauseMs = FIRST_PAUSE_MS
      } catch (error) {
        if (!(error instanceof EmbeddingsFailed)) throw error
        if (signal.aborted) return
        log.warn(
          { reason: error.reason, problem: error.message, again_in_ms: pauseMs },
          'search: labels wait to be embedded',
        )
        pausedUntil = after(clock.now(), pauseMs)
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      }
      if (stored === 0) return
      log.info({ model: modelName, stored, ...(await progress()) }, 'search: labels embedded')
      stored = 0
    },
  }
}

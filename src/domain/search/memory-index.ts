import type { AppContext } from '../../core/context.ts'
import { SECOND } from '../../lib/clock.ts'
import type { CandidateIndex } from './candidate-index.ts'
import { followListings } from './follow-listings.ts'
import { followVectors } from './follow-vectors.ts'
import { createRanker, startRankerThread } from './ranker.ts'

const FOLLOW_MS = SECOND / 2
const PROGRESS_NAMES = 200_000
/** Labels' words that are near a query by their codes, to be compared exactly. */
const NEAREST = 200

/**
 * Reads all listings into memory, and keeps up with them.
 *
 * @param model the embedding model whose vectors are held beside them
 */
export async function startMemoryIndex(
  app: Pick<AppContext, 'db' | 'server' | 'log'>,
  model: string | undefined,
): Promise<CandidateIndex> {
  const ranker = app.server.kind === 'embedded' ? createRanker() : startRankerThread()
  if (model !== undefined) await ranker.holdMeanings()
  let told = 0
  const listings = await followListings(app.db, ranker, (names) => {
    if (names - told < PROGRESS_NAMES) return
    told = names
    app.log.info({ names }, 'search: reading the listings')
  })
  const vectors = model === undefined ? undefined : await followVectors(app.db, ranker, model)
  const catchUp = () => Promise.all([listings.catchUp(), vectors?.catchUp()])
  // A search looks for itself; this is for an import that nobody searches for a while.
  const timer = setInterval(() => {
    catchUp().catch((error: unknown) => {
      app.log.warn({ err: error }, 'search: cannot follow the listings')
    })
  }, FOLLOW_MS)

  return {
    async rank(environment, query, filter, limit, meaning) {
      await listings.catchUp()
      const nearest = meaning
        ? await ranker.nearest(environment, meaning.code, filter, NEAREST)
        : []
      const similar = nearest.length > 0 ? await meaning?.compare(nearest) : []
      return await ranker.rank(environment, query, filter, limit, similar)
    },
    async progress() {
      await catchUp()
      return await ranker.progress()
    },
    async stop() {
      clearInterval(timer)
      await ranker.stop()
    },
  }
}

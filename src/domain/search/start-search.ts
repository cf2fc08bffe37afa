import type { AppContext, ListingSearch } from '../../core/context.ts'
import { SECOND } from '../../lib/clock.ts'
import { startEmbeddings } from './embeddings.ts'
import { followListings } from './follow-listings.ts'
import { createRanker, startRankerThread } from './ranker.ts'

const FOLLOW_MS = SECOND / 2
const PROGRESS_NAMES = 200_000
const FELL_BACK = '; by the built-in lexicon, since the embeddings endpoint did not respond'
const NOT_READY = '; by the built-in lexicon, since no label is embedded yet'

/** Reads all listings into memory, and keeps up with them: see docs/decisions. */
export async function startSearch(
  app: Pick<AppContext, 'db' | 'server' | 'clock' | 'log' | 'settings'>,
): Promise<ListingSearch> {
  const ranker = app.server.kind === 'embedded' ? createRanker() : startRankerThread()
  if (app.settings.embeddings) await ranker.holdMeanings()
  let told = 0
  const follower = await followListings(app.db, ranker, (names) => {
    if (names - told < PROGRESS_NAMES) return
    told = names
    app.log.info({ names }, 'search: reading the listings')
  })
  const embeddings =
    app.settings.embeddings &&
    (await startEmbeddings(app, app.settings.embeddings, ranker, follower))
  // A search looks for itself; this is for an import that nobody searches for a while.
  const timer = setInterval(() => {
    follower.catchUp().catch((error: unknown) => {
      app.log.warn({ err: error }, 'search: cannot follow the listings')
    })
  }, FOLLOW_MS)

  return {
    async rank(environment, query, filter, limit) {
      const [similar] = await Promise.all([
        embeddings?.similarTo(environment, query, filter) ?? [],
        follower.catchUp(),
      ])
      if (typeof similar !== 'string') {
        return await ranker.rank(environment, query, filter, limit, similar)
      }
      const found = await ranker.rank(environment, query, filter, limit)
      const since = similar === 'not_ready' ? NOT_READY : FELL_BACK
      return found.map((one) => ({ ...one, why: one.why + since }))
    },
    embeddings,
    async stop() {
      clearInterval(timer)
      await embeddings?.stop()
      await ranker.stop()
    },
  }
}

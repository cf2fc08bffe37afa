import type { House, ListingSearch } from '../../kernel/house.ts'
import { SECOND } from '../../lib/clock.ts'
import { followListings } from './follow-listings.ts'
import { createRanker, startRankerThread } from './ranker.ts'

const FOLLOW_MS = SECOND / 2
const PROGRESS_NAMES = 200_000

/** Reads all listings into memory, and keeps up with them: see docs/decisions. */
export async function startSearch(
  house: Pick<House, 'db' | 'server' | 'log'>,
): Promise<ListingSearch> {
  const ranker = house.server.kind === 'embedded' ? createRanker() : startRankerThread()
  let told = 0
  const follower = await followListings(house.db, ranker, (names) => {
    if (names - told < PROGRESS_NAMES) return
    told = names
    house.log.info({ names }, 'search: reading the listings')
  })
  // A search looks for itself; this is for an import that nobody searches for a while.
  const timer = setInterval(() => {
    follower.catchUp().catch((error: unknown) => {
      house.log.warn({ err: error }, 'search: cannot follow the listings')
    })
  }, FOLLOW_MS)

  return {
    async rank(...question) {
      await follower.catchUp()
      return await ranker.rank(...question)
    },
    async stop() {
      clearInterval(timer)
      await ranker.stop()
    },
  }
}

import { sql } from 'kysely'
import type { AppContext, ListingSearch } from '../../core/context.ts'
import { POSTINGS } from '../listings/postings.ts'
import { modelName } from './embedding-model.ts'
import { startEmbeddings } from './embeddings.ts'
import { startMemoryIndex } from './memory-index.ts'
import { startPostgresIndex } from './postgres-index.ts'

/** From here on the index is in the database by default. */
const MANY_NAMES = 200_000
const FELL_BACK = '; by the built-in lexicon, since the embeddings endpoint did not respond'
const NOT_READY = '; by the built-in lexicon, since the embedding model is not ready yet'

/** Starts the search on the index that the settings name, with embeddings where an endpoint is set. */
export async function startSearch(
  app: Pick<AppContext, 'db' | 'server' | 'clock' | 'log' | 'settings'>,
): Promise<ListingSearch> {
  const { settings } = app
  const model = settings.embeddings && modelName(settings.embeddings)
  const start = (await isInDatabase(app)) ? startPostgresIndex : startMemoryIndex
  const index = await start(app, model)
  const embeddings = settings.embeddings && (await startEmbeddings(app, settings.embeddings, index))

  return {
    async rank(environment, query, filter, limit) {
      const meaning = await embeddings?.meaningOf(query)
      if (typeof meaning !== 'string') {
        return await index.rank(environment, query, filter, limit, meaning)
      }
      const found = await index.rank(environment, query, filter, limit)
      const since = meaning === 'not_ready' ? NOT_READY : FELL_BACK
      return found.map((one) => ({ ...one, why: one.why + since }))
    },
    embeddings,
    async stop() {
      await embeddings?.stop()
      await index.stop()
    },
  }
}

/** Unless a setting says so: once postings are kept, or when there are so many names that memory is a burden. */
async function isInDatabase({
  db,
  server,
  settings,
}: Pick<AppContext, 'db' | 'server' | 'settings'>): Promise<boolean> {
  if (settings.searchIndex !== undefined) return settings.searchIndex === 'postgres'
  if (server.kind === 'embedded') return false
  const { rows } = await sql<{ are_many: boolean }>`
    select exists (select from installation where name = ${POSTINGS} and value = 'complete')
      or (select count(*) from (select from listings where status = 'listed' limit ${MANY_NAMES}) l) = ${MANY_NAMES}
      as are_many`.execute(db)
  return rows[0]?.are_many === true
}

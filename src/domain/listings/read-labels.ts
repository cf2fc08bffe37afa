import { lexiconFingerprint, splitLabel } from 'domain-marketplace-name-search'
import { sql } from 'kysely'
import { ENVIRONMENTS, type Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import { inTransaction } from '../../db/transaction.ts'
import { MINUTE } from '../../lib/clock.ts'
import type { Listing } from './listing.ts'
import { postingColumns, postingKeys } from './postings.ts'
import { followWrite, NOTE_CHANGE } from './write-listings.ts'

const PAGE = 2_000
const PROGRESS_LABELS = 100_000
/** What `installation` calls the lexicon that all labels were last read with. */
const READ_WITH = 'labels_read_with'

/**
 * Reads every label anew once its words would be found otherwise than they were: with another lexicon, say. New
 * listings are read as they come; this is for an upgrade.
 */
export const readLabels: Job = {
  name: 'read_labels',
  everyMs: MINUTE,
  async run(app, signal) {
    const fingerprint = lexiconFingerprint()
    const readWith = await app.db
      .selectFrom('installation')
      .select('value')
      .where('name', '=', READ_WITH)
      .executeTakeFirst()
    if (readWith?.value === fingerprint) return
    // Whoever is stopped half way leaves two readings mixed: until the end no version has read them all.
    await app.db.deleteFrom('installation').where('name', '=', READ_WITH).execute()
    for (const environment of ENVIRONMENTS) await readAll(app, environment, signal)
    if (signal.aborted) return
    await app.db
      .insertInto('installation')
      .values({ name: READ_WITH, value: fingerprint })
      .onConflict((known) => known.column('name').doUpdateSet({ value: fingerprint }))
      .execute()
  },
}

/** Reads the labels of all listings of an environment, and stores what is read otherwise than before. */
export async function readAll(
  app: Pick<AppContext, 'db' | 'server' | 'log'>,
  environment: Environment,
  signal?: AbortSignal,
): Promise<void> {
  const { db, log } = app
  let after = ''
  for (let labels = 0; !signal?.aborted; ) {
    const page = await db
      .selectFrom('listings')
      .select(['domain', 'label', 'tokens', 'posting_keys', 'posting_cost'])
      .where('environment', '=', environment)
      .where('domain', '>', after)
      .orderBy('domain')
      .limit(PAGE)
      .execute()
    await readAnew(app, environment, page)
    labels += page.length
    if (labels % PROGRESS_LABELS === 0 && labels > 0) {
      log.info({ environment, labels }, 'labels: reading them with a new lexicon')
    }
    const last = page.at(-1)
    if (page.length < PAGE || !last) return
    after = last.domain
  }
}

type Read = Pick<Listing, 'domain' | 'label' | 'tokens' | 'posting_keys' | 'posting_cost'>

async function readAnew(
  app: Pick<AppContext, 'server'>,
  environment: Environment,
  page: Read[],
): Promise<void> {
  const changed = page
    .map((listing) => {
      const words = splitLabel(listing.label)
      return { listing, words, ...postingColumns(environment, listing.domain, words) }
    })
    .filter(
      ({ listing: { tokens, posting_keys, posting_cost }, words, keys, cost }) =>
        tokens?.join(' ') !== words.join(' ') ||
        posting_cost !== cost ||
        `{${posting_keys?.join()}}` !== keys,
    )
  if (changed.length === 0) return
  const domains = changed.map(({ listing }) => listing.domain)
  await inTransaction(app, async (tx) => {
    await sql`update listings l set tokens = string_to_array(c.words, ' '), 
        posting_keys = ${postingKeys(sql`c.keys`)}, posting_cost = c.cost, ${NOTE_CHANGE}
      from unnest(${domains}::text[], ${changed.map(({ words }) => words.join(' '))}::text[],
        ${changed.map(({ keys }) => keys)}::text[], ${changed.map(({ cost }) => cost)}::integer[])
        as c (domain, words, keys, cost)
      where l.environment = ${environment}::text and l.domain = c.domain`.execute(tx)
    await followWrite(environment, domains).execute(tx)
  })
}

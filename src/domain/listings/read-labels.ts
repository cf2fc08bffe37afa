import { lexiconFingerprint, splitLabel } from 'domain-marketplace-name-search'
import { sql } from 'kysely'
import { ENVIRONMENTS, type Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import { MINUTE } from '../../lib/clock.ts'

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

async function readAll(
  { db, log }: AppContext,
  environment: Environment,
  signal: AbortSignal,
): Promise<void> {
  let after = ''
  for (let labels = 0; !signal.aborted; ) {
    const page = await db
      .selectFrom('listings')
      .select(['domain', 'label', 'tokens'])
      .where('environment', '=', environment)
      .where('domain', '>', after)
      .orderBy('domain')
      .limit(PAGE)
      .execute()
    const changed = page
      .map(({ domain, label, tokens }) => ({ domain, words: splitLabel(label), tokens }))
      .filter(({ words, tokens }) => tokens?.join(' ') !== words.join(' '))
    if (changed.length > 0) {
      await sql`update listings l set tokens = string_to_array(c.words, ' ')
        from unnest(${changed.map(({ domain }) => domain)}::text[],
          ${changed.map(({ words }) => words.join(' '))}::text[]) as c (domain, words)
        where l.environment = ${environment} and l.domain = c.domain`.execute(db)
    }
    labels += page.length
    if (labels % PROGRESS_LABELS === 0 && labels > 0) {
      log.info({ environment, labels }, 'labels: reading them with a new lexicon')
    }
    const last = page.at(-1)
    if (page.length < PAGE || !last) return
    after = last.domain
  }
}

import { sql } from 'kysely'
import { ENVIRONMENTS, type Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { isLockTimeout } from '../../db/server.ts'
import { inTransaction } from '../../db/transaction.ts'
import { analyzeMarket } from './analyze-market.ts'
import { POSTINGS } from './postings.ts'
import { readAll } from './read-labels.ts'
import { followWrite } from './write-listings.ts'

const PAGE = 2_000
const PROGRESS_NAMES = 200_000
/** Each waits as long as a statement may wait for a lock. */
const MAX_TRIES = 100

/**
 * Has the postings kept from now on, and makes those of what is listed already: for a million names it takes about a
 * minute. Once they are complete it returns at once. Instances may do it at the same time.
 */
export async function completePostings(
  app: Pick<AppContext, 'db' | 'server' | 'log'>,
): Promise<void> {
  const { db, log } = app
  const state = await db
    .selectFrom('installation')
    .select('value')
    .where('name', '=', POSTINGS)
    .executeTakeFirst()
  if (state?.value === 'complete') return
  await beginKeeping(app)
  let placed = 0
  for (const environment of ENVIRONMENTS) {
    if (await someUnread(app, environment)) await readAll(app, environment)
    let names = 0
    for (let after: string | null = ''; after !== null; ) {
      const page: string[] = await placePage(app, environment, after)
      names += page.length
      placed += page.length
      if (names % PROGRESS_NAMES === 0 && names > 0) {
        log.info({ environment, names }, 'search: writing the postings of the listings')
      }
      after = page.length < PAGE ? null : (page.at(-1) ?? null)
    }
  }
  await analyzeMarket(app, placed)
  await db
    .updateTable('installation')
    .set({ value: 'complete' })
    .where('name', '=', POSTINGS)
    .execute()
}

/** What writes a listing at the moment does not know yet that postings are kept: it is waited for. */
async function beginKeeping(app: Pick<AppContext, 'server' | 'log'>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await inTransaction(app, async (tx) => {
        await sql`lock table listings in share row exclusive mode`.execute(tx)
        await sql`insert into installation (name, value) values (${POSTINGS}, 'begun')
          on conflict (name) do nothing`.execute(tx)
      })
      return
    } catch (error) {
      if (!isLockTimeout(error) || tries === MAX_TRIES) throw error
      app.log.info({ tries }, 'search: waiting for an import before the postings are begun')
    }
  }
}

async function someUnread({ db }: Pick<AppContext, 'db'>, environment: Environment) {
  const unread = await db
    .selectFrom('listings')
    .select('domain')
    .where('environment', '=', environment)
    .where('posting_keys', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return unread !== undefined
}

/** Writes the postings of the next listings after a name, and returns their names. */
async function placePage(
  app: Pick<AppContext, 'server'>,
  environment: Environment,
  after: string,
): Promise<string[]> {
  return await inTransaction(app, async (tx) => {
    const page = await tx
      .selectFrom('listings')
      .select('domain')
      .where('environment', '=', environment)
      .where('status', '=', 'listed')
      .where('domain', '>', after)
      .orderBy('domain')
      .limit(PAGE)
      .forNoKeyUpdate()
      .execute()
    const domains = page.map(({ domain }) => domain)
    if (domains.length > 0) await followWrite(environment, domains).execute(tx)
    return domains
  })
}

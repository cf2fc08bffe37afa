import { type Bootstrap, readBootstrap } from 'domain-marketplace-registry-lookup'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import type { Database } from '../../db/dialect.ts'
import { DAY, SECOND } from '../../lib/clock.ts'
import { readDataFile } from './registry-data.ts'

const IANA_URL = 'https://data.iana.org/rdap/dns.json'
const MAX_BYTES = 2 * 1024 ** 2
const TIMEOUT_MS = 30 * SECOND
/** A list that lost half of its names was cut off, or is somebody else's. */
const FEWEST_TLDS = 600

export function shippedBootstrap(): Bootstrap {
  return readBootstrap(readDataFile('rdap-bootstrap.json'))
}

/** The newest list that an instance has fetched, if it is newer than one's own. */
export async function newerBootstrap(db: Database, than: Bootstrap): Promise<Bootstrap | null> {
  const row = await db
    .selectFrom('rdap_bootstrap')
    .select('body')
    .where('publication', '>', than.publication)
    .orderBy('publication', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? readBootstrap(row.body) : null
}

/** Fetches IANA's list for all instances. One that is not better than what is known changes nothing. */
export async function refreshBootstrap(
  { db, clock, http }: Pick<AppContext, 'db' | 'clock' | 'http'>,
  source: { url: string; allowLoopback: boolean } = { url: IANA_URL, allowLoopback: false },
): Promise<void> {
  const policy = { allowLoopback: source.allowLoopback, allowHttp: source.allowLoopback }
  const { status, body } = await http.request(source.url, policy, {
    method: 'GET',
    headers: { accept: 'application/json' },
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BYTES,
  })
  if (status !== 200) throw new Error(`IANA's list of RDAP servers came with status ${status}`)
  const text = body.toString()
  const { publication, servers } = readBootstrap(text)
  if (servers.size < FEWEST_TLDS) {
    throw new Error(`IANA's list of RDAP servers has but ${servers.size} top-level domains`)
  }
  const now = clock.now()
  if (publication > now) throw new Error("IANA's list of RDAP servers is from the future")
  await db
    .insertInto('rdap_bootstrap')
    .values({ publication, body: text, fetched_at: now })
    .onConflict((known) => known.column('publication').doUpdateSet({ fetched_at: now }))
    .execute()
  await db.deleteFrom('rdap_bootstrap').where('publication', '<', publication).execute()
}

export const refreshRdapBootstrap: Job = {
  name: 'refresh_rdap_bootstrap',
  everyMs: DAY,
  queriesUpstream: true,
  async run(app) {
    if (app.settings.registry === 'live') await refreshBootstrap(app)
  },
}

import { type RawBuilder, sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import { inTransaction } from '../../db/transaction.ts'
import { MINUTE } from '../../lib/clock.ts'
import { forSaleUrlRecord } from '../../lib/for-sale.ts'
import type { OpenRegistrar } from './connections.ts'
import { askForRecord } from './for-sale-records.ts'

/** With one registrar at once, so that nobody's delivery waits behind all the records of an account. */
const MOST_QUEUED = 20

/**
 * Publishes the record of each name that is for sale and whose zone a registrar has that publishes them, and removes it
 * of each that is not (contract, section 19). The record names the page of the name and no price: prices change, and the
 * market may mask them (decision 55).
 */
export const publishForSale: Job = {
  name: 'publish_for_sale',
  everyMs: MINUTE,
  async run(app, signal) {
    const registrars = await app.db
      .selectFrom('registrars as r')
      .select(['r.id', 'r.publishes_for_sale as isWanted'])
      .where((row) =>
        row.or([
          row('r.publishes_for_sale', '=', true),
          row.exists(
            row.selectFrom('for_sale_records as f').whereRef('f.registrar_id', '=', 'r.id'),
          ),
        ]),
      )
      .orderBy('r.id')
      .execute()
    for (const { id, isWanted } of registrars) {
      const open = signal.aborted ? undefined : await app.registrars.byId(id)
      if (open) await askRegistrar(app, open, isWanted)
    }
  },
}

async function askRegistrar(
  app: AppContext,
  { registrar, connection }: OpenRegistrar,
  isWanted: boolean,
): Promise<void> {
  const { capabilities } = connection
  const prefix = forSaleUrlRecord(`${app.settings.baseUrl}/d/`)
  const isPublishing = isWanted && capabilities.includes('set_for_sale')
  const now = app.clock.now()
  await inTransaction(app, async (tx) => {
    const { rows: counted } = await sql<{ queued: number }>`
      select count(*)::int as queued from for_sale_records
      where registrar_id = ${registrar.id} and status = 'queued'`.execute(tx)
    const free = () => Math.max(0, MOST_QUEUED - (counted[0]?.queued ?? 0) - asked)
    let asked = 0
    const { rows: stale } = await sql<{ domain: string; value: string }>`
      select f.domain, f.value from for_sale_records f
      where f.registrar_id = ${registrar.id}
        and (f.is_wanted or (f.status = 'failed' and f.retry_at <= ${now}))
        and not (${isPublishing} and f.value = ${prefix} || f.domain and exists (
          select from listings l
          where l.environment = 'live' and l.domain = f.domain and l.status = 'listed'))
      order by f.domain limit ${free()} for update of f skip locked`.execute(tx)
    for (const { domain, value } of stale) {
      await askForRecord({ tx, now }, domain, registrar, value, false)
    }
    asked = stale.length
    if (!isPublishing) return
    // A sale locks its listing: what is sold now is either seen as sold here, or finds the record that is asked for.
    const held = capabilities.includes('info') ? inAccount(registrar.id) : ofTlds(registrar.tlds)
    const { rows: missing } = await sql<{ domain: string }>`
      select l.domain from ${held} left join for_sale_records f on f.domain = l.domain
      where l.environment = 'live' and l.status = 'listed'
        and (f.domain is null or (f.status = 'failed' and (not f.is_wanted or f.retry_at <= ${now})))
      order by l.domain limit ${free()} for update of l skip locked`.execute(tx)
    for (const { domain } of missing) {
      await askForRecord({ tx, now }, domain, registrar, `${prefix}${domain}`, true)
    }
  })
}

/** Names in the account whose zone is in the registrar's own DNS, as it said last. */
function inAccount(registrarId: string): RawBuilder<unknown> {
  return sql`registrar_domains d join listings l
    on l.domain = d.domain and d.registrar_id = ${registrarId} and d.hosts_zone`
}

/** Where nothing real is behind it, every name is there that it is for. */
function ofTlds(tlds: string[]): RawBuilder<unknown> {
  return sql`(select * from listings where tld = any(${tlds})) l`
}

import { sql } from 'kysely'
import { partnerOf } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import { inTransaction } from '../../db/transaction.ts'
import { SECOND } from '../../lib/clock.ts'
import { findSale } from '../listings/listing.ts'
import { isRunning, lockCase } from './case.ts'
import { isOvertaken, moveCase } from './status.ts'

/**
 * Ends the cases of domains that were listed or sold meanwhile, whoever did it and in whatever way: an
 * import, an owner, a sale. Until then their moves are rejected, so none slips through.
 */
export async function endOvertakenCases(app: AppContext, signal: AbortSignal): Promise<void> {
  const running = await app.db
    .selectFrom('brokerage_cases as c')
    // Looked up for each, however the planner would rather read all that was ever listed.
    .innerJoinLateral(
      (row) =>
        row
          .selectFrom('listings')
          .leftJoin('sandbox_listings as s', (join) =>
            join
              .onRef('s.environment', '=', 'c.environment')
              .onRef('s.partner_id', '=', 'c.partner_id')
              .onRef('s.domain', '=', 'listings.domain'),
          )
          .select((of) => [
            of
              .case()
              .when('s.status', '=', 'sold')
              .then(sql.lit<'sold'>('sold'))
              .else(of.ref('listings.status'))
              .end()
              .as('status'),
            of.fn.coalesce('s.updated_at', 'listings.updated_at').as('updated_at'),
          ])
          .whereRef('listings.environment', '=', 'c.environment')
          .whereRef('listings.domain', '=', 'c.domain')
          .offset(sql.lit(0))
          .as('l'),
      (join) => join.onTrue(),
    )
    .select(['c.case_id', 'l.status', 'l.updated_at'])
    .where('c.ended_at', 'is', null)
    .where((row) =>
      row.or([
        row('l.status', '=', 'listed'),
        // A sandbox's clock may have moved the case before a sale that it came after.
        row.and([row('l.status', '=', 'sold'), row('l.updated_at', '>', row.ref('c.created_at'))]),
      ]),
    )
    .execute()
  for (const { case_id, ...sale } of running) {
    if (signal.aborted) return
    if (!isOvertaken({ case_id }, sale)) continue
    await end(app, case_id).catch((error: unknown) => {
      app.log.error({ err: error, case_id }, 'brokerage: an overtaken case was not ended')
    })
  }
}

async function end(app: AppContext, caseId: string): Promise<void> {
  await inTransaction(app, async (tx) => {
    const row = await lockCase(tx, caseId)
    const sale = await findSale(tx, partnerOf(row), row.domain)
    // Somebody else may have ended it, or taken the name off the market again.
    if (!isRunning(row) || !sale || !isOvertaken(row, sale)) return
    const note =
      sale.status === 'listed'
        ? 'The domain was listed for sale, so it can be bought without a broker.'
        : 'The domain was sold.'
    await moveCase({ tx, now: app.clock.now(), app }, row, 'cancel', { note })
  })
}

export const endOvertaken: Job = {
  name: 'end_overtaken_cases',
  everyMs: SECOND,
  run: endOvertakenCases,
}

import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import type { Job } from '../../core/jobs.ts'
import { DatabaseUnavailable, isLockTimeout, isRetryable } from '../../db/server.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, MINUTE, SECOND } from '../../lib/clock.ts'
import { analyzeMarket } from './analyze-market.ts'
import { importListings } from './import-listings.ts'
import {
  countsOf,
  insertRejections,
  type ListingImport,
  MAX_REJECTIONS,
  type Rejection,
  updateImport,
} from './listing-import.ts'

/** Other jobs wait so long at most. */
const BATCH_MS = 2 * SECOND
/** Whoever sends a file and says nothing for so long has gone. */
const SILENT_MS = 10 * MINUTE

/**
 * Loads the uploaded files, oldest first, one part after another for some seconds. A part that was loaded
 * and not yet ticked off when the process died is loaded again, which changes nothing.
 */
export const workImports: Job = {
  name: 'work_imports',
  everyMs: SECOND,
  async run(app, signal) {
    await endSilent(app)
    const until = performance.now() + BATCH_MS
    while (!signal.aborted && performance.now() < until) {
      if (!(await loadNextPart(app))) return
    }
  },
}

/** Loads one part of the oldest import that waits; false when none does. */
async function loadNextPart(app: AppContext): Promise<boolean> {
  const { db, clock } = app
  const row = await db
    .selectFrom('listing_imports')
    .selectAll()
    .where('status', 'in', ['waiting', 'running'])
    .where('total_bytes', 'is not', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (!row) return false
  const part = await db
    .selectFrom('listing_import_parts')
    .selectAll()
    .where('import_id', '=', row.id)
    .orderBy('place')
    .limit(1)
    .executeTakeFirst()
  if (!part) {
    await analyzeMarket(app, row.imported)
    const now = clock.now()
    await updateImport(db, row.id, now, { status: 'done', finished_at: now })
    return true
  }
  try {
    await loadPart(app, row, part)
  } catch (error) {
    // Another had the rows, or there is no database: the part is loaded at the next try.
    if (error instanceof DatabaseUnavailable || isRetryable(error) || isLockTimeout(error)) {
      throw error
    }
    const isRejected = error instanceof ApiError
    if (!isRejected) app.log.error({ err: error, import_id: row.id }, 'import: it broke off')
    const now = clock.now()
    await db.deleteFrom('listing_import_parts').where('import_id', '=', row.id).execute()
    await updateImport(db, row.id, now, {
      status: 'failed',
      finished_at: now,
      error: isRejected
        ? error.message
        : `It broke off at line ${part.first_line}. What was loaded stays: mend the file and load it again.`,
    })
  }
  return true
}

async function loadPart(
  app: AppContext,
  { id, environment }: ListingImport,
  { place, first_line, csv }: { place: number; first_line: number; csv: string },
): Promise<void> {
  const rejections: Rejection[] = []
  const report = await importListings(app, environment, Readable.from([csv]), {
    firstLine: first_line,
    onRejected: (row) => rejections.push(row),
  })
  await inTransaction(app, async (tx) => {
    // Whoever ticks it off counts it: another instance may have taken over meanwhile.
    const mine = await tx
      .deleteFrom('listing_import_parts')
      .where('import_id', '=', id)
      .where('place', '=', place)
      .returning('place')
      .executeTakeFirst()
    if (!mine) return
    const counts = countsOf(report)
    const { rejected_count } = await tx
      .updateTable('listing_imports')
      .set((row) => ({
        status: 'running',
        updated_at: app.clock.now(),
        done_bytes: row('done_bytes', '+', Buffer.byteLength(csv)),
        ...Object.fromEntries(
          Object.entries(counts).map(([column, count]) => [
            column,
            row(column as keyof typeof counts, '+', count),
          ]),
        ),
      }))
      .where('id', '=', id)
      .returning('rejected_count')
      .executeTakeFirstOrThrow()
    const kept = rejected_count - rejections.length
    await insertRejections(tx, id, rejections.slice(0, Math.max(0, MAX_REJECTIONS - kept)))
  })
}

/** Ends what somebody was still sending when they went away, or the service did. */
async function endSilent({ db, clock }: AppContext): Promise<void> {
  const now = clock.now()
  const { rows } = await sql<{ id: string }>`
    update listing_imports set status = 'failed', finished_at = ${now}, updated_at = ${now},
      error = 'It broke off before all of the file was here. What was loaded stays: load it again.'
    where status in ('uploading', 'running') and total_bytes is null
      and updated_at < ${after(now, -SILENT_MS)}
    returning id`.execute(db)
  if (rows.length === 0) return
  await db
    .deleteFrom('listing_import_parts')
    .where(
      'import_id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
}

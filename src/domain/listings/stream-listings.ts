import type { Readable } from 'node:stream'
import { auditEntry, type Origin } from '../../core/audit.ts'
import type { Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { inTransaction } from '../../db/transaction.ts'
import { analyzeMarket } from './analyze-market.ts'
import { type ImportReport, importListings } from './import-listings.ts'
import {
  countsOf,
  insertImport,
  insertRejections,
  MAX_REJECTIONS,
  type Rejection,
  updateImport,
} from './listing-import.ts'

/**
 * Loads a file while it comes in, batch by batch, and keeps what an import says of itself: who sent it, how
 * far it came, and its bad rows.
 */
export async function streamListings(
  app: Pick<AppContext, 'db' | 'server' | 'clock' | 'log'>,
  { environment, csv, signal }: { environment: Environment; csv: Readable; signal?: AbortSignal },
  { actor, requestId }: Origin,
  progress: (report: ImportReport) => void,
): Promise<ImportReport> {
  const { db, clock } = app
  const begun = clock.now()
  const id = await inTransaction(app, async (tx) => {
    const import_id = await insertImport(tx, begun, {
      environment,
      file_name: null,
      status: 'running',
      created_by: actor.name,
    })
    const act = { operation: 'import_listings', subject: import_id, input: { environment } }
    await tx.executeQuery(auditEntry(tx, begun, { actor, requestId, ...act }))
    return import_id
  })
  const rejections: Rejection[] = []
  let noted = Promise.resolve()
  try {
    const report = await importListings(app, environment, csv, {
      ...(signal && { signal }),
      progress(report) {
        noted = noted.then(() => updateImport(db, id, clock.now(), countsOf(report)))
        noted.catch(() => {})
        progress(report)
      },
      onRejected(row) {
        if (rejections.length < MAX_REJECTIONS) rejections.push(row)
      },
    })
    await noted
    await insertRejections(db, id, rejections)
    await analyzeMarket(app, report.imported)
    const now = clock.now()
    await updateImport(db, id, now, { ...countsOf(report), status: 'done', finished_at: now })
    return report
  } catch (error) {
    const now = clock.now()
    await updateImport(db, id, now, {
      status: 'failed',
      finished_at: now,
      error:
        error instanceof ApiError
          ? error.message
          : 'It broke off. What was loaded stays: load it again.',
    }).catch(() => {})
    throw error
  }
}

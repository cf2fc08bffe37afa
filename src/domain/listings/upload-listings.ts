import { auditEntry } from '../../core/audit.ts'
import type { Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { lineTooLong, MAX_LINE_LENGTH } from '../../core/csv-import.ts'
import { ApiError, conflict } from '../../core/errors.ts'
import type { Database } from '../../db/dialect.ts'
import { inTransaction } from '../../db/transaction.ts'
import { storable } from '../../lib/storable.ts'
import { truncate } from '../../lib/truncate.ts'
import { admitImport, type Importer } from './admit-import.ts'
import { insertImport, updateImport } from './listing-import.ts'

/** About 8,000 rows: what is loaded between two looks at the clock. */
const PART_LENGTH = 256 * 1024
export const MAX_BYTES = 256 * 1024 ** 2

const UPLOAD_LISTINGS = 'upload_listings'

export interface Upload {
  environment: Environment
  fileName: string | null
  csv: AsyncIterable<Uint8Array>
}

/**
 * Takes a CSV file in, to be loaded in the background: its parts are rows, so the import goes on whatever
 * becomes of this process. Returns the import's id once the whole file is here.
 */
export async function uploadListings(
  app: Pick<AppContext, 'db' | 'server' | 'clock' | 'settings' | 'log'>,
  { environment, fileName, csv }: Upload,
  origin: Importer,
): Promise<string> {
  await admitImport(app, UPLOAD_LISTINGS, environment, origin)
  const { actor, requestId } = origin
  const { db, clock } = app
  const file_name = fileName === null ? null : truncate(storable(fileName), 200)
  const id = await insertImport(db, clock.now(), {
    environment,
    file_name,
    status: 'uploading',
    created_by: actor.name,
  })
  try {
    const total_bytes = await storeParts(app, id, csv)
    const now = clock.now()
    await inTransaction(app, async (tx) => {
      await updateImport(tx, id, now, { status: 'waiting', total_bytes })
      const input = { environment, file_name, total_bytes }
      await tx.executeQuery(
        auditEntry(tx, now, { actor, requestId, operation: UPLOAD_LISTINGS, subject: id, input }),
      )
    })
    return id
  } catch (error) {
    await dropUpload(app, id, error instanceof ApiError ? error.message : 'The upload broke off.')
    throw error
  }
}

async function dropUpload(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  id: string,
  error: string,
) {
  const now = clock.now()
  await db.deleteFrom('listing_import_parts').where('import_id', '=', id).execute()
  await updateImport(db, id, now, { status: 'failed', finished_at: now, error })
}

/** Cuts the file between lines, and returns how many bytes of text it has. */
async function storeParts(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  import_id: string,
  csv: Upload['csv'],
): Promise<number> {
  const decoder = new TextDecoder()
  let text = ''
  let place = 0
  let first_line = 1
  let bytes = 0
  const store = async (part: string) => {
    if (part === '') return
    // As it is stored, which is what the job counts when it has loaded it.
    const stored = storable(part)
    await db
      .insertInto('listing_import_parts')
      .values({ import_id, place, first_line, csv: stored })
      .execute()
    await stillUploading(db, import_id, clock.now())
    place += 1
    first_line += part.split('\n').length - 1
    bytes += Buffer.byteLength(stored)
    if (bytes > MAX_BYTES) {
      throw new ApiError(
        'payload_too_large',
        `A file may have ${MAX_BYTES / 1024 ** 2} MiB here. Load larger ones by the command line.`,
      )
    }
  }
  for await (const chunk of csv) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length < PART_LENGTH) continue
    const end = text.lastIndexOf('\n') + 1
    if (text.length - end > MAX_LINE_LENGTH) throw lineTooLong()
    await store(text.slice(0, end))
    text = text.slice(end)
  }
  await store(text + decoder.decode())
  return bytes
}

/** A part came. An upload that was silent for too long has been ended, and its parts are gone. */
async function stillUploading(db: Database, id: string, now: Date): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('listing_imports')
    .set({ updated_at: now })
    .where('id', '=', id)
    .where('status', '=', 'uploading')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) {
    throw conflict(
      'not_allowed_now',
      'The upload was silent for too long, and was ended. Send the file again.',
      { status: 'ended' },
    )
  }
}

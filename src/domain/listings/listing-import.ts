import { sql } from 'kysely'
import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { iso, timestamp } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import { after, DAY } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { storable } from '../../lib/storable.ts'
import type { ImportReport } from './import-listings.ts'

/** `uploading` until all of the file is here, `waiting` for the job, `running`, and the two ends. */
export const IMPORT_STATUSES = ['uploading', 'waiting', 'running', 'done', 'failed'] as const
export type ImportStatus = (typeof IMPORT_STATUSES)[number]

export type ListingImport = Schema['listing_imports']

/** So many bad rows of one import are kept; all are counted. */
export const MAX_REJECTIONS = 10_000

/** An import that has ended is kept for so long. */
const KEPT_MS = 90 * DAY

export const ImportView = z.object({
  import_id: z.string(),
  environment: z.enum(ENVIRONMENTS),
  file_name: z.string().nullable(),
  status: z.enum(IMPORT_STATUSES),
  created_by: z.string(),
  /** How much of the file is loaded, 0 to 1; null where its length is not known. */
  progress: z.number().nullable(),
  rows: z.int(),
  imported: z.int(),
  created: z.int(),
  updated: z.int(),
  /** Names that an import leaves as they are: sold, frozen, blocked since the file was read, or held by a user and not listed as ours. */
  skipped_sold: z.int(),
  rejected_count: z.int(),
  error: z.string().nullable(),
  created_at: timestamp,
  finished_at: timestamp.nullable(),
})

export function viewImport(row: ListingImport): z.output<typeof ImportView> {
  return {
    import_id: row.id,
    environment: row.environment,
    file_name: row.file_name,
    status: row.status,
    created_by: row.created_by,
    progress: progressOf(row),
    rows: row.rows,
    imported: row.imported,
    created: row.created,
    updated: row.updated,
    skipped_sold: row.skipped_sold,
    rejected_count: row.rejected_count,
    error: row.error,
    created_at: iso(row.created_at),
    finished_at: iso(row.finished_at),
  }
}

function progressOf({ status, total_bytes, done_bytes }: ListingImport): number | null {
  if (status === 'done') return 1
  if (total_bytes === null) return null
  return total_bytes === 0 ? 1 : Math.round((1_000 * done_bytes) / total_bytes) / 1_000
}

export async function insertImport(
  tx: Pick<Tx, 'insertInto'>,
  now: Date,
  {
    environment,
    file_name,
    status,
    created_by,
  }: Pick<ListingImport, 'environment' | 'file_name' | 'status' | 'created_by'>,
): Promise<string> {
  const id = newId('imp', now)
  await tx
    .insertInto('listing_imports')
    .values({
      id,
      environment,
      file_name,
      status,
      created_by,
      created_at: now,
      updated_at: now,
      finished_at: null,
      total_bytes: null,
      done_bytes: 0,
      rows: 0,
      imported: 0,
      created: 0,
      updated: 0,
      skipped_sold: 0,
      rejected_count: 0,
      error: null,
    })
    .execute()
  return id
}

export async function updateImport(
  db: Pick<Tx, 'updateTable'>,
  id: string,
  now: Date,
  change: Partial<Omit<ListingImport, 'id' | 'environment' | 'created_by' | 'created_at'>>,
): Promise<void> {
  await db
    .updateTable('listing_imports')
    .set({ ...change, updated_at: now })
    .where('id', '=', id)
    .execute()
}

export interface Rejection {
  line: number
  field: string
  issue: string
  row: string
}

export async function insertRejections(
  db: Database | Tx,
  importId: string,
  rejections: Rejection[],
): Promise<void> {
  if (rejections.length === 0) return
  await sql`
    insert into listing_import_rejections (import_id, line, field, issue, row)
    select ${importId}, line, field, issue, row
    from unnest(${rejections.map(({ line }) => line)}::int[],
      ${rejections.map(({ field }) => field)}::text[],
      ${rejections.map(({ issue }) => storable(issue))}::text[],
      ${rejections.map(({ row }) => storable(row))}::text[]) as r (line, field, issue, row)
    on conflict do nothing`.execute(db)
}

/** Removes imports that ended long ago, with their rejected rows: ten thousand of each at most. */
export async function purgeImports(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  await purge(db, 'listing_imports', sql`finished_at < ${after(now, -KEPT_MS)}`, signal, 2)
}

/** What a report counts, as the import's row has it. */
export function countsOf(report: ImportReport) {
  const { rows, imported, created, updated, skipped_sold, rejected_count } = report
  return { rows, imported, created, updated, skipped_sold, rejected_count }
}

import type { Tx } from '../../core/operation.ts'
import { newId } from '../../lib/ids.ts'

/** A note that only the marketplace's brokers see. */
export async function writeNote(tx: Tx, now: Date, caseId: string, text: string): Promise<void> {
  await tx
    .insertInto('brokerage_notes')
    .values({ note_id: newId('note', now), case_id: caseId, text, created_at: now })
    .execute()
}

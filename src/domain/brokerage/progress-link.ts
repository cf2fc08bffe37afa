import type { AppContext } from '../../core/context.ts'
import { newSecret } from '../../lib/ids.ts'
import { sha256 } from '../../lib/signature.ts'
import type { Case } from './case.ts'

/** Where the buyer's pages are; a token of 32 random bytes follows. */
export const PROGRESS_PATH = '/case'

/** The columns of a link that nobody has seen yet. The database alone opens no page. */
export function newProgressLink(
  { secrets }: Pick<AppContext, 'secrets'>,
  caseId: string,
): Pick<Case, 'progress_hash' | 'progress_sealed'> {
  const token = newSecret()
  return {
    progress_hash: hashOf(token),
    progress_sealed: secrets.seal(token, progressPurpose(caseId)),
  }
}

export function progressUrl(
  { secrets, settings }: Pick<AppContext, 'secrets' | 'settings'>,
  row: Case,
): string | null {
  if (row.progress_sealed === null) return null
  const token = secrets.open(row.progress_sealed, progressPurpose(row.case_id))
  return `${settings.baseUrl}${PROGRESS_PATH}/${token}`
}

export function hashOf(token: string): Uint8Array {
  return sha256(Buffer.from(token))
}

/** What it is sealed for. */
export function progressPurpose(caseId: string): string {
  return `progress ${caseId}`
}

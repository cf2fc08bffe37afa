import { advisoryLock } from '../db/advisory-lock.ts'
import type { Tx } from './operation.ts'

/**
 * What changes all of a partner's sandbox would miss rows that are not committed yet, so other writes there are
 * over before it begins, or wait for its end. Before all locks of rows, which none that waits here holds.
 */
export async function lockSandbox(
  tx: Tx,
  partnerId: string,
  how: 'alone' | 'shared',
): Promise<void> {
  await advisoryLock(tx, `sandbox ${partnerId}`, how)
}

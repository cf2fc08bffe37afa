import { takeTurn } from './database/take-turn.ts'
import type { Tx } from './operation.ts'

/**
 * What changes all of a partner's sandbox would miss rows that are not committed yet, so other writes there are
 * over before it begins, or wait for its end. Before all locks of rows, which none that waits here holds.
 */
export async function enterSandbox(
  tx: Tx,
  partnerId: string,
  how: 'alone' | 'shared',
): Promise<void> {
  await takeTurn(tx, `sandbox ${partnerId}`, how)
}

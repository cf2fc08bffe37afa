import type { Case } from './case.ts'
import type { MoveContext } from './status.ts'

export async function tellBuyer(_context: MoveContext, _row: Case): Promise<void> {}

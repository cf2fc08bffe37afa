import { type ApiError, conflict } from '../../core/errors.ts'
import type { Settings } from '../../core/settings.ts'
import type { BulkOp } from './bulk-op.ts'

/** What takes place at a domain's registrar; the other operations change only what this marketplace keeps. */
const AT_REGISTRAR: ReadonlySet<BulkOp> = new Set([
  'renew',
  'lock',
  'unlock',
  'set_nameservers',
  'set_privacy',
])

/** What a user reads, at once or in a mail. */
export const NOT_CONNECTED =
  'This marketplace has no registrar connection for this domain yet, so it cannot do this.'

/**
 * Why nothing can perform an operation on a domain; null when something can (contract, section 16). The
 * simulated registry performs everything. With real registries only a registrar could, and none is connected
 * to any domain yet.
 */
export function registrarProblem(
  { registry }: Pick<Settings, 'registry'>,
  op: BulkOp,
  _domain: string,
): ApiError | null {
  if (registry === 'simulated' || !AT_REGISTRAR.has(op)) return null
  return conflict('registrar_not_connected', NOT_CONNECTED)
}

import type { Caller } from './caller.ts'
import { ApiError, tokenNeeded } from './errors.ts'
import type { Operation } from './operation.ts'

/**
 * Rejects a caller who was not let do what the operation does. Users themselves may manage their domains; only an app
 * buys here, since its mandate is what the user has said to it.
 */
export function assertScope(operation: Operation, caller: Caller): void {
  const scope = 'scope' in operation && !('tag' in operation) ? operation.scope : undefined
  if (scope === undefined) return
  if (caller.kind === 'anonymous') {
    throw tokenNeeded(`This needs an access token with the scope ${scope}.`, scope)
  }
  if (caller.kind !== 'user') return
  if (caller.app) {
    if (!caller.app.scopes.includes(scope)) throw insufficientScope(scope)
    return
  }
  if (scope === 'orders:create') throw insufficientScope(scope)
  if (scope === 'domains:manage' && caller.manages === false) {
    throw new ApiError('forbidden', 'This token may not change domains: make one that may.')
  }
}

/** The caller's token does not allow it; the user may be asked for more (RFC 6750, 3.1). */
export function insufficientScope(scope: string): ApiError {
  const message = `This needs an access token with the scope ${scope}: ask the user for it.`
  const details = { missing_scope: scope }
  return new ApiError('insufficient_scope', message, { details, challenge: true, scope })
}

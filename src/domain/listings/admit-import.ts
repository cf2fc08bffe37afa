import { type Origin, recordRejection } from '../../core/audit.ts'
import type { Actor, Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { assertPresence, assertRole } from '../../core/operator-access.ts'
import { ADMINS } from '../../core/roles.ts'

/** Who imports listings, and by which request. */
export interface Importer extends Origin {
  actor: Actor
}

/**
 * Rejects an import by anyone but an admin, and on the live market by an admin without a second factor, before anything of
 * the file is taken in (contract, section 17). The audit log has the rejection.
 */
export async function admitImport(
  app: Pick<AppContext, 'db' | 'settings' | 'clock' | 'log'>,
  operation: 'import_listings' | 'upload_listings',
  environment: Environment,
  origin: Importer,
): Promise<void> {
  const input = { environment }
  try {
    assertRole(operation, ADMINS, origin.actor)
    await assertPresence(app, {}, origin.actor, input, app.clock.now())
  } catch (error) {
    await recordRejection(app, { ...origin, operation, subject: null, input }, error)
    throw error
  }
}

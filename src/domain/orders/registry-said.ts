import type { AppContext } from '../../core/context.ts'
import { iso } from '../../core/fields.ts'
import { SECOND } from '../../lib/clock.ts'
import { truncate } from '../../lib/truncate.ts'
import type { RegistrySaid, TransferRegistrar } from '../events/transfer-view.ts'
import { SIMULATED } from '../registrars/operation.ts'
import type { RegistryResult } from '../registry/registry.ts'

/** An operator who completes an order waits no longer than this for the registry. */
const TIMEOUT_MS = 5 * SECOND
const MAX_NAME = 200
const MAX_STATUSES = 20
const MAX_STATUS = 60

/** What is kept of a registry's response: where the domain is, and nothing of who holds it. */
export function saidBy({ record, source, checkedAt }: RegistryResult): RegistrySaid | null {
  if (!record) return null
  const { registrar, status, expires_at } = record
  return {
    registrar: registrar && {
      iana_id: registrar.iana_id,
      name: registrar.name && truncate(registrar.name, MAX_NAME),
    },
    status: status.slice(0, MAX_STATUSES).map((code) => truncate(code, MAX_STATUS)),
    expires_at,
    source,
    at: iso(checkedAt),
  }
}

/** In the sandbox no registry is asked: what stands there says that it is simulated. */
export function simulatedRegistry(now: Date, registrar: TransferRegistrar | null): RegistrySaid {
  return { registrar, status: [], expires_at: null, source: SIMULATED, at: iso(now) }
}

/** What the registry says of the domain of a transfer, now: what is kept may be from before it. */
export async function askNow(
  { registry }: Pick<AppContext, 'registry'>,
  domain: string,
  signal?: AbortSignal,
): Promise<RegistryResult> {
  return await registry.lookup(domain, signal, undefined, 0)
}

/** What the registry says now of an order's domain; null where it was not asked, or says nothing. Not in a transaction. */
export async function askRegistryOf(
  app: AppContext,
  publicId: string,
): Promise<RegistrySaid | null> {
  const order = await app.db
    .selectFrom('orders')
    .select('domain')
    .where('public_id', '=', publicId)
    .where('environment', '=', 'live')
    .executeTakeFirst()
  if (!order) return null
  try {
    return saidBy(await askNow(app, order.domain, AbortSignal.timeout(TIMEOUT_MS)))
  } catch {
    return null
  }
}

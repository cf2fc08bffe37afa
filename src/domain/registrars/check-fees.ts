import { tldOf } from 'domain-marketplace-domain-names'
import type { AppContext } from '../../core/context.ts'
import { perDatabase } from '../../db/per-database.ts'
import { after, MINUTE, SECOND } from '../../lib/clock.ts'
import { Recent } from '../../lib/recent.ts'
import type { FeeCheck } from './driver.ts'

const TIMEOUT_MS = 2_000
/** Of these for its turn at the registrar. */
const PATIENCE_MS = 1_000
const KEPT_FOR_MS = 5 * MINUTE
/** How long nobody asks again where there was no answer. */
const SILENT_FOR_MS = 10 * SECOND
const KEPT = 10_000

const memoryOf = perDatabase(() => ({
  kept: new Recent<FeeCheck | null>(KEPT),
  underWay: new Map<string, Promise<FeeCheck | null>>(),
}))

/**
 * What a connected registrar says of a name that can be registered: whether it is reserved, and what it costs. Null
 * where no connection of its top-level domain tells, or it did not respond in time. Anybody may ask: what is asked
 * for them goes behind all other work at the registrar.
 */
export async function checkFees(app: AppContext, domain: string): Promise<FeeCheck | null> {
  if (app.settings.registry !== 'live') return null
  const { kept, underWay } = memoryOf(app.db)
  const known = kept.get(domain, app.clock.now())
  if (known !== undefined) return known
  const same = underWay.get(domain)
  if (same) return await same
  const asked = ask(app, domain).finally(() => underWay.delete(domain))
  underWay.set(domain, asked)
  const check = await asked
  const keptForMs = check ? KEPT_FOR_MS : SILENT_FOR_MS
  kept.set(domain, check, after(app.clock.now(), keptForMs))
  return check
}

async function ask(app: AppContext, domain: string): Promise<FeeCheck | null> {
  for (const { id, name } of await app.registrars.forTld(tldOf(domain))) {
    const open = await app.registrars.byId(id)
    if (!open?.connection.capabilities.includes('check_fees')) continue
    const call = {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      patienceMs: PATIENCE_MS,
      reference: `check-${app.clock.now().getTime()}`,
    }
    const check = await open.connection.checkFees?.(domain, call).catch((error: unknown) => {
      app.log.warn({ err: error, registrar: name, domain }, 'registrars: no price')
      return null
    })
    if (check) return check
  }
  return null
}

import { tldOf } from 'domain-marketplace-domain-names'
import type { AppContext } from '../../core/context.ts'
import { perDatabase } from '../../db/per-database.ts'
import { after, MINUTE } from '../../lib/clock.ts'
import type { FeeCheck } from './driver.ts'

const TIMEOUT_MS = 2_000
const KEPT_FOR_MS = 5 * MINUTE
const KEPT = 10_000

const cacheOf = perDatabase(() => new Map<string, { check: FeeCheck; until: Date }>())

/**
 * What a connected registrar says of a name that can be registered: whether it is reserved, and what it costs. Null
 * where no connection of its top-level domain tells, or it did not respond in time.
 */
export async function checkFees(app: AppContext, domain: string): Promise<FeeCheck | null> {
  if (app.settings.registry !== 'live') return null
  const cache = cacheOf(app.db)
  const now = app.clock.now()
  const kept = cache.get(domain)
  if (kept && kept.until > now) return kept.check
  for (const { id, name } of await app.registrars.forTld(tldOf(domain))) {
    const open = await app.registrars.byId(id)
    if (!open?.connection.capabilities.includes('check_fees')) continue
    const call = {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      reference: `check-${now.getTime()}`,
    }
    const check = await open.connection.checkFees?.(domain, call).catch((error: unknown) => {
      app.log.warn({ err: error, registrar: name, domain }, 'registrars: no price')
      return null
    })
    if (!check) continue
    if (cache.size >= KEPT) cache.clear()
    cache.set(domain, { check, until: after(now, KEPT_FOR_MS) })
    return check
  }
  return null
}

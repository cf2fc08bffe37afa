import { tldOf } from 'domain-marketplace-domain-names'
import pLimit from 'p-limit'
import type { Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { perDatabase } from '../../db/per-database.ts'
import { after, SECOND } from '../../lib/clock.ts'
import { Recent } from '../../lib/recent.ts'
import type { OpenRegistrar } from './connections.ts'
import type { RegistrarCapability } from './driver.ts'
import { driverOf } from './drivers.ts'
import { SIMULATED } from './operation.ts'
import { recordDomain } from './registrar-domain.ts'

/** A connection that has a domain. */
export interface HoldingRegistrar {
  id: string
  name: string
  capabilities: readonly RegistrarCapability[]
}

/** Who can act on a domain; null: an operator alone, by hand. */
export type Performer = HoldingRegistrar | typeof SIMULATED | null

const AT_ONCE = 4
/** A request waits no longer than this to hear whether domains are in our accounts. */
const TIMEOUT_MS = 20_000
const LEARN_MS = 3_000
/** For so long no connection is asked again for a domain that none of them has. */
const ABSENT_FOR_MS = 30 * SECOND
const ABSENT_KEPT = 10_000

const absentOf = perDatabase(() => new Recent<true>(ABSENT_KEPT))

/**
 * Who can act on each domain: a connection that has it, by the registrar's own data (contract, section 16); the
 * simulated registrar where nothing real is behind a name; null where only an operator can, by hand. Asks
 * registrars about what is not known, so it is called outside transactions.
 *
 * An error stands for a domain whose registrar did not respond.
 */
export async function findRegistrars(
  app: AppContext,
  environment: Environment,
  domains: readonly string[],
  timeoutMs = TIMEOUT_MS,
): Promise<Map<string, Performer | ApiError>> {
  const found = new Map<string, Performer | ApiError>()
  const otherwise = app.settings.registry === 'simulated' ? SIMULATED : null
  for (const domain of domains) found.set(domain, environment === 'sandbox' ? SIMULATED : otherwise)
  if (environment === 'sandbox' || domains.length === 0) return found
  const known = await app.db
    .selectFrom('registrar_domains as d')
    .innerJoin('registrars as r', 'r.id', 'd.registrar_id')
    .select(['d.domain', 'd.registrar_id'])
    .where('d.domain', 'in', [...domains])
    .execute()
  for (const id of new Set(known.map(({ registrar_id }) => registrar_id))) {
    const open = await app.registrars.byId(id)
    for (const { domain, registrar_id } of known) {
      if (open && registrar_id === id) found.set(domain, holding(open))
    }
  }
  const unknown = domains.filter((domain) => !known.some((row) => row.domain === domain))
  const slots = pLimit(AT_ONCE)
  const signal = AbortSignal.timeout(timeoutMs)
  await Promise.all(
    unknown.map((domain) =>
      slots(async () => {
        const registrar = await askFor(app, domain, signal).catch(unavailableOf)
        if (registrar) found.set(domain, registrar)
      }),
    ),
  )
  return found
}

/**
 * The same of one domain, whose delivery is decided by it: a domain that has just arrived is seen. Throws `unavailable`
 * when its registrar does not respond.
 */
export async function findRegistrarOf(
  app: AppContext,
  environment: Environment,
  domain: string,
): Promise<Performer> {
  absentOf(app.db).delete(domain)
  const found = (await findRegistrars(app, environment, [domain])).get(domain) ?? null
  if (found instanceof ApiError) throw found
  return found
}

/**
 * Has connections say whether a domain that is about to be sold is in our accounts, unless that is known: their word
 * is kept for the transaction that sells it. A registrar that does not respond soon holds up no sale.
 */
export async function learnRegistrar(
  app: AppContext,
  environment: Environment,
  domain: string,
): Promise<void> {
  if (environment !== 'live' || app.settings.registry !== 'live') return
  await findRegistrars(app, environment, [domain], LEARN_MS)
}

function unavailableOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}

/** Keeps what connections say now of domains that they have. One that does not respond leaves what is known. */
export async function readAgain(
  app: AppContext,
  holders: ReadonlyMap<string, HoldingRegistrar>,
): Promise<void> {
  const slots = pLimit(AT_ONCE)
  await Promise.all(
    [...holders].map(([domain, { id, capabilities }]) =>
      slots(async () => {
        const open = capabilities.includes('info') && (await app.registrars.byId(id))
        const signal = AbortSignal.timeout(TIMEOUT_MS)
        if (open) await hasDomain(app, open, domain, signal).catch(unavailableOf)
      }),
    ),
  )
}

/** The connection at which an operator acts by hand on names of this kind, if there is one. */
export async function manualRegistrarFor(
  app: AppContext,
  domain: string,
): Promise<HoldingRegistrar | null> {
  const registrars = await app.registrars.forTld(tldOf(domain))
  const manual = registrars.find(({ driver }) => driverOf(driver).capabilities.includes('by_hand'))
  const open = manual && (await app.registrars.byId(manual.id))
  return open ? holding(open) : null
}

async function askFor(
  app: AppContext,
  domain: string,
  signal: AbortSignal,
): Promise<HoldingRegistrar | null> {
  const absent = absentOf(app.db)
  if (absent.get(domain, app.clock.now())) return null
  let isAsked = false
  for (const { id } of await app.registrars.forTld(tldOf(domain))) {
    const open = await app.registrars.byId(id)
    if (!open?.connection.capabilities.includes('info')) continue
    if (await hasDomain(app, open, domain, signal)) return holding(open)
    isAsked = true
  }
  const now = app.clock.now()
  if (isAsked) absent.set(domain, true, after(now, ABSENT_FOR_MS))
  return null
}

/** Asks a connection for a domain, and keeps what it says of one that it has. Throws `unavailable` without a response. */
async function hasDomain(
  app: AppContext,
  { registrar: { id, name }, connection }: OpenRegistrar,
  domain: string,
  signal: AbortSignal,
): Promise<boolean> {
  const said = await connection
    .info(domain, { signal, reference: `look-${app.clock.now().getTime()}` })
    .catch((error: unknown) => {
      app.log.warn({ err: error, registrar: name, domain }, 'registrars: no response')
      throw new ApiError('unavailable', `The registrar of ${domain} did not respond.`, {
        retryAfter: 30,
      })
    })
  if (said) await recordDomain(app.db, app.clock.now(), id, domain, said)
  return Boolean(said)
}

function holding({ registrar: { id, name }, connection }: OpenRegistrar): HoldingRegistrar {
  return { id, name, capabilities: connection.capabilities }
}

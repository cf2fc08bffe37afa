import type { WhoisRecord } from 'domain-marketplace-registry-lookup'
import type { Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { type ApiError, conflict } from '../../core/errors.ts'
import { after, DAY } from '../../lib/clock.ts'

/** Registrars accept no transfer of a name that is younger (ICANN's transfer policy, section II.C). */
const YOUNG_MS = 60 * DAY
const TIMEOUT_MS = 2_000

/** What a registry's status says of a name that cannot be handed over now, for people. */
const STATUSES: Record<string, string> = {
  serverTransferProhibited: 'its registry has locked it against transfers',
  serverHold: 'its registry has put it on hold',
  clientHold: 'its registrar has put it on hold',
  redemptionPeriod: 'it was deleted, and is in its redemption period',
  pendingDelete: 'it is about to be deleted',
  pendingTransfer: 'a transfer of it is under way',
  pendingRestore: 'it is being restored',
}

/** Why a name cannot be handed to a buyer now, by what its registry says; null when nothing speaks against it. */
function transferProblem(
  { status, created_at, expires_at }: WhoisRecord,
  now: Date,
): string | null {
  const blocking = status.find((each) => Object.hasOwn(STATUSES, each))
  if (blocking) return STATUSES[blocking] ?? null
  if (expires_at !== null && new Date(expires_at) <= now) return 'it has expired'
  const transferableAt = created_at === null ? null : after(new Date(created_at), YOUNG_MS)
  if (transferableAt === null || transferableAt <= now) return null
  return `it was registered less than 60 days ago, and can be transferred from ${transferableAt.toISOString().slice(0, 10)}`
}

/**
 * Asks the registry, with real registries, whether live names can be handed over. What does not respond in time
 * speaks against nothing.
 *
 * @param client who asks: of what a registry allows, each has a share
 */
export async function findTransferProblems(
  app: AppContext,
  environment: Environment,
  domains: readonly string[],
  client: string,
): Promise<Map<string, ApiError>> {
  const problems = new Map<string, ApiError>()
  if (environment !== 'live' || app.settings.registry !== 'live') return problems
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  await Promise.all(
    domains.map(async (domain) => {
      const result = await app.registry.lookup(domain, signal, client).catch(() => null)
      const problem = result?.record && transferProblem(result.record, app.clock.now())
      if (!problem) return
      const message = `${domain} cannot be handed over now: ${problem}.`
      problems.set(domain, conflict('not_transferable', message))
    }),
  )
  return problems
}

/** The same of one name; null when nothing speaks against it. */
export async function findTransferProblem(
  app: AppContext,
  environment: Environment,
  domain: string,
  client: string,
): Promise<ApiError | null> {
  return (await findTransferProblems(app, environment, [domain], client)).get(domain) ?? null
}

import pLimit from 'p-limit'
import type { AppContext } from '../../core/context.ts'
import { forSaleName, parseForSale } from '../../lib/for-sale.ts'
import { type Claim, type ClaimMethod, provesForSale, txtOf } from './claim.ts'

/** What DNS and the registry say of a claim now. */
export interface Evidence {
  /** Null: no proof was found. */
  method: Extract<ClaimMethod, 'txt' | 'nameservers'> | null
  /** Why there is none, for people; of what could not be found out, too. */
  problem: string | null
  /** Whether DNS said that there is no proof, rather than nothing. */
  isAbsent: boolean
  /** The domain's registrar by the registry, where it says so. */
  registrarIanaId: string | null
  expiresAt: Date | null
}

const AT_ONCE = 50

const NOTHING_KNOWN: Evidence = {
  method: null,
  problem: null,
  isAbsent: false,
  registrarIanaId: null,
  expiresAt: null,
}

/**
 * Looks for proof of claims, many at once. What was not looked at when the signal aborts is left out.
 * @param client who waits for what registries say; without one, what they may not be asked at once is not known
 */
export async function gatherEvidence(
  app: AppContext,
  claims: readonly Claim[],
  signal: AbortSignal,
  client?: string,
): Promise<Map<Claim, Evidence>> {
  const slots = pLimit(AT_ONCE)
  const found = new Map<Claim, Evidence>()
  await Promise.all(
    claims.map((claim) =>
      slots(async () => {
        const evidence = signal.aborted ? null : await look(app, claim, signal, client)
        if (evidence) found.set(claim, evidence)
      }),
    ),
  )
  return found
}

async function look(
  app: AppContext,
  claim: Claim,
  signal: AbortSignal,
  client?: string,
): Promise<Evidence | null> {
  try {
    const isVouchedFor = claim.method === 'operator' && claim.status === 'verified'
    const proof = isVouchedFor ? NOTHING_KNOWN : await lookInDns(app, claim)
    // Registries are asked about what is proven alone.
    if (proof.method === null && claim.status !== 'verified') return proof
    return { ...proof, ...(await lookInRegistry(app, claim, signal, client)) }
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
}

async function lookInDns(
  { dns, settings: { marketplaceNameservers: ours } }: AppContext,
  claim: Claim,
): Promise<Evidence> {
  const { name, value } = txtOf(claim)
  const [texts, hosts] = await Promise.all([
    dns.txt(name),
    ours.length > 0 ? dns.nameservers(claim.domain) : [],
  ])
  if (texts?.some((text) => text.trim() === value)) return { ...NOTHING_KNOWN, method: 'txt' }
  if (hosts && hosts.length > 0 && hosts.every((host) => ours.includes(host))) {
    return { ...NOTHING_KNOWN, method: 'nameservers' }
  }
  // Asked where nothing else proves it. Servers that did not respond would be silent again.
  const signs = texts && (await dns.txt(forSaleName(claim.domain)))
  const { codes = [] } = (signs && parseForSale(signs)) ?? {}
  if (codes.some((code) => provesForSale(claim, code))) return { ...NOTHING_KNOWN, method: 'txt' }
  if (texts === null || signs === null || hosts === null) {
    const problem = 'The name servers of the domain did not respond. It will be looked at again.'
    return { ...NOTHING_KNOWN, problem }
  }
  const problem =
    texts.length > 0
      ? `The TXT record of ${name} does not hold the value that proves it.`
      : `There is no TXT record at ${name}. It can take an hour until a new record is seen.`
  return { ...NOTHING_KNOWN, problem, isAbsent: true }
}

/** A simulated registry has no registrars that a domain could move between. */
async function lookInRegistry(
  { registry, settings }: AppContext,
  { domain }: Claim,
  signal: AbortSignal,
  client?: string,
): Promise<Pick<Evidence, 'registrarIanaId' | 'expiresAt'>> {
  const { record } = await registry.lookup(domain, signal, client)
  // A registry renews what expires by itself, and its registrar may still take that back (RFC 3915, section 3.1).
  const isInGrace = record?.status.includes('autoRenewPeriod') ?? false
  const expires = isInGrace ? null : (record?.expires_at ?? null)
  return {
    registrarIanaId: settings.registry === 'live' ? (record?.registrar?.iana_id ?? null) : null,
    expiresAt: expires === null ? null : new Date(expires),
  }
}

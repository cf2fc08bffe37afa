import type { WriteContext } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import { after, DAY } from '../../lib/clock.ts'
import {
  type Claim,
  claimedByOthers,
  countOpenClaims,
  dueAgain,
  lockClaims,
  updateClaim,
} from '../claims/claim.ts'
import { NO_TERMS, takeTerms } from '../claims/claim-terms.ts'
import type { Evidence } from '../claims/evidence.ts'
import { lockMarket, type MarketRow, withdrawDomains } from '../listings/seller-listing.ts'
import { findRegistrarDomains } from '../registrars/registrar-domain.ts'
import { alertConflict } from './claim-conflict.ts'
import { mailUser } from './mail-user.ts'
import { claimLostMail } from './mails/claim-lost.ts'
import { giveDomain, raiseExpiry, removeOwned } from './owned-domain.ts'
import { putUpForSale } from './put-up-for-sale.ts'

/** A proof that is gone must be gone for so long, and looked for at its end. */
const GONE_FOR_MS = DAY

/** With more claims that are not proven, a user's are looked for once an hour from the start. */
const MANY = 1_000

type Context = Pick<WriteContext, 'tx' | 'now'> & { app: { settings: Settings } }

/**
 * What evidence does to a user's claims. A proof makes the domain the user's; one that is gone twice, a day apart, or
 * a registrar that changed, takes it off the market and from the user, who is mailed (contract, section 16).
 */
export async function applyEvidence(
  context: Context,
  userId: string,
  gathered: ReadonlyMap<Claim, Evidence>,
): Promise<void> {
  const { tx } = context
  const evidence = new Map([...gathered].map(([{ domain }, found]) => [domain, found]))
  const domains = [...evidence.keys()].toSorted()
  const claims = await lockClaims(tx, userId, domains)
  const market = await lockMarket(tx, domains)
  const others = await claimedByOthers(tx, userId, domains)
  const atRegistrars = await findRegistrarDomains(tx, domains)
  const isOneOfMany = (await countOpenClaims(tx, userId)) > MANY
  const lost: string[] = []
  const proven: string[] = []
  for (const [domain, claim] of claims) {
    const found = evidence.get(domain)
    if (!found) continue
    const facts = {
      listing: market.get(domain),
      claimedByOther: others.get(domain) ?? null,
      isAtOurRegistrar: atRegistrars.has(domain),
    }
    const change = await changeOf(context, claim, found, facts)
    const changed = { ...claim, ...change, checked_at: context.now }
    // What was asked for it once is not asked again, should it be proven anew.
    if (changed.status === 'lost') Object.assign(change, NO_TERMS)
    if (claim.status === 'verified' && changed.status === 'lost') lost.push(domain)
    if (claim.status !== 'verified' && changed.status === 'verified') proven.push(domain)
    const due_at = dueAgain(context.now, changed, isOneOfMany)
    await updateClaim(tx, claim, { ...change, checked_at: context.now, due_at })
  }
  if (lost.length > 0) await loseDomains(context, userId, lost)
  await sellProven(context, userId, proven)
}

/** Domains that are proven now go on the market where their user has said what they ask for them. */
export async function sellProven(
  context: Context,
  userId: string,
  domains: readonly string[],
): Promise<void> {
  if (domains.length === 0) return
  const { tx } = context
  const { errors } = await putUpForSale(context, userId, await takeTerms(tx, userId, domains))
  for (const [domain, { message }] of errors) {
    const problem = `It is proven, and could not be put up for sale: ${message}`
    await updateClaim(tx, { user_id: userId, domain }, { problem })
  }
}

interface Facts {
  listing: MarketRow | undefined
  claimedByOther: { isVerified: boolean } | null
  /** A connected registrar has it in our account. */
  isAtOurRegistrar: boolean
}

async function changeOf(
  context: Context,
  claim: Claim,
  found: Evidence,
  facts: Facts,
): Promise<Partial<Claim>> {
  if (claim.status !== 'verified') return await changeOfOpen(context, claim, found, facts)
  const { tx, now, app } = context
  // A simulated registry knows nothing of the renewals that are simulated here.
  if (found.expiresAt && app.settings.registry === 'live') {
    await raiseExpiry(tx, now, claim.domain, found.expiresAt)
  }
  // Its sale moves it, and ends the claim.
  if (facts.listing?.status === 'sold') return {}
  const registrar_iana_id = found.registrarIanaId ?? claim.registrar_iana_id
  const hasMoved = claim.registrar_iana_id !== null && registrar_iana_id !== claim.registrar_iana_id
  if (hasMoved && !facts.isAtOurRegistrar) {
    return { status: 'lost', problem: 'The domain has moved to another registrar.' }
  }
  if (claim.method === 'operator' || claim.method === 'registrar') return { registrar_iana_id }
  if (found.method !== null) {
    return { registrar_iana_id, method: found.method, problem: null, missing_since: null }
  }
  const missing_since = claim.missing_since ?? (found.isAbsent ? now : null)
  const isGone =
    found.isAbsent && missing_since !== null && after(missing_since, GONE_FOR_MS) <= now
  return {
    registrar_iana_id,
    problem: found.problem,
    missing_since,
    ...(isGone && { status: 'lost' as const }),
  }
}

async function changeOfOpen(
  { tx, now, app }: Context,
  claim: Claim,
  found: Evidence,
  { claimedByOther }: Facts,
): Promise<Partial<Claim>> {
  if (found.method === null) return { problem: found.problem }
  // Everybody who claims it sees the same name servers.
  if (found.method === 'nameservers' && claimedByOther) return { problem: CONTESTED }
  const { user_id, domain } = claim
  const isGiven =
    !claimedByOther?.isVerified &&
    (await giveDomain({ tx, now, app }, user_id, domain, found.expiresAt))
  if (!isGiven) {
    // Once, and not each time that it is looked for.
    if (claim.problem !== TAKEN) {
      await alertConflict(tx, now, { domain, userId: user_id }, `proven ${user_id}`)
    }
    return { problem: TAKEN }
  }
  return {
    status: 'verified',
    method: found.method,
    verified_at: now,
    problem: null,
    missing_since: null,
    registrar_iana_id: found.registrarIanaId,
  }
}

const CONTESTED = 'Another user claims it, too. Prove it with the TXT record.'
const TAKEN = 'It belongs to another user here. Ask an operator to decide.'

/** Takes domains off the market at once, and from the user, who is mailed. */
export async function loseDomains(
  { tx, now }: Pick<WriteContext, 'tx' | 'now'>,
  userId: string,
  domains: string[],
): Promise<void> {
  await withdrawDomains(tx, now, userId, domains)
  await removeOwned(tx, userId, domains)
  await mailUser(tx, now, userId, claimLostMail(domains))
}

import { z } from 'zod'
import type { Database } from '../../kernel/database/dialect.ts'
import { domainField } from '../../kernel/fields.ts'
import type { House } from '../../kernel/house.ts'
import { type Environment, partnerRead, type Tx } from '../../kernel/operation.ts'
import { fixedOutcome } from '../inventory/fixed-outcome.ts'
import { findSale } from '../inventory/listing.ts'
import type { SiteState } from './site-probe.ts'

const REASONS = ['active_site', 'already_in_case', 'listed_for_sale'] as const
export type IneligibleReason = (typeof REASONS)[number]

export const checkEligibility = partnerRead({
  name: 'check_brokerage_eligibility',
  summary: 'Whether a domain can be brokered',
  method: 'GET',
  path: '/brokerage/eligibility',
  scope: 'broker',
  input: z.object({ domain: domainField }),
  output: z.object({
    domain: z.string(),
    /** Null when nobody can tell: a case may be opened, and a broker looks. */
    eligible: z.boolean().nullable(),
    reason: z.enum(REASONS).nullable(),
  }),
  status: 200,
  errors: ['validation_error'],
  async handler({ db, house, partner }, { domain }) {
    const taken = await reasonInHouse(db, partner.environment, domain)
    if (taken) return { domain, eligible: false, reason: taken }
    const site = await siteOf(house, partner.environment, domain)
    if (site === 'active') return { domain, eligible: false, reason: 'active_site' as const }
    return { domain, eligible: site === 'unknown' ? null : true, reason: null }
  },
})

/** What the house itself knows against brokering a domain. */
export async function reasonInHouse(
  db: Database | Tx,
  environment: Environment,
  domain: string,
): Promise<'listed_for_sale' | 'already_in_case' | null> {
  const [sale, running] = await Promise.all([
    findSale(db, environment, domain),
    db
      .selectFrom('brokerage_cases')
      .select('case_id')
      .where('environment', '=', environment)
      .where('domain', '=', domain)
      .where('ended_at', 'is', null)
      .executeTakeFirst(),
  ])
  if (sale?.status === 'listed') return 'listed_for_sale'
  return running ? 'already_in_case' : null
}

/** The sandbox's sites are known by their names; live ones are asked (contract, section 9). */
export async function siteOf(
  house: Pick<House, 'sites'>,
  environment: Environment,
  domain: string,
): Promise<SiteState> {
  if (environment === 'sandbox') {
    return fixedOutcome(environment, domain) === 'active_site' ? 'active' : 'none'
  }
  return await house.sites.check(domain)
}

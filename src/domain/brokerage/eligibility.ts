import { z } from 'zod'
import type { Environment, Partner } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { partnerRead, type Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { fixedOutcome } from '../listings/fixed-outcome.ts'
import { findSale } from '../listings/listing.ts'
import type { SiteState } from './site-probe.ts'
import { brokeredDomainField, brokeredDomainView } from './view-case.ts'

const REASONS = ['active_site', 'already_in_case', 'listed_for_sale'] as const
export type IneligibleReason = (typeof REASONS)[number]

export const checkEligibility = partnerRead({
  name: 'check_brokerage_eligibility',
  tag: 'Brokerage',
  summary: 'Check whether a domain can be brokered',
  description:
    'Says whether a brokerage case can be opened for a domain: it must not be listed here, in a running case, or in use ' +
    'by an active website. Use it before you offer brokerage to a buyer. It opens nothing and costs nothing. The website is ' +
    'visited for the check, which may take some seconds.',
  method: 'GET',
  path: '/brokerage/eligibility',
  scope: 'broker',
  onceAdmitted: true,
  input: z.object({
    domain: brokeredDomainField.describe(
      'The domain to check, in any case, as A-labels or U-labels.',
    ),
  }),
  output: z
    .object({
      domain: brokeredDomainView,
      eligible: z
        .boolean()
        .nullable()
        .meta({
          description:
            'Whether it can be brokered. Null when the website could not be checked: a case may be opened, and a ' +
            'broker will look.',
          example: true,
        }),
      reason: z
        .enum(REASONS)
        .nullable()
        .meta({ description: 'Why it cannot be brokered; otherwise null.', example: null }),
    })
    .meta({ id: 'BrokerageEligibility' }),
  status: 200,
  errors: ['validation_error'],
  async handler({ db, app, partner }, { domain }) {
    const taken = await reasonOnMarketplace(db, partner, domain)
    if (taken) return { domain, eligible: false, reason: taken }
    const site = await siteOf(app, partner.environment, domain)
    if (site === 'active') return { domain, eligible: false, reason: 'active_site' as const }
    return { domain, eligible: site === 'unknown' ? null : true, reason: null }
  },
})

/** What the marketplace itself knows against brokering a domain. */
export async function reasonOnMarketplace(
  db: Database | Tx,
  partner: Partner,
  domain: string,
): Promise<'listed_for_sale' | 'already_in_case' | null> {
  const [sale, running] = await Promise.all([
    findSale(db, partner, domain),
    db
      .selectFrom('brokerage_cases')
      .select('case_id')
      .where('environment', '=', partner.environment)
      .where('domain', '=', domain)
      .where('ended_at', 'is', null)
      .executeTakeFirst(),
  ])
  if (sale?.status === 'listed') return 'listed_for_sale'
  return running ? 'already_in_case' : null
}

/** The sandbox's sites are known by their names; live ones are asked (contract, section 9). */
export async function siteOf(
  app: Pick<AppContext, 'sites'>,
  environment: Environment,
  domain: string,
): Promise<SiteState> {
  if (environment === 'sandbox') {
    return fixedOutcome(environment, domain) === 'active_site' ? 'active' : 'none'
  }
  return await app.sites.check(domain)
}

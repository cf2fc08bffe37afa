import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import { conflict } from '../../core/errors.ts'
import { centsField, currencyField, emailField, iso, textField } from '../../core/fields.ts'
import { partnerWrite, type Tx, type WriteContext } from '../../core/operation.ts'
import { newId } from '../../lib/ids.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { type Case, type CaseStep } from './case.ts'
import { type IneligibleReason, reasonOnMarketplace, siteOf } from './eligibility.ts'
import { writeNote } from './notes.ts'
import { notifyBuyer } from './notify-buyer.ts'
import { newProgressLink } from './progress-link.ts'
import type { SiteState } from './site-probe.ts'
import { brokeredDomainField, CaseView, tierField, viewCase } from './view-case.ts'

const BECAUSE: Record<IneligibleReason, string> = {
  active_site: 'runs an active site',
  already_in_case: 'is in a running case already',
  listed_for_sale: 'is listed for sale: buy it instead',
}

export const OpenCaseInput = z.object({
  domain: brokeredDomainField.describe(
    'The domain that the buyer wants, in any case, as A-labels or U-labels.',
  ),
  tier: tierField,
  buyer_email: emailField.describe('The address at which the buyer is notified about the case.'),
  budget: centsField.meta({
    description: 'The most that the buyer would pay, in cents.',
    example: 500_000,
  }),
  currency: currencyField
    .refine((code) => code === HOME_CURRENCY, `must be ${HOME_CURRENCY}`)
    .nullish()
    .describe(`The currency of the budget, which must be ${HOME_CURRENCY}, the default.`),
  note: textField(2_000).nullish().meta({
    description: 'What the broker should know. The progress page of the buyer does not show it.',
    example: 'For a bakery chain.',
  }),
})

/** Opens a case: a broker finds the owner of a domain that is not for sale, and negotiates. */
export const openCase = partnerWrite({
  name: 'open_case',
  tag: 'Brokerage',
  summary: 'Open a brokerage case',
  description:
    'Asks a broker to find the owner of a domain that is not for sale, and to negotiate for your buyer. The buyer is sent ' +
    'mail with the progress link and each step. Nothing is charged; you earn a commission once a deal is completed, and ' +
    'receive `brokerage.case_completed`. A domain that is listed here, in a running case, or in use by an active ' +
    'website gives `conflict` with `details.reason`. The website is visited first, which may take some seconds.',
  method: 'POST',
  path: '/brokerage',
  scope: 'broker',
  input: OpenCaseInput,
  output: CaseView,
  status: 201,
  errors: ['validation_error', 'conflict'],
  async prepare({ app, partner }, { domain }) {
    return await siteOf(app, partner.environment, domain)
  },
  async handler({ tx, now, app, partner, prepared }, input) {
    return await startCase({ tx, now, app, partner, site: prepared }, input)
  },
})

interface StartContext extends Pick<WriteContext, 'tx' | 'now' | 'app'> {
  partner: Partner
  site: SiteState
}

/** Writes the case, whoever asks for it; a domain that cannot be brokered is a `conflict`. */
export async function startCase(
  { tx, now, app, partner, site }: StartContext,
  input: z.output<typeof OpenCaseInput>,
): Promise<z.output<typeof CaseView>> {
  const taken = await reasonOnMarketplace(tx, partner, input.domain)
  const reason = taken ?? (site === 'active' ? 'active_site' : null)
  if (reason) throw ineligible(input.domain, reason)
  const { brokerage_bps } = await tx
    .selectFrom('partners')
    .select('brokerage_bps')
    .where('id', '=', partner.partnerId)
    .executeTakeFirstOrThrow()
  const case_id = newId('case', now)
  const opened: CaseStep = {
    at: iso(now),
    type: 'brokerage.case_opened',
    status: 'open',
    by: null,
    price_cents: null,
    note: null,
  }
  const row: Case = {
    case_id,
    partner_id: partner.partnerId,
    environment: partner.environment,
    domain: input.domain,
    tier: input.tier,
    status: 'open',
    buyer_email: input.buyer_email,
    budget: input.budget,
    currency: HOME_CURRENCY,
    note: input.note ?? null,
    price_cents: null,
    commission_bps: brokerage_bps,
    commission_cents: null,
    assignee: null,
    ...newProgressLink(app, case_id),
    timeline: [opened],
    created_at: now,
    updated_at: now,
    ended_at: null,
  }
  if (!(await insertCase(tx, row))) throw ineligible(input.domain, 'already_in_case')
  if (site === 'unknown') {
    await writeNote(tx, now, case_id, 'It is unknown whether a website runs there. Check first.')
  }
  await notifyBuyer({ tx, now, app }, row)
  return viewCase(app, row, [])
}

/** False when another case of the domain was there first: of any number at once, one is written. */
async function insertCase(tx: Tx, row: Case): Promise<boolean> {
  const written = await tx
    .insertInto('brokerage_cases')
    .values({ ...row, timeline: JSON.stringify(row.timeline) })
    .onConflict((other) =>
      other.columns(['environment', 'domain']).where('ended_at', 'is', null).doNothing(),
    )
    .returning('case_id')
    .executeTakeFirst()
  return written !== undefined
}

function ineligible(domain: string, reason: IneligibleReason) {
  return conflict(reason, `${domain} cannot be brokered: it ${BECAUSE[reason]}.`)
}

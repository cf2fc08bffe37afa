import { z } from 'zod'
import { conflict } from '../../kernel/errors.ts'
import {
  centsField,
  currencyField,
  domainField,
  emailField,
  iso,
  textField,
} from '../../kernel/fields.ts'
import { partnerWrite, type Tx } from '../../kernel/operation.ts'
import { newId } from '../../lib/ids.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { TIERS } from '../events/event-view.ts'
import { type Case, type CaseStep, CaseView } from './case.ts'
import { type IneligibleReason, reasonInHouse, siteOf } from './eligibility.ts'
import { writeNote } from './notes.ts'
import { newProgressLink } from './progress-link.ts'
import { tellBuyer } from './tell-buyer.ts'
import { viewCase } from './view-case.ts'

const BECAUSE: Record<IneligibleReason, string> = {
  active_site: 'runs an active site',
  already_in_case: 'is in a running case already',
  listed_for_sale: 'is listed for sale: buy it instead',
}

/** Opens a case: a broker finds the owner of a domain that is not for sale, and negotiates. */
export const openCase = partnerWrite({
  name: 'open_case',
  summary: 'Open a brokerage case for a buyer',
  method: 'POST',
  path: '/brokerage',
  scope: 'broker',
  input: z.object({
    domain: domainField,
    tier: z.enum(TIERS, 'must be managed or self_serve'),
    buyer_email: emailField,
    /** The most that the buyer would pay, in cents. */
    budget: centsField,
    /** Deals are settled in it, as everything else here. */
    currency: currencyField
      .refine((code) => code === HOME_CURRENCY, `must be ${HOME_CURRENCY}`)
      .nullish(),
    /** For the broker; the buyer's page does not show it. */
    note: textField(2_000).nullish(),
  }),
  output: CaseView,
  status: 201,
  errors: ['validation_error', 'conflict'],
  async prepare({ house, partner }, { domain }) {
    return await siteOf(house, partner.environment, domain)
  },
  async handler({ tx, now, house, partner, prepared }, input) {
    const taken = await reasonInHouse(tx, partner.environment, input.domain)
    const reason = taken ?? (prepared === 'active' ? 'active_site' : null)
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
      ...newProgressLink(house, case_id),
      timeline: [opened],
      created_at: now,
      updated_at: now,
      ended_at: null,
    }
    if (!(await insertCase(tx, row))) throw ineligible(input.domain, 'already_in_case')
    if (prepared === 'unknown') {
      await writeNote(
        tx,
        now,
        case_id,
        'It could not be told whether a site runs there. Look first.',
      )
    }
    await tellBuyer({ tx, now, house }, row)
    return viewCase(house, row, [])
  },
})

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
  return conflict(`${domain} cannot be brokered: it ${BECAUSE[reason]}.`, { reason })
}

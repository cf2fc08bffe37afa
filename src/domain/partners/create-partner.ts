import { z } from 'zod'
import { emailField, lineField } from '../../core/fields.ts'
import { adminWrite, type WriteContext } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { newId } from '../../lib/ids.ts'
import { PartnerView, viewPartner } from './partner.ts'

const bpsField = z.int().min(0).max(10_000).optional()

/** The commissions of a partner, in basis points. */
export const terms = {
  /** On sales that it collects itself. */
  partner_collected_bps: bpsField,
  /** On sales through its checkout links, which the marketplace collects. */
  hosted_checkout_bps: bpsField,
  /** On sales on the marketplace's own pages that its tracked links brought. */
  referral_bps: bpsField,
  /** On deals that the marketplace's brokers close for its users. */
  brokerage_bps: bpsField,
}

const Input = z.object({
  name: lineField(200).min(1),
  email: emailField,
  affiliate: z.boolean().default(false),
  ...terms,
})

/** Opens a partner account; `affiliate` links an affiliate account to it. */
export const createPartner = adminWrite({
  name: 'create_partner',
  roles: ADMINS,
  summary: 'Open a partner account',
  method: 'POST',
  path: '/partners',
  subject: 'partner_id',
  input: Input,
  output: PartnerView,
  status: 201,
  errors: ['validation_error'],
  handler: (context, input) => insertPartner(context, input),
})

export async function insertPartner(
  { tx, now, app }: Pick<WriteContext, 'tx' | 'now' | 'app'>,
  input: z.output<typeof Input>,
) {
  const row = await tx
    .insertInto('partners')
    .values({
      id: newId('prt', now),
      name: input.name,
      email: input.email,
      status: 'active',
      live_approved_at: null,
      partner_collected_bps: input.partner_collected_bps ?? app.settings.partnerCollectedBps,
      brokerage_bps: input.brokerage_bps ?? app.settings.brokerageBps,
      hosted_checkout_bps: input.hosted_checkout_bps ?? app.settings.hostedCheckoutBps,
      referral_bps: input.referral_bps ?? app.settings.referralBps,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const affiliate = input.affiliate
    ? { id: newId('aff', now), partner_id: row.id, created_at: now }
    : null
  if (affiliate) await tx.insertInto('affiliates').values(affiliate).execute()
  return viewPartner(row, affiliate?.id ?? null)
}

import { z } from 'zod'
import { notFound } from '../../kernel/errors.ts'
import { iso, timestamp } from '../../kernel/fields.ts'
import type { Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'

/** The house itself, as the partner of what it sells on its own pages; made by the migration. */
export const HOUSE_PARTNER = 'prt_00000000000000000000000000'

export const PartnerView = z.object({
  partner_id: z.string(),
  name: z.string(),
  email: z.string(),
  status: z.enum(['active', 'suspended']),
  affiliate_id: z.string().nullable(),
  partner_collected_bps: z.int(),
  brokerage_bps: z.int(),
  hosted_checkout_bps: z.int(),
  referral_bps: z.int(),
  live_approved_at: timestamp.nullable(),
  created_at: timestamp,
})

export function viewPartner(
  row: Schema['partners'],
  affiliateId: string | null,
): z.output<typeof PartnerView> {
  return {
    partner_id: row.id,
    name: row.name,
    email: row.email,
    status: row.status,
    affiliate_id: affiliateId,
    partner_collected_bps: row.partner_collected_bps,
    brokerage_bps: row.brokerage_bps,
    hosted_checkout_bps: row.hosted_checkout_bps,
    referral_bps: row.referral_bps,
    live_approved_at: iso(row.live_approved_at),
    created_at: iso(row.created_at),
  }
}

/** The partner's row, held for this transaction, or `not_found`. */
export async function lockPartner(tx: Tx, partnerId: string): Promise<Schema['partners']> {
  const row = await tx
    .selectFrom('partners')
    .selectAll()
    .where('id', '=', partnerId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('partner')
  return row
}

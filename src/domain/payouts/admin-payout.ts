import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { iso, timestamp } from '../../core/fields.ts'
import { type Payout, PayoutView, viewPayout } from './payout.ts'

/** A payout as operators see it. */
export const AdminPayoutView = PayoutView.extend({
  partner_id: z.string(),
  environment: z.enum(ENVIRONMENTS),
  reason: z.string().nullable(),
  batch_id: z
    .string()
    .nullable()
    .describe('The file for the bank that it was written to, or null.'),
  transfer_ref: z.string().nullable().describe('What a provider calls the transfer that pays it.'),
  is_being_sent: z
    .boolean()
    .describe('Whether a provider has been asked to send it, and has not said more.'),
  created_by: z.string().nullable().describe('Who made it; null: the calendar.'),
  approved_by: z.string().nullable().describe('Who approved it, or null.'),
  approved_at: timestamp.nullable(),
})

export function viewForOperator(payout: Payout): z.output<typeof AdminPayoutView> {
  const { partner_id, environment, reason, batch_id, created_by, approved_by, approved_at } = payout
  return {
    ...viewPayout(payout),
    partner_id,
    environment,
    reason,
    batch_id,
    transfer_ref: payout.transfer_ref,
    is_being_sent: payout.due_at !== null,
    created_by,
    approved_by,
    approved_at: iso(approved_at),
  }
}

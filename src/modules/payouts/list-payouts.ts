import { z } from 'zod'
import { readPage } from '../../kernel/cursor.ts'
import type { Database } from '../../kernel/database/dialect.ts'
import { notFound } from '../../kernel/errors.ts'
import { iso, paging } from '../../kernel/fields.ts'
import { type Partner, partnerRead, type ReadContext } from '../../kernel/operation.ts'
import { requireAffiliate } from '../referrals/referral-link.ts'
import {
  PAYOUT_STATUSES,
  type Payout,
  PayoutLineView,
  PayoutView,
  readLines,
  viewPayout,
} from './payout.ts'

/** A year of monthly ones. */
const LATEST = 12

const Input = z.object({
  status: z.enum(PAYOUT_STATUSES).optional(),
  ...paging,
})

const Output = z.object({
  payouts: z.array(PayoutView),
  /** Of all payouts that were paid, whatever the filter. */
  total_paid_cents: z.int(),
  next_cursor: z.string().nullable(),
})

export const listPayouts = partnerRead({
  name: 'list_payouts',
  summary: 'What the house paid you, newest first',
  method: 'GET',
  path: '/payouts',
  scope: 'report',
  input: Input,
  output: Output,
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  handler: (context, input) => readPayouts(context, input),
})

export const listOwnPayouts = partnerRead({
  name: 'list_own_payouts',
  summary: 'What the house paid you as an affiliate, newest first',
  method: 'GET',
  path: '/me/payouts',
  scope: 'report',
  input: Input,
  output: Output,
  status: 200,
  errors: ['validation_error', 'invalid_cursor', 'forbidden'],
  refuseCaller: requireAffiliate,
  handler: readPayouts,
})

async function readPayouts(
  { db, partner }: ReadContext & { partner: Partner },
  { limit, cursor, status }: z.output<typeof Input>,
): Promise<z.output<typeof Output>> {
  const bound = { list: 'payouts', ...partner, status }
  const own = db
    .selectFrom('payouts')
    .where('partner_id', '=', partner.partnerId)
    .where('environment', '=', partner.environment)
  let query = own.selectAll()
  if (status) query = query.where('status', '=', status)
  const [{ rows, next_cursor }, paid] = await Promise.all([
    readPage(query, 'id', { cursor, limit, bound }),
    own
      .where('status', '=', 'paid')
      .select((row) => row.fn.sum<string | null>('amount_cents').as('total'))
      .executeTakeFirstOrThrow(),
  ])
  return { payouts: rows.map(viewPayout), total_paid_cents: Number(paid.total ?? 0), next_cursor }
}

/** What the house paid a user for domains of theirs that it sold: the latest, newest first. */
export async function latestPayouts(db: Database, userId: string): Promise<Payout[]> {
  return await db
    .selectFrom('payouts as o')
    .innerJoin('partners as p', 'p.id', 'o.partner_id')
    .selectAll('o')
    .where('p.user_id', '=', userId)
    .where('o.environment', '=', 'live')
    .orderBy('o.id', 'desc')
    .limit(LATEST)
    .execute()
}

export const getPayout = partnerRead({
  name: 'get_payout',
  summary: 'One payout with the commissions that it pays',
  method: 'GET',
  path: '/payouts/{id}',
  scope: 'report',
  input: z.object({ id: z.string() }),
  output: PayoutView.extend({ lines: z.array(PayoutLineView) }),
  status: 200,
  errors: ['not_found'],
  async handler({ db, partner }, { id }) {
    const payout = await db
      .selectFrom('payouts')
      .selectAll()
      .where('id', '=', id)
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
      .executeTakeFirst()
    if (!payout) throw notFound('payout')
    const lines = await readLines(db, id)
    return {
      ...viewPayout(payout),
      lines: lines.map((entry) => ({
        entry_id: entry.id,
        sale_id: entry.sale_id,
        type: entry.type,
        amount_cents: entry.amount_cents,
        currency: entry.currency,
        created_at: iso(entry.created_at),
      })),
    }
  },
})

import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import { readPage } from '../../core/cursor.ts'
import { notFound } from '../../core/errors.ts'
import { centsView, idField, iso, nextCursor, paging } from '../../core/fields.ts'
import { partnerRead, type ReadContext } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
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
  status: z.enum(PAYOUT_STATUSES).optional().describe('Only payouts in this status.'),
  ...paging,
})

const Output = z.object({
  payouts: z.array(PayoutView).describe('The payouts, newest first.'),
  total_paid_cents: centsView(0).describe(
    'The sum of all payouts that were paid, in cents, whatever the filter.',
  ),
  next_cursor: nextCursor,
})

export const listPayouts = partnerRead({
  name: 'list_payouts',
  tag: 'Settlements',
  summary: 'List payouts',
  description:
    'Returns the payouts of what you earned at the hosted checkout, by brokerage and by tracked links, newest first. ' +
    'Operators make payouts of commissions that have become payable.',
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
  tag: 'Referral',
  summary: 'List your payouts as an affiliate',
  description:
    'Returns the payouts of your commissions, newest first. It is the same list as `GET /payouts`, beside the other ' +
    'reports for affiliates, and gives `forbidden` to a partner who is none.',
  method: 'GET',
  path: '/me/payouts',
  scope: 'report',
  input: Input,
  output: Output,
  status: 200,
  errors: ['validation_error', 'invalid_cursor', 'forbidden'],
  assertCaller: requireAffiliate,
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

/** What the marketplace paid a user for domains of theirs that it sold: the latest, newest first. */
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
  tag: 'Settlements',
  summary: 'Get a payout',
  description:
    'Returns one of your payouts with the commissions that it pays; the amounts of its lines add up to its own.',
  method: 'GET',
  path: '/payouts/{id}',
  scope: 'report',
  input: z.object({ id: idField('po').describe('The payout to get.') }),
  output: PayoutView.extend({
    lines: z
      .array(PayoutLineView)
      .describe('The commissions that it pays, in the order in which they came.'),
  }).meta({ id: 'Payout', description: 'A payment of what you earned, with its lines.' }),
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

import { z } from 'zod'
import { page, readCursor } from '../../core/cursor.ts'
import {
  centsView,
  createdAt,
  currencyField,
  currencyView,
  idField,
  iso,
  nextCursor,
  paging,
} from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { COMMISSION_TYPES } from '../ledger/commissions.ts'
import { requireAffiliate } from './referral-link.ts'

const EntryView = z
  .object({
    id: idField('cme').describe('The id of the entry.'),
    type: z
      .enum(COMMISSION_TYPES)
      .describe(
        '`accrued` by a sale, `pending` a payout, `paid_out`, or `reversed` with the sale.',
      ),
    amount_cents: centsView(12_950).describe(
      'What the entry adds to the balance, in cents; `pending` adds nothing.',
    ),
    balance_cents: centsView(12_950).describe('The balance after the entry, in cents.'),
    currency: currencyView,
    sale_id: idField('ord').describe(
      'What earned it: the `public_id` of an order, or the `case_id` of a brokerage case.',
    ),
    created_at: createdAt,
  })
  .meta({ id: 'CommissionEntry' })

export const listCommissions = partnerRead({
  name: 'list_commissions',
  tag: 'Referral',
  summary: 'List commissions',
  description:
    'Returns the entries of your commissions in one currency, newest first, each with the balance after it, and the current ' +
    'balance: what you earned and were not paid yet. Available to affiliates; other partners get `forbidden`.',
  method: 'GET',
  path: '/me/commissions',
  scope: 'report',
  input: z.object({
    currency: currencyField
      .default(HOME_CURRENCY)
      .describe('The ISO 4217 code of the currency. Each currency has a balance of its own.'),
    ...paging,
  }),
  output: z.object({
    entries: z.array(EntryView).describe('The entries, newest first.'),
    balance_cents: centsView(12_950).describe('The current balance, in cents.'),
    next_cursor: nextCursor,
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor', 'forbidden'],
  assertCaller: requireAffiliate,
  async handler({ db, partner }, { currency, limit, cursor }) {
    const bound = { list: 'commissions', ...partner, currency }
    const before = readCursor(cursor, bound)
    const own = { partner_id: partner.partnerId, environment: partner.environment, currency }
    let query = db
      .selectFrom('commission_entries')
      .selectAll()
      .where((row) => row.and(own))
      // Not by id: positions follow commits, as the balances do.
      .orderBy('position', 'desc')
      .limit(limit + 1)
    if (before) {
      query = query.where('position', '<', (from) =>
        from
          .selectFrom('commission_entries')
          .select('position')
          .where('id', '=', before)
          .where((row) => row.and(own)),
      )
    }
    const [rows, head] = await Promise.all([
      query.execute(),
      db
        .selectFrom('commission_balances')
        .select('balance_cents')
        .where((row) => row.and(own))
        .executeTakeFirst(),
    ])
    const { items, next_cursor } = page(
      rows,
      limit,
      bound,
      (entry) => entry.id,
      ({ id, type, amount_cents, balance_cents, sale_id, created_at }) => ({
        id,
        type,
        amount_cents,
        balance_cents,
        currency,
        sale_id,
        created_at: iso(created_at),
      }),
    )
    return { entries: items, balance_cents: head?.balance_cents ?? 0, next_cursor }
  },
})

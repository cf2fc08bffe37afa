import { z } from 'zod'
import { page, readCursor } from '../../kernel/cursor.ts'
import { currencyField, iso, paging, timestamp } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { COMMISSION_TYPES } from '../ledger/commissions.ts'
import { requireAffiliate } from './referral-link.ts'

export const listCommissions = partnerRead({
  name: 'list_commissions',
  summary: 'What the house owes you in commissions, entry by entry, newest first',
  method: 'GET',
  path: '/me/commissions',
  scope: 'report',
  input: z.object({
    /** Balances of different currencies do not add up. */
    currency: currencyField.default(HOME_CURRENCY),
    ...paging,
  }),
  output: z.object({
    entries: z.array(
      z.object({
        id: z.string(),
        type: z.enum(COMMISSION_TYPES),
        /** What the entry adds to the balance; `pending` adds nothing. */
        amount_cents: z.int(),
        /** The balance after it. */
        balance_cents: z.int(),
        currency: z.string(),
        sale_id: z.string(),
        created_at: timestamp,
      }),
    ),
    balance_cents: z.int(),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor', 'forbidden'],
  refuseCaller: requireAffiliate,
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

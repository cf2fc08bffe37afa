import { sql } from 'kysely'
import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { notAllowedNow, notFound } from '../../core/errors.ts'
import { iso, paging, textField, timestamp } from '../../core/fields.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { FINANCE, READERS } from '../../core/roles.ts'
import { lockCharge, updateCharge } from '../payments/charge.ts'

/** Names were renewed, and the bank did not pay for them. */
export const isUncaptured = sql<boolean>`status = 'failed' and capture_cents > 0`

export const listUncapturedCharges = adminRead({
  name: 'list_uncaptured_charges',
  roles: READERS,
  summary: 'List renewals that were performed and not paid for, newest first',
  method: 'GET',
  path: '/uncaptured-charges',
  input: z.object(paging),
  output: z.object({
    charges: z.array(
      z.object({
        charge_id: z.string(),
        user_id: z.string(),
        /** What was renewed. */
        domains: z.array(z.string()),
        /** What it costs. */
        amount_cents: z.int(),
        currency: z.string(),
        /** What the payment provider said. */
        reason: z.string().nullable(),
        failed_at: timestamp,
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor }) {
    const query = db
      .selectFrom('charges')
      .select(['id', 'user_id', 'capture_cents', 'currency', 'reason', 'updated_at'])
      .select(
        sql<string[]>`array(select domain from renewals
          where charge_id = charges.id and status = 'renewed' order by domain)`.as('domains'),
      )
      .where(isUncaptured)
    const bound = { list: 'uncaptured_charges' }
    const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
    const charges = rows.map(({ id, capture_cents, updated_at, ...row }) => ({
      charge_id: id,
      user_id: row.user_id,
      domains: row.domains,
      amount_cents: capture_cents ?? 0,
      currency: row.currency,
      reason: row.reason,
      failed_at: iso(updated_at),
    }))
    return { charges, next_cursor }
  },
})

/** Nothing of it was ever booked, so nothing is booked now. */
export const writeOffCharge = adminWrite({
  name: 'write_off_charge',
  roles: FINANCE,
  summary: 'Say that renewals are paid another way, or never will be',
  method: 'POST',
  path: '/uncaptured-charges/{charge_id}/write-off',
  input: z.object({
    charge_id: z.string(),
    reason: textField(1000).min(1, 'must not be empty').describe('Why, for the audit log.'),
  }),
  output: z.object({ charge_id: z.string(), written_off_cents: z.int(), currency: z.string() }),
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now }, { charge_id }) {
    const known = await tx
      .selectFrom('charges')
      .select('id')
      .where('id', '=', charge_id)
      .executeTakeFirst()
    if (!known) throw notFound('charge')
    const { status, capture_cents, currency } = await lockCharge(tx, charge_id)
    if (status !== 'failed' || !capture_cents) {
      throw notAllowedNow('charge', status, 'Nothing of this charge waits to be paid.')
    }
    await updateCharge(tx, charge_id, now, { capture_cents: 0 })
    return { charge_id, written_off_cents: capture_cents, currency }
  },
})

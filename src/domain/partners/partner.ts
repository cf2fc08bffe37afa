import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import type { Environment, Partner } from '../../core/caller.ts'
import { notFound } from '../../core/errors.ts'
import { iso, timestamp } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { PartnerBrandView } from './partner-brand.ts'

/** The marketplace itself, as the partner of what it sells on its own pages; made by the migration. */
export const MARKETPLACE_PARTNER = 'prt_00000000000000000000000000'

export function marketplaceIn(environment: Environment): Partner {
  return { partnerId: MARKETPLACE_PARTNER, environment }
}

export const PartnerView = z.object({
  partner_id: z.string(),
  /** The user who is paid by this row for domains that they sold; null for partners. */
  user_id: z.string().nullable(),
  name: z.string(),
  email: z.string(),
  status: z.enum(['active', 'suspended']),
  affiliate_id: z.string().nullable(),
  partner_collected_bps: z.int(),
  brokerage_bps: z.int(),
  hosted_checkout_bps: z.int(),
  referral_bps: z.int(),
  credit_limit_cents: z
    .int()
    .nullable()
    .describe('What it may owe before orders are held; null: no limit.'),
  orders_per_hour: z
    .int()
    .nullable()
    .describe('Orders an hour before they are held; null: no limit.'),
  brand: PartnerBrandView.describe(
    'What the checkout looks like behind its links; null: like the marketplace.',
  ),
  live_approved_at: timestamp.nullable(),
  created_at: timestamp,
})

export function viewPartner(
  row: Selectable<Schema['partners']>,
  affiliateId: string | null,
): z.output<typeof PartnerView> {
  return {
    partner_id: row.id,
    user_id: row.user_id,
    name: row.name,
    email: row.email,
    status: row.status,
    affiliate_id: affiliateId,
    partner_collected_bps: row.partner_collected_bps,
    brokerage_bps: row.brokerage_bps,
    hosted_checkout_bps: row.hosted_checkout_bps,
    referral_bps: row.referral_bps,
    credit_limit_cents: row.credit_limit_cents,
    orders_per_hour: row.orders_per_hour,
    brand: row.brand,
    live_approved_at: iso(row.live_approved_at),
    created_at: iso(row.created_at),
  }
}

/** A partner as operators see it, or `not_found`. */
export async function findPartner(db: Pick<Tx, 'selectFrom'>, partnerId: string) {
  const row = await db
    .selectFrom('partners as p')
    .leftJoin('affiliates as a', 'a.partner_id', 'p.id')
    .selectAll('p')
    .select('a.id as affiliate_id')
    .where('p.id', '=', partnerId)
    .executeTakeFirst()
  if (!row) throw notFound('partner')
  return viewPartner(row, row.affiliate_id)
}

export async function isSuspended(db: Pick<Tx, 'selectFrom'>, partnerId: string): Promise<boolean> {
  const row = await db
    .selectFrom('partners')
    .select('status')
    .where('id', '=', partnerId)
    .executeTakeFirst()
  return row?.status === 'suspended'
}

/** What partners are called, for lists of what is theirs. */
export async function partnerNames(
  db: Pick<Tx, 'selectFrom'>,
  partnerIds: readonly string[],
): Promise<Map<string, string>> {
  const ids = [...new Set(partnerIds)]
  const rows = await db
    .selectFrom('partners')
    .select(['id', 'name'])
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Lets a partner that this transaction holds sell for real; since when does not change. */
export async function allowLive(
  tx: Tx,
  now: Date,
  { id, live_approved_at }: Selectable<Schema['partners']>,
): Promise<void> {
  if (live_approved_at !== null) return
  await tx.updateTable('partners').set({ live_approved_at: now }).where('id', '=', id).execute()
}

/** The partner's row, held for this transaction, or `not_found`. The marketplace's own row is nobody's to change. */
export async function lockPartner(
  tx: Tx,
  partnerId: string,
): Promise<Selectable<Schema['partners']>> {
  const row = await tx
    .selectFrom('partners')
    .selectAll()
    .where('id', '=', partnerId)
    .where('id', '<>', MARKETPLACE_PARTNER)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('partner')
  return row
}

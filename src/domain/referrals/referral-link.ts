import { randomBytes } from 'node:crypto'
import type { Partner } from '../../core/caller.ts'
import type { OtherReason } from '../../core/conflict-reasons.ts'
import { ApiError } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'

export const LINK_TYPES = ['generic', 'domain', 'product'] as const
export type LinkType = (typeof LINK_TYPES)[number]
export type ReferralLink = Schema['referral_links']

const CODE_BYTES = 9

/** Short enough to be read out, and not to be guessed. */
export function newCode(): string {
  return randomBytes(CODE_BYTES).toString('base64url')
}

/** Held, so that no reset takes it away, or waits, between the rows that count a visit of it. */
export async function findByCode(
  tx: Pick<Tx, 'selectFrom'>,
  code: string,
): Promise<ReferralLink | undefined> {
  return await tx
    .selectFrom('referral_links')
    .selectAll()
    .where('code', '=', code)
    .forKeyShare()
    .executeTakeFirst()
}

/** Referral is for partners with an affiliate account (specification, Scopes). */
export async function requireAffiliate(
  db: Pick<Tx, 'selectFrom'>,
  { partnerId }: Partner,
): Promise<void> {
  const linked = await db
    .selectFrom('affiliates')
    .select('id')
    .where('partner_id', '=', partnerId)
    .executeTakeFirst()
  if (linked) return
  throw new ApiError(
    'forbidden',
    'This credential is not linked to an affiliate account. Ask the marketplace to link one.',
    { details: { reason: 'affiliate_not_linked' satisfies OtherReason } },
  )
}

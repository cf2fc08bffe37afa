import { randomBytes } from 'node:crypto'
import { Refusal } from '../../kernel/errors.ts'
import type { Environment, Partner, Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    referral_links: {
      id: string
      partner_id: string
      environment: Environment
      code: string
      type: LinkType
      domain: string | null
      product: string | null
      destination: string
      label: string | null
      created_at: Date
    }
  }
}

export const LINK_TYPES = ['generic', 'domain', 'product'] as const
type LinkType = (typeof LINK_TYPES)[number]
export type ReferralLink = Schema['referral_links']

const CODE_BYTES = 9

/** Short enough to be read out, and not to be guessed. */
export function newCode(): string {
  return randomBytes(CODE_BYTES).toString('base64url')
}

export async function findByCode(
  db: Pick<Tx, 'selectFrom'>,
  code: string,
): Promise<ReferralLink | undefined> {
  return await db
    .selectFrom('referral_links')
    .selectAll()
    .where('code', '=', code)
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
  throw new Refusal(
    'forbidden',
    'This credential is not linked to an affiliate account. Ask the house to link one.',
    { details: { reason: 'affiliate_not_linked' } },
  )
}

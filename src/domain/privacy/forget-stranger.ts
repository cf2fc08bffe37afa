import type { Tx } from '../../core/operation.ts'
import { listMembers } from '../accounts/member.ts'
import { removeFactors } from '../accounts/second-factor.ts'
import { mustFindUser } from '../accounts/user.ts'
import { revokeAllOf } from '../partners/revoke-credential.ts'
import { findSellerPartner } from '../partners/seller-partner.ts'
import { forgetPayees } from '../payees/payee.ts'
import { type PaymentMethod, removeMethods } from '../payments/payment-method.ts'

/**
 * Anybody can open an account with anybody's address. Once its owner is known, what could lock them out, be paid in their
 * place or act for them is taken away.
 *
 * @returns the cards that their providers are to forget
 */
export async function forgetStranger(tx: Tx, now: Date, userId: string): Promise<PaymentMethod[]> {
  await removeFactors(tx, userId)
  const sellerPartner = await findSellerPartner(tx, userId)
  if (sellerPartner !== null) await forgetPayees(tx, sellerPartner)
  const { partner_id } = await mustFindUser(tx, userId)
  if (partner_id !== null && (await isUnknown(tx, partner_id))) {
    await revokeAllOf(tx, now, partner_id)
    await forgetPayees(tx, partner_id)
  }
  return await removeMethods(tx, now, userId)
}

/** Nobody else belongs to the partner, and no operator has let it sell on the live market. */
async function isUnknown(tx: Tx, partnerId: string): Promise<boolean> {
  const { live_approved_at } = await tx
    .selectFrom('partners')
    .select('live_approved_at')
    .where('id', '=', partnerId)
    .executeTakeFirstOrThrow()
  return live_approved_at === null && (await listMembers(tx, partnerId)).length === 1
}

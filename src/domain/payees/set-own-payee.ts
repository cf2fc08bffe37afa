import type { PageCaller } from '../../core/caller.ts'
import { pageWrite, type Tx } from '../../core/operation.ts'
import { lockAsMember } from '../accounts/member.ts'
import { assertConfirmed, mustFindUser } from '../accounts/user.ts'
import { lockPartner } from '../partners/partner.ts'
import { sellerPartnerOf } from '../partners/seller-partner.ts'
import { bankAccountField } from './bank-account.ts'
import { PayeeView, storePayee, viewPayee } from './payee.ts'

/**
 * A person sets where their partner, or they themselves for the domains that they sell, are paid. The page asks for a
 * second sign-in step before it (contract, section 17).
 */
export const setOwnPayee = pageWrite({
  name: 'set_own_payee',
  input: bankAccountField,
  output: PayeeView,
  audit: (_input, { country, currency, account_masked }, { partner, user }) => ({
    subject: partner?.partnerId ?? user?.id ?? null,
    input: { country, currency, account_masked },
  }),
  async handler(context, account) {
    const { tx, now, caller } = context
    const by = caller.user?.email ?? ''
    const partner = await lockPaid(tx, now, caller)
    const payee = await storePayee(context, partner, account, by)
    return viewPayee(payee, caller.partner?.environment ?? 'live', now)
  },
})

/** Who is paid: the caller's partner, or the one by which they are paid for domains that they sell. */
export async function lockPaid(
  tx: Tx,
  now: Date,
  caller: PageCaller,
): ReturnType<typeof lockPartner> {
  const user = await mustFindUser(tx, caller.user?.id ?? '')
  // Else the owner of the address, once they come, would be paid to a stranger's account.
  assertConfirmed(user)
  if (caller.partner) return await lockAsMember(tx, caller)
  return await lockPartner(tx, await sellerPartnerOf(tx, now, user))
}

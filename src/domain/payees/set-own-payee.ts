import { pageWrite } from '../../core/operation.ts'
import { lockAsMember } from '../accounts/member.ts'
import { mustFindUser } from '../accounts/user.ts'
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
    const partner = caller.partner
      ? await lockAsMember(tx, caller)
      : await lockPartner(
          tx,
          await sellerPartnerOf(tx, now, await mustFindUser(tx, caller.user?.id ?? '')),
        )
    const payee = await storePayee(context, partner, account, by)
    return viewPayee(payee, caller.partner?.environment ?? 'live', now)
  },
})

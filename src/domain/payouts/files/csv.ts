import { stringify } from '../../../lib/csv.ts'
import { unitsOf } from '../../../lib/money.ts'
import { accountOf } from '../../payees/bank-account.ts'
import type { PayoutFile } from './payout-file.ts'

/** For banks whose portal takes a table: `id, amount, currency, name, account, bank`. */
export const csvFile: PayoutFile = {
  format: 'csv',
  needsPayer: false,
  write: ({ payouts }) =>
    stringify(
      ['id', 'amount', 'currency', 'name', 'account', 'bank'],
      payouts.map(({ id, amountCents, currency, account }) => ({
        id,
        amount: unitsOf(amountCents, currency),
        currency,
        name: account.name,
        account: accountOf(account),
        bank: account.bic ?? account.routing_number ?? '',
      })),
    ),
}

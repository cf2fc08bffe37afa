import type { Environment } from '../../src/core/caller.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { postCommissions } from '../../src/domain/ledger/commissions.ts'
import type { PartnerClient } from './client.ts'
import type { TestService } from './service.ts'

let sales = 0

/** Credits a partner with a commission that can be paid out at once. */
export async function earned(
  service: TestService,
  { partner_id }: Pick<PartnerClient, 'partner_id'>,
  environment: Environment,
  cents: number,
  currency = 'USD',
): Promise<void> {
  sales += 1
  const now = service.clock.now()
  const sale = { type: 'accrued', kind: 'sale', saleId: `sale ${sales}`, payableAt: now } as const
  await inTransaction(service.app, (tx) =>
    tx.executeQuery(
      postCommissions(tx, now, { partnerId: partner_id, environment }, currency, [
        { ...sale, cents },
      ]),
    ),
  )
}

import { observeOwnedDomain } from '../domain/domains/owned-domain.ts'
import { finishChange, finishRenewal } from '../domain/domains/renew-at-registrar.ts'
import { checkSoon } from '../domain/orders/check-transfers.ts'
import { finishDelivery } from '../domain/orders/finish-delivery.ts'
import { finishForSale } from '../domain/registrars/for-sale-records.ts'
import { settleByHand } from '../domain/registrars/manage-operations.ts'
import type { Finisher } from '../domain/registrars/settle-operation.ts'

/** What goes on when a registrar operation has ended. */
export const FINISHERS: readonly Finisher[] = [
  finishRenewal,
  finishChange,
  finishDelivery,
  finishForSale,
]

export const settleOperation = settleByHand(FINISHERS)

/** What a registrar says of a domain that is a user's here. */
export const observeDomain = observeOwnedDomain

/** What goes on when a registrar says that a transfer began or ended. */
export const onTransfer = checkSoon

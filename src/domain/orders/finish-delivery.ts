import { iso } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import { raiseAlert } from '../../core/raise-alert.ts'
import { type RegistrarOperation, secretPurpose } from '../registrars/operation.ts'
import type { Finisher } from '../registrars/settle-operation.ts'
import { deliverySource, lockOrderIfAny } from './order.ts'
import { moveOrder, writeOrder } from './status.ts'
import { awaiting, provideCode } from './transfer-code.ts'

/** What the registrar said to the transfer of an order, unless the order has moved on. */
export const finishDelivery: Finisher = {
  concerns: ({ public_id }) => public_id !== null,
  async finish({ tx, now, app }, operation, result) {
    const { public_id, source, status, op, error, secret, operation_id, registrar_id } = operation
    if (op === 'clear_auth_code') return await tellUncleared(tx, now, operation)
    // The order of a sandbox that was reset is gone.
    const order = await lockOrderIfAny(tx, public_id ?? '')
    if (!order) return
    if (order.status !== 'TRANSFER_IN_PROGRESS' || source !== deliverySource(order)) return
    if (status === 'failed') {
      const reason = `The registrar rejected the transfer: ${error?.message ?? 'no reason given'}`
      await moveOrder({ tx, now, app }, order, 'fail', reason)
      return
    }
    if (op === 'set_auth_code' && secret) {
      const code = result.authCode ?? app.secrets.open(secret, secretPurpose(operation_id))
      await provideCode({ tx, now, app }, order, code)
      return
    }
    if (registrar_id === null) return await writeOrder(tx, awaiting(order, now))
    // The domain has left our account for the one that was named.
    const note = `Pushed into the account ${order.delivery.account} by ${operation.registrar}.`
    const iana = order.transfer_registrar?.iana_id ?? null
    const proof = { source: 'registrar', at: iso(now), registrar_iana_id: iana, note } as const
    // A push changes nothing that the registry shows.
    const delivered = { proof, registry: null }
    await moveOrder({ tx, now, app }, awaiting(order, now), 'complete', null, delivered)
  },
}

/** The code of an order that was taken back can still be used. */
async function tellUncleared(tx: Tx, now: Date, operation: RegistrarOperation): Promise<void> {
  const { environment, status, operation_id, public_id, domain, registrar, error } = operation
  if (status !== 'failed') return
  const type = 'alert.code_not_cleared'
  const data = { public_id, domain, registrar, operation_id, reason: error?.message ?? null }
  await tx.executeQuery(raiseAlert(tx, now, { environment, type, cause: operation_id, data }))
}

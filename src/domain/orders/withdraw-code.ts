import type { Tx } from '../../core/operation.ts'
import { queueOperation, SIMULATED } from '../registrars/operation.ts'
import type { Order } from './order.ts'

/** After a transfer that failed or was refunded, the code is good no more and the domain is locked again. */
export async function withdrawCode(tx: Tx, now: Date, order: Order): Promise<void> {
  const { transfer_connection, public_id, domain, environment, transfer_number } = order
  if (order.status !== 'TRANSFER_IN_PROGRESS' || order.delivery.method !== 'auth_code') return
  if (transfer_connection === null) return
  const registrar =
    transfer_connection === SIMULATED
      ? null
      : await tx
          .selectFrom('registrars')
          .select(['id', 'name'])
          .where('id', '=', transfer_connection)
          .executeTakeFirst()
  if (registrar === undefined) return
  await queueOperation(
    { tx, now },
    {
      environment,
      domain,
      command: { op: 'clear_auth_code' },
      registrar,
      source: `order:${public_id}:${transfer_number}:clear`,
      publicId: public_id,
    },
  )
}

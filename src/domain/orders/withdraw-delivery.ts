import { conflict } from '../../core/errors.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import { queueOperation, SIMULATED } from '../registrars/operation.ts'
import { mayBeSent, withdrawOperation } from '../registrars/settle-operation.ts'
import { deliverySource, type Order } from './order.ts'

type Context = Pick<WriteContext, 'tx' | 'now' | 'app'>

/** After a transfer that failed or was refunded, its registrar is to do nothing more for it. */
export async function withdrawDelivery(context: Context, order: Order): Promise<void> {
  if (order.delivery.method === 'push') await withdrawPush(context, order)
  if (order.delivery.method === 'auth_code') await withdrawCode(context, order)
}

/** Whether the domain may be on its way to the buyer, or with them already, by a push that has not ended. */
export async function isPushUnderWay(tx: Tx, order: Order): Promise<boolean> {
  return order.delivery.method === 'push' && (await mayBeSent(tx, deliverySource(order)))
}

/** Throws `conflict` where the push may be under way. */
async function withdrawPush(context: Context, order: Order): Promise<void> {
  const reason = 'The transfer was ended before this was sent.'
  if (await withdrawOperation(context, deliverySource(order), reason)) return
  throw conflict(
    'not_allowed_now',
    `The push of ${order.domain} may be under way at its registrar. Try again once it has ended.`,
    { status: order.status },
  )
}

/** The code is good no more, and the domain is locked again. */
async function withdrawCode({ tx, now }: Context, order: Order): Promise<void> {
  const { transfer_connection, public_id, domain, environment, transfer_number } = order
  if (order.status !== 'TRANSFER_IN_PROGRESS' || transfer_connection === null) return
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

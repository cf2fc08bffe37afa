import type { Actor } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import { isSamePerson, needsSecondPerson } from '../../core/four-eyes.ts'
import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Order } from './order.ts'

/**
 * A refund above FOUR_EYES_CENTS is wanted by one operator and done by another, who does the same. What is wanted is
 * written before the move is rejected, so outside its transaction.
 */
export async function requestRefundOf(
  app: AppContext,
  publicId: string,
  actor: Actor,
): Promise<void> {
  if (app.settings.fourEyesCents === undefined) return
  const order = await app.db
    .selectFrom('orders')
    .select(['public_id', 'sale_price_cents'])
    .where('public_id', '=', publicId)
    .executeTakeFirst()
  if (!order || !needsSecondPerson(app.settings, await paidCents(app.db, order))) return
  const { public_id } = order
  await inTransaction(app, (tx) =>
    tx
      .insertInto('refund_requests')
      .values({
        public_id,
        requested_by: actor.name,
        requested_by_person: actor.person,
        requested_at: app.clock.now(),
      })
      .onConflict((known) => known.column('public_id').doNothing())
      .execute(),
  )
}

/** Rejects a refund that nobody else has asked for. */
export async function assertAskedByOther(
  tx: Tx,
  settings: Pick<Settings, 'fourEyesCents'>,
  order: Pick<Order, 'public_id' | 'sale_price_cents'>,
  actor: Actor,
): Promise<void> {
  if (!needsSecondPerson(settings, await paidCents(tx, order))) return
  const request = await tx
    .selectFrom('refund_requests')
    .selectAll()
    .where('public_id', '=', order.public_id)
    .executeTakeFirst()
  if (
    request &&
    !isSamePerson({ name: request.requested_by, person: request.requested_by_person }, actor)
  ) {
    return
  }
  throw conflict(
    'approval_required',
    'The order is above FOUR_EYES_CENTS. Your request is recorded: the refund is made once another operator requests the same.',
    { requested_by: actor.name },
  )
}

/** What the buyer paid, tax included; the price where a partner collected it. In cents of the order's currency. */
async function paidCents(
  db: Pick<Tx, 'selectFrom'>,
  { public_id, sale_price_cents }: Pick<Order, 'public_id' | 'sale_price_cents'>,
): Promise<number> {
  const payment = await db
    .selectFrom('payments')
    .select('amount_cents')
    .where('public_id', '=', public_id)
    .executeTakeFirst()
  return payment?.amount_cents ?? sale_price_cents
}

import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import type { Job } from '../../core/jobs.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, MINUTE } from '../../lib/clock.ts'
import { findRegistrars } from '../registrars/find-registrar.ts'
import { lockOrder, type Order } from './order.ts'
import { NOT_VERIFIED } from './review.ts'
import { moveOrder, writeOrder } from './status.ts'

const BATCH = 100

/**
 * Clears orders that are held since nothing proves that their domains are ours, once a connected registrar shows
 * them in our account (contract, section 16).
 */
export const releaseFound: Job = {
  name: 'release_found_orders',
  everyMs: MINUTE,
  queriesUpstream: true,
  async run(app, signal) {
    const orders = await due(app)
    const domains = orders.map(({ domain }) => domain)
    const registrars = await findRegistrars(app, 'live', domains)
    for (const { public_id, domain } of orders) {
      if (signal.aborted) return
      const found = registrars.get(domain)
      const isOurs = typeof found === 'object' && found !== null && !(found instanceof ApiError)
      await look(app, public_id, isOurs ? found.name : null)
    }
  },
}

async function due({ db, clock, settings }: AppContext): Promise<Order[]> {
  const before = after(clock.now(), -settings.transferCheckMinutes * MINUTE)
  return await db
    .selectFrom('orders')
    .selectAll()
    .where('held', '=', true)
    .where('hold_reason', '=', NOT_VERIFIED)
    .where('status', 'in', ['PAID', 'EXTERNALLY_PAID'])
    .where((row) =>
      row.or([row('transfer_checked_at', 'is', null), row('transfer_checked_at', '<=', before)]),
    )
    .orderBy('public_id')
    .limit(BATCH)
    .execute()
}

async function look(app: AppContext, publicId: string, registrar: string | null): Promise<void> {
  const now = app.clock.now()
  await inTransaction(app, async (tx) => {
    const order = await lockOrder(tx, publicId)
    if (!order.held || order.hold_reason !== NOT_VERIFIED) return
    const looked = { ...order, transfer_checked_at: now }
    // What else it waits for, an operator decides.
    const isSuspect = order.timeline.some(({ type }) => type === 'payment.suspect')
    if (registrar === null || isSuspect) await writeOrder(tx, looked)
    else await moveOrder({ tx, now, app }, looked, 'clear', `It is in our account at ${registrar}.`)
  })
}

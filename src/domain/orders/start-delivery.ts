import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import type { RegistrySaid, TransferRegistrar } from '../events/transfer-view.ts'
import { newAuthCode } from '../registrars/auth-code.ts'
import type { RegistrarCommand } from '../registrars/driver.ts'
import { findRegistrarOf, type Performer } from '../registrars/find-registrar.ts'
import { withdrawForSale } from '../registrars/for-sale-records.ts'
import { queueOperation, SIMULATED } from '../registrars/operation.ts'
import { deliverySource, type Order } from './order.ts'
import { askNow, saidBy, simulatedRegistry } from './registry-said.ts'
import { askSellerForCode } from './seller-code.ts'
import { writeOrder } from './status.ts'
import { awaiting, type DeliveryContext } from './transfer-code.ts'

/** Where a domain is before its transfer, and who can act there. */
export interface Origin {
  performer: Performer
  registrar: TransferRegistrar | null
  /** What the registry said of it. */
  said: RegistrySaid | null
}

/** Asks registrar and registry, so it is called outside transactions. */
async function originOf(
  app: AppContext,
  { environment, domain }: Pick<Order, 'environment' | 'domain'>,
): Promise<Origin> {
  if (environment === 'sandbox') return SANDBOX_ORIGIN
  const performer = await findRegistrarOf(app, environment, domain)
  const result = await askNow(app, domain)
  return { performer, registrar: result.record?.registrar ?? null, said: saidBy(result) }
}

const SIMULATED_REGISTRAR: TransferRegistrar = { iana_id: null, name: 'Simulated registrar' }
/** In the sandbox nothing real is behind a domain. */
export const SANDBOX_ORIGIN: Origin = {
  performer: SIMULATED,
  registrar: SIMULATED_REGISTRAR,
  said: null,
}

/** Whether a connected registrar has the domain in our account. */
export function isAtConnection(origin: Origin | null): boolean {
  return origin !== null && origin.performer !== null && origin.performer !== SIMULATED
}

/** The same for an order by its id, before it is locked. */
export async function originOfOrder(app: AppContext, publicId: string): Promise<Origin> {
  const order = await app.db
    .selectFrom('orders')
    .select(['environment', 'domain'])
    .where('public_id', '=', publicId)
    .executeTakeFirst()
  if (!order) throw notFound('order')
  return await originOf(app, order)
}

/**
 * A transfer has started: the registrar is asked for what the buyer needs. Where no connection can do it, an
 * operator does, and gives the code or completes the order; a seller whose registrar is theirs alone is asked for it.
 * A domain that stays here needs nothing but the registrar's word that it is.
 */
export async function startDelivery(
  { tx, now, app }: DeliveryContext,
  order: Order,
  { performer, registrar, said }: Origin,
): Promise<Order> {
  const command = commandOf(order)
  const isAble =
    performer !== null &&
    (performer === SIMULATED || command === null || performer.capabilities.includes(command.op))
  const connection = !isAble ? null : performer === SIMULATED ? SIMULATED : performer.id
  const before = order.environment === 'sandbox' ? simulatedRegistry(now, registrar) : said
  const started = {
    ...order,
    transfer_registrar: registrar,
    transfer_registry: { before, after: null },
    transfer_connection: connection,
  }
  await writeOrder(tx, started)
  // Before a push takes the zone along.
  if (order.environment === 'live') await withdrawForSale({ tx, now }, order.domain)
  if (!isAble || command === null) {
    const isAwaited = command === null || (await askSellerForCode(tx, now, app.settings, started))
    if (!isAwaited) return started
    const awaited = awaiting(started, now)
    await writeOrder(tx, awaited)
    return awaited
  }
  await queueOperation(
    { tx, now, app },
    {
      environment: order.environment,
      domain: order.domain,
      command,
      registrar: performer === SIMULATED ? null : performer,
      source: deliverySource(order),
      publicId: order.public_id,
    },
  )
  return started
}

/** Null for a domain that stays in our account. */
function commandOf({ delivery }: Order): RegistrarCommand | null {
  if (delivery.method === 'push') return { op: 'push', account: delivery.account ?? '' }
  return delivery.method === 'auth_code' ? { op: 'set_auth_code', authCode: newAuthCode() } : null
}

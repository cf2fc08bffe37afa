import { parseDomainName } from 'domain-marketplace-domain-names'
import { type RawBuilder, sql } from 'kysely'
import { ENVIRONMENTS, type Environment } from '../../core/caller.ts'
import type { Database } from '../../db/dialect.ts'
import { ORDER_STATUSES } from '../events/event-view.ts'
import type { Order, OrderStatus } from './order.ts'

export interface OrderFilters {
  environment?: Environment | undefined
  partner_id?: string | undefined
  status?: OrderStatus | undefined
  /** Paid, to whomever, and not held: the transfer can start. */
  to_start?: boolean | undefined
  held?: boolean | undefined
  /** A domain, or an order's id. */
  q?: string | undefined
}

/**
 * Orders of all partners, newest first. Of each environment and status the newest are read by their index
 * and merged, so a page costs the same however many orders there are, and however rare what is looked for.
 */
export async function findOrders(
  db: Database,
  filters: OrderFilters,
  before: string | null,
  limit: number,
): Promise<Order[]> {
  const { environment, partner_id } = filters
  const held = filters.to_start ? false : filters.held
  const statuses = statusesOf(filters)
  const environments = environment ? [environment] : [...ENVIRONMENTS]
  const ofKind = sql`o.environment = any (${environments}::text[])
    and ${statuses === undefined ? sql`true` : sql`o.status = any (${statuses}::text[])`}`
  const conditions = sql.join(
    [
      sql`true`,
      ...(partner_id === undefined ? [] : [sql`o.partner_id = ${partner_id}`]),
      // As a literal: planned for any value of a parameter, the statement could not use the index of held ones.
      ...(held === undefined ? [] : [held ? sql`o.held` : sql`not o.held`]),
      ...(before === null ? [] : [sql`o.public_id < ${before}`]),
    ],
    sql` and `,
  )
  const { rows } = await sql<Order>`
    select o.* from ${source({ ...filters, held }, environments, conditions, limit)} as o
    where ${ofKind} and ${conditions} order by o.public_id desc limit ${limit}`.execute(db)
  return rows
}

function statusesOf({ to_start, status }: OrderFilters): OrderStatus[] | undefined {
  if (to_start) return ['EXTERNALLY_PAID', 'PAID']
  return status && [status]
}

function source(
  filters: OrderFilters,
  environments: Environment[],
  conditions: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  const { q, held } = filters
  if (q?.startsWith('ord_')) return sql`(select * from orders where public_id = ${q})`
  if (q !== undefined) {
    const domain = parseDomainName(q)?.domain ?? q
    return sql`(
      select o.* from unnest(${environments}::text[]) as e (environment),
        lateral ${ordersOf(sql`e.environment`, domain)} as o)`
  }
  if (held) return sql`orders`
  // Literals, so that the database knows which statuses are rare, and takes their index. Only ids, which that
  // index holds: else it may walk through the newest orders of all, few of which are SETTLED. Nothing of the kind
  // is asked once more as a parameter: the database would no longer see that the index has them in order.
  const arms = environments.flatMap((environment) =>
    (statusesOf(filters) ?? ORDER_STATUSES).map(
      (each) => sql`(
        select o.public_id from orders as o
        where o.environment = ${sql.lit(environment)} and o.status = ${sql.lit(each)} and ${conditions}
        order by o.public_id desc limit ${limit})`,
    ),
  )
  return sql`(
    select * from orders where public_id = any (array(
      select public_id from (${sql.join(arms, sql` union all `)}) as newest
      order by public_id desc limit ${limit})))`
}

/** All orders of a domain, in two halves, as the indexes have them. */
export function ordersOf(environment: RawBuilder<unknown>, domain: string): RawBuilder<unknown> {
  return sql`(
    select * from orders where environment = ${environment} and domain = ${domain}
      and status not in ('REFUNDED', 'CANCELLED', 'TRANSFER_COMPLETED', 'SETTLED')
    union all
    select * from orders where environment = ${environment} and domain = ${domain}
      and status in ('REFUNDED', 'CANCELLED', 'TRANSFER_COMPLETED', 'SETTLED'))`
}

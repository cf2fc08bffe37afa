import type { DatabaseServer } from '../../src/db/server.ts'

const ORDER_OF_EVENT = `e.data -> 'order' ->> 'public_id'`

/** Live's listings, and those of each partner's sandbox. */
const INVENTORY = `(
  select environment, null as owner, domain, status, reserved_by from listings where environment = 'live'
  union all select environment, partner_id, domain, status, reserved_by from sandbox_listings) as l`
const IS_OWN = `(l.owner is null or l.owner = o.partner_id)`

/** What the database must never show, whatever moment the service died at; each query finds nothing. */
const HALF_DONE: Record<string, string> = {
  'an order without exactly one sale in the ledger': `
    select public_id from orders o where (select count(*) from ledger_transactions t
      where t.source = o.public_id and t.code = any (array['sale', 'charge'])) <> 1`,
  'an order whose delivery and ledger differ': `
    select public_id from orders o where (select count(*) from ledger_transactions t
      where t.source = o.public_id and t.code = 'delivery') <> (transfer_completed_at is not null)::int`,
  'an order whose refund and ledger differ': `
    select public_id from orders o where (select count(*) from ledger_transactions t
      where t.source = o.public_id and t.code = 'refund') <> (status in ('REFUNDED', 'CANCELLED'))::int
      or (select count(*) from refunds r where r.public_id = o.public_id)
        <> (status in ('REFUNDED', 'CANCELLED'))::int`,
  'an order in two statements, or settled without its period': `
    select o.public_id from orders o left join settlements s on s.id = o.settlement_id
    where (o.status = 'SETTLED') <> (s.status is not distinct from 'closed')
      or (select count(distinct t.settlement_id) from ledger_transactions t
        where t.source = o.public_id) > 1`,
  'a ledger transaction that has no cause': `
    select id from ledger_transactions t where split_part(t.source, ':', 1) not in (
      select public_id from orders
      union all select id from settlements where status = 'closed'
      union all select id from payments
      union all select case_id from brokerage_cases
      union all select id from payouts)`,
  'a ledger transaction that is empty or out of balance': `
    select t.id from ledger_transactions t left join ledger_entries e on e.transaction_id = t.id
    group by t.id having count(e.account) < 2 or sum(e.amount_cents) <> 0`,
  'a commission balance that its entries do not add up to': `
    select partner_id from commission_balances b where balance_cents <> (
      select coalesce(sum(amount_cents), 0) from commission_entries e
      where (e.partner_id, e.environment, e.currency) = (b.partner_id, b.environment, b.currency))`,
  'an order whose timeline, status and events differ': `
    with told as (
      select ${ORDER_OF_EVENT} as public_id, array_agg(e.type order by e.position) as types,
        (array_agg(e.data -> 'order' ->> 'status' order by e.position desc))[1] as status
      from events e group by 1
    )
    select o.public_id from orders o left join told using (public_id)
    where o.status is distinct from told.status or told.types is distinct from (
      select array_agg(step ->> 'type' order by place)
      from jsonb_array_elements(o.timeline) with ordinality as t (step, place))`,
  'an event without its order or case': `
    select id from events e
    where coalesce(${ORDER_OF_EVENT}, e.data -> 'case' ->> 'case_id', 'none') not in (
      select public_id from orders union all select case_id from brokerage_cases)`,
  'a gap among the events': `
    select s.partner_id from event_streams s join events e using (partner_id, environment)
    group by s.partner_id, s.environment, s.last_position
    having max(e.position) <> s.last_position or count(*) <> s.last_position or min(e.position) <> 1`,
  'an event that an endpoint will not get': `
    select e.id from events e join webhook_endpoints w using (partner_id, environment)
    where w.active and e.created_at > w.created_at and not exists (
      select 1 from webhook_deliveries d where d.endpoint_id = w.id and d.event_id = e.id)`,
  'a delivery that was made without an attempt': `
    select id from webhook_deliveries d where status = 'delivered' and not exists (
      select 1 from webhook_attempts a where a.delivery_id = d.id
        and a.response_status between 200 and 299)`,
  'a quote that was used by none or by two, or an order whose quote was not used': `
    select q.id from quotes q where (q.status = 'consumed')::int
      <> (select count(*) from orders o where o.quote_id = q.id)`,
  'a domain whose sale and listing differ': `
    select domain from ${INVENTORY} where (status = 'sold')::int <> (select count(*) from orders o
      where o.environment = l.environment and o.domain = l.domain and ${IS_OWN}
        and o.status not in ('REFUNDED', 'CANCELLED'))`,
  'an order without its listing': `
    select domain from orders o where not exists (
      select from ${INVENTORY} where l.environment = o.environment and l.domain = o.domain and ${IS_OWN})`,
  'a reservation without its quote': `
    select domain from ${INVENTORY} where reserved_by is not null and status = 'listed'
      and not exists (select 1 from quotes q where q.id = l.reserved_by and q.domain = l.domain)`,
  'a payment whose order, session or refund differs': `
    select p.id from payments p left join checkout_sessions s on s.id = p.session_id
    where (p.status = 'succeeded' and s.public_id is distinct from p.public_id)
      or (p.status = 'succeeded' and p.public_id is null)
      or (p.status = 'refund_due' and p.due_at is null)`,
  'an idempotency record without its answer': `
    select key from idempotency_keys where status is null or body is null`,
  'orders that no record answers for': `
    select partner_id, environment from orders o where payment_model = 'partner_collected'
    group by partner_id, environment having count(*) > (select count(*) from idempotency_keys
      where path = '/api/partner/v1/orders' and subject = o.partner_id || ':' || o.environment)`,
}

/** Everything half done that the database shows, as sentences; none, if all is well. */
export async function findHalfDone(server: DatabaseServer): Promise<string[]> {
  const found: string[] = []
  const session = await server.acquirePatient()
  for (const [what, sql] of Object.entries(HALF_DONE)) {
    const { rows } = await session.query(sql, [])
    if (rows.length > 0) found.push(`${what}: ${JSON.stringify(rows.slice(0, 3))}`)
  }
  session.release()
  return found
}

import type pg from 'pg'
import { ADMIN_TOKEN, type Contender, ROOT, startService, withContenders } from './contenders.ts'
import { type Line, report } from './report.ts'
import type { Suite } from './suite.ts'
import { median } from './workload.ts'

const PASSWORD = 'correct horse battery'
const EMAIL = 'both@example.com'
const PARTNER = 'prt_bench'
const SIZES = [1_000, 100_000] as const
/** A span of time is long enough to fill a page in either house. */
const PAGES = [
  ...[
    '',
    '/orders',
    '/orders?status=EXTERNALLY_PAID',
    '/orders?from=2026-05-01&to=2026-06-08',
    '/quotes',
    '/checkout-sessions',
    '/transactions',
    '/settlements',
    '/deliveries',
    '/deliveries?result=failed',
    '/events',
    '/events?type=order.settled',
    '/events?from=2026-05-01&to=2026-06-08',
    '/requests',
    '/requests?outcome=refused',
  ].map((page) => `/partner/live${page}`),
  ...[
    '',
    '/review',
    '/transfers',
    '/orders',
    '/orders?q=d500-',
    '/cases',
    '/settlements',
    '/payments',
    '/payouts',
    '/partners',
    `/partners/${PARTNER}`,
    '/webhooks',
    '/listings',
    '/imports',
    '/prices',
    '/users',
    '/audit',
  ].map((page) => `/operator${page}`),
  '/',
  '/browse',
  '/browse?q=name',
  '/browse?tld=com&sort=length',
  '/browse?length=12',
] as const

/**
 * The pages of a house with a thousand orders and listings and of one with a hundred thousand, in turn:
 * nobody should wait longer in the one than in the other.
 */
export const pages: Suite = async ({ field, options: { rounds } }) => {
  const starting = SIZES.map((size) => startService('ours', ROOT, { ...field, listings: size }))
  await withContenders(starting, async (services) => {
    const cookies: string[] = []
    for (const [index, service] of services.entries()) {
      await fillPartner(service.database.client, SIZES[index] ?? 0)
      cookies.push(await signIn(service))
      await service.database.client.query('vacuum analyze')
    }
    const lines: Line[] = []
    for (const page of PAGES) {
      const took: number[][] = SIZES.map(() => [])
      for (let round = 0; round <= rounds; round++) {
        for (const [index, service] of services.entries()) {
          const start = performance.now()
          await read(service, page, cookies[index] ?? '')
          // The first round warms up.
          if (round > 0) took[index]?.push(performance.now() - start)
        }
      }
      const medians = took.map(median)
      for (const [index, rows] of SIZES.entries()) {
        const medianMs = medians[index] ?? 0
        lines.push({
          workload: page,
          who: 'ours',
          rows,
          perSecond: 1000 / medianMs,
          medianMs,
          p99Ms: Math.max(...(took[index] ?? [])),
          serverUs: null,
          databaseUs: null,
          ofBare: null,
          ofBareByCpu: null,
          growth: index === 0 ? null : medianMs / (medians[0] ?? 0),
        })
      }
    }
    report(
      'pages',
      'Pages of the portal, the console and the marketplace, one at a time: orders and listings of the house; growth by time',
      lines,
    )
  })
}

async function read({ port }: Contender, path: string, cookie: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { cookie },
    redirect: 'manual',
  })
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  await response.arrayBuffer()
}

/** An account that belongs to the partner and is an operator's, and the cookie of its session. */
async function signIn({ port }: Contender): Promise<string> {
  const admin = async (method: string, path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as { user_id: string }
  }
  const account = { email: EMAIL, password: PASSWORD, domains: [] }
  const { user_id } = await admin('POST', '/users', account)
  await admin('PUT', `/users/${user_id}`, { partner_id: PARTNER, operator: true })
  const response = await fetch(`http://127.0.0.1:${port}/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ email: EMAIL, password: PASSWORD }).toString(),
    redirect: 'manual',
  })
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

/** A partner with so many orders over the last 400 days, and all that comes with them. */
async function fillPartner(client: pg.Client, count: number): Promise<void> {
  const own = `'${PARTNER}'`
  for (const statement of [
    `insert into partners (id, name, email, status, live_approved_at, partner_collected_bps,
      hosted_checkout_bps, referral_bps, created_at)
    values (${own}, 'Bench', 'b@example.com', 'active', now(), 1000, 1000, 500, now())`,
    `create or replace function pg_temp.ulid(at timestamptz, number bigint) returns text language sql as $$
      select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
        ((((extract(epoch from at) * 1000)::bigint >> (5 * place)) & 31) + 1)::integer, 1), ''
        order by place desc) || lpad(number::text, 16, '0')
      from generate_series(0, 9) as place
    $$`,
    `create temp table made as select i, 'd' || i || '-sold.com' as domain, at,
      pg_temp.ulid(at, i) as ulid
    from (select i, now() - interval '400 days' * ((${count} - i)::float / ${count}) as at
      from generate_series(1::bigint, ${count}) as i) as moments`,
    `insert into listings (environment, domain, label, tld, price_cents, floor_price_cents, currency, status,
      metadata, listed_at, updated_at)
    select 'live', domain, split_part(domain, '.', 1), 'com', 10000, 10000, 'USD', 'sold', '{}', at, at
    from made`,
    `insert into quotes
    select 'qt_' || ulid, ${own}, 'live', domain, 10000, 'USD', 'consumed', at, at + interval '10 minutes'
    from made`,
    `insert into orders (public_id, partner_id, environment, domain, status, payment_model,
      sale_price_cents, currency, commission_bps, commission_cents, held, quote_id, external_payment_ref,
      buyer, transfer_status, timeline, created_at, updated_at)
    select 'ord_' || ulid, ${own}, 'live', domain, 'EXTERNALLY_PAID', 'partner_collected', 10000, 'USD',
      1000, 1000, false, 'qt_' || ulid, 'ref-' || i,
      '{"email": "b@example.com", "name": null, "country": null}', 'pending', '[]', at, at
    from made`,
    `insert into checkout_sessions (id, partner_id, environment, domain, price_cents, currency, status,
      buyer, metadata, created_at, updated_at, expires_at)
    select 'cs_' || ulid, ${own}, 'live', domain, 10000, 'USD', 'open', '{}', '{}', at, at,
      at + interval '7 days' from made`,
    `insert into event_streams values (${own}, 'live', ${count})`,
    `insert into events select 'evt_' || ulid, ${own}, 'live', i, 'order.recorded',
      json_build_object('order', json_build_object('public_id', 'ord_' || ulid, 'domain', domain)), at
    from made`,
    `insert into webhook_endpoints values ('wh_${count}', ${own}, 'live', 'https://example.com', '', false,
      null, null, now(), now())`,
    `insert into webhook_deliveries (id, endpoint_id, event_id, status, attempts, due_at, created_at)
    select 'del_' || ulid, 'wh_${count}', 'evt_' || ulid, 'delivered', 1, at, now() from made`,
    `insert into webhook_attempts select 'att_' || ulid, 'del_' || ulid, 'wh_${count}', 'evt_' || ulid,
      'order.recorded', 1, 200, null, 20, at, null from made`,
    `insert into request_log (id, partner_id, environment, key_id, method, route, target, status, code,
      authenticated, address, duration_ms, at)
    select 'req_' || ulid, ${own}, 'live', 'pk_live_bench', 'GET', '/api/partner/v1/orders',
      '/api/partner/v1/orders', 200, case when i % 1000 = 0 then 'not_found' end, true, '127.0.0.1', 1, at
    from made`,
    `insert into sale_days
      (partner_id, environment, date, payment_model, status, currency, count, gmv_cents, commission_cents)
    select ${own}, 'live', (at at time zone 'UTC')::date, 'partner_collected', 'EXTERNALLY_PAID', 'USD',
      count(*), 10000 * count(*), 1000 * count(*) from made group by 3`,
    'drop table made',
  ]) {
    await client.query(statement)
  }
}

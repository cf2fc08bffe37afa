import type { AppContext } from '../src/core/context.ts'
import type { PartnerRead } from '../src/core/operation.ts'
import { kyselyOver } from '../src/db/dialect.ts'
import { connectPostgres } from '../src/db/postgres.ts'
import { getAnalytics } from '../src/domain/referrals/get-analytics.ts'
import { listCommissions } from '../src/domain/referrals/list-commissions.ts'
import { listTransactions } from '../src/domain/transactions/list-transactions.ts'
import { systemClock } from '../src/lib/clock.ts'
import { type BenchDatabase, createDatabase, dropDatabases, migrateDatabase } from './databases.ts'
import { type Line, report } from './report.ts'
import type { Suite } from './suite.ts'
import { median } from './workload.ts'

const DAYS = 365
const CALLS = 200

/** What the reading endpoints of referral, and the history of sales, take as the history behind them grows. */
export const commissions: Suite = async ({ field, options: { sizes } }) => {
  const { url, client } = await createDatabase(field.serverUrl, 'commissions')
  try {
    await migrateDatabase(url)
    for (const size of sizes) await fillHistory(client, size)
    await client.query(
      `insert into listings (environment, domain, label, tld, price_cents, floor_price_cents, currency,
        status, metadata, tokens, listed_at, updated_at)
      values ('live', 'bench.test', 'bench', 'test', 10000, 10000, 'USD', 'listed', '{}', '{bench}',
        '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')`,
    )
    for (const size of sizes) await fillOrders(client, size)
    await client.query(
      `insert into sale_days
        (partner_id, environment, date, payment_model, status, currency, count, gmv_cents, commission_cents)
      select partner_id, environment, (created_at at time zone 'UTC')::date, payment_model, status,
        currency, count(*), sum(sale_price_cents), 0
      from orders group by 1, 2, 3, 4, 5, 6`,
    )
    await client.query('vacuum analyze')
    const server = connectPostgres(url, 4)
    const app = { db: kyselyOver(server), clock: systemClock } as AppContext
    const lines: Line[] = []
    for (const [workload, operation, input] of READS) {
      const times = sizes.map(() => [] as number[])
      for (let call = 0; call < CALLS + 20; call++) {
        for (const [index, size] of sizes.entries()) {
          const before = performance.now()
          await operation.handler(
            {
              db: app.db,
              app,
              now: app.clock.now(),
              partner: { partnerId: `prt_bench_${size}`, environment: 'live' },
            },
            input,
          )
          if (call >= 20) times[index]?.push(performance.now() - before)
        }
      }
      const medians = times.map(median)
      for (const [index, size] of sizes.entries()) {
        const medianMs = medians[index] ?? 0
        lines.push({
          workload,
          who: 'ours',
          rows: size,
          perSecond: 1000 / medianMs,
          medianMs,
          p99Ms: times[index]?.toSorted((a, b) => a - b)[Math.floor(CALLS * 0.99)] ?? null,
          serverUs: null,
          databaseUs: null,
          ofBare: null,
          ofBareByCpu: null,
          growth: index === 0 ? null : medianMs / (medians[0] ?? 0),
        })
      }
    }
    await client.end()
    await server.close()
    report('commissions', 'Reports over a growing history, one at a time, without HTTP', lines)
  } finally {
    await dropDatabases()
  }
}

const READS: [workload: string, operation: PartnerRead, input: Record<string, unknown>][] = [
  ['commissions, newest 50', listCommissions, { currency: 'USD', limit: 50 }],
  [
    'analytics, one month',
    getAnalytics,
    { from: new Date('2026-06-01'), to: new Date('2026-07-01') },
  ],
  ['analytics, a year', getAnalytics, {}],
  [
    'transactions, of one day',
    listTransactions,
    { from: new Date('2026-06-01'), to: new Date('2026-06-02'), limit: 50 },
  ],
  [
    'transactions, parts of days',
    listTransactions,
    { from: new Date('2026-02-01T09:00Z'), to: new Date('2026-06-01T15:00Z'), limit: 50 },
  ],
  ['transactions, newest 50', listTransactions, { limit: 50 }],
  ['transactions, of one status', listTransactions, { status: 'REFUNDED', limit: 50 }],
]

async function fillHistory(client: BenchDatabase['client'], size: number): Promise<void> {
  const partner = `prt_bench_${size}`
  await client.query(
    `insert into partners (id, name, email, status, partner_collected_bps, hosted_checkout_bps,
        referral_bps, created_at)
      values ($1, 'Bench', 'bench@example.com', 'active', 0, 1000, 500, '2026-01-01T00:00:00Z')`,
    [partner],
  )
  await client.query(`insert into affiliates values ('aff_' || $1, $1, '2026-01-01T00:00:00Z')`, [
    partner,
  ])
  await client.query(
    `insert into referral_links (id, partner_id, environment, code, type, destination, created_at)
      values ('lnk_' || $1, $1, 'live', $1, 'generic', '/', '2026-01-01T00:00:00Z')`,
    [partner],
  )
  // Row by row they would take hours; what stands here is what the service's own statements leave.
  await client.query(
    `with moments as (
        select n, timestamptz '2026-01-01T00:00:00Z' + n * (interval '1 day' * $3 / $2) as at
        from generate_series(1, $2::int) as n
      ), entered as (
        insert into ledger_transactions (id, environment, partner_id, code, source, currency, at)
        select 'txn_' || $2 || '_' || n, 'live', $1, 'commission', 'ord_' || $2 || '_' || n, 'USD', at
        from moments returning id
      )
      insert into commission_entries (id, transaction_id, partner_id, environment, currency, position,
        type, kind, amount_cents, balance_cents, sale_id, payable_at, created_at)
      select 'cme_' || lpad(to_hex($2::int), 8, '0') || lpad(n::text, 18, '0'), 'txn_' || $2 || '_' || n, $1,
        'live', 'USD', n, 'accrued', 'commission', 500, n * 500::bigint, 'ord_' || $2 || '_' || n, at, at
      from moments`,
    [partner, size, DAYS],
  )
  await client.query(
    `insert into commission_balances values ($1, 'live', 'USD', $2::bigint * 500, $2::bigint)`,
    [partner, size],
  )
  await client.query(
    `insert into referral_days (partner_id, environment, date, link_id, clicks, unique_clicks, checkouts,
        sales, gmv_cents, commission_cents)
      select $1, 'live', date '2026-01-01' + n, 'lnk_' || $1, $2 / 10, $2 / 20, $2 / 200, $2 / $3,
        $2::bigint * 10000 / $3, $2::bigint * 500 / $3
      from generate_series(0, $3::int - 1) as n`,
    [partner, size, DAYS],
  )
  await client.query(
    `insert into referral_totals (partner_id, environment, date, clicks, unique_clicks, checkouts, sales,
        gmv_cents, commission_cents)
      select partner_id, environment, date, clicks, unique_clicks, checkouts, sales, gmv_cents, commission_cents
      from referral_days where partner_id = $1`,
    [partner],
  )
}

/** One name, sold and taken back over and over, stands for as many names: its rows are as long. */
async function fillOrders(client: BenchDatabase['client'], size: number): Promise<void> {
  await client.query(
    `insert into orders (public_id, partner_id, environment, domain, status, payment_model,
      sale_price_cents, currency, commission_bps, commission_cents, held, buyer, transfer_status, timeline,
      created_at, updated_at)
    select 'ord_' || lpad(to_hex($2::int), 8, '0') || lpad(n::text, 18, '0'), $1, 'live', 'bench.test',
      'REFUNDED', 'hosted_checkout', 10000, 'USD', 500, 500, false, '{"email":"buyer@example.com"}',
      'cancelled', '[]', timestamptz '2026-01-01T00:00:00Z' + n * (interval '1 day' * $3 / $2),
      '2026-01-01T00:00:00Z'
    from generate_series(1, $2::int) as n`,
    [`prt_bench_${size}`, size, DAYS],
  )
}

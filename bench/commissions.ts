import { performance } from 'node:perf_hooks'
import { kyselyOver } from '../src/kernel/database/dialect.ts'
import { connectPostgres } from '../src/kernel/database/postgres.ts'
import type { House } from '../src/kernel/house.ts'
import type { PartnerRead } from '../src/kernel/operation.ts'
import { systemClock } from '../src/lib/clock.ts'
import { getAnalytics } from '../src/modules/referrals/get-analytics.ts'
import { listCommissions } from '../src/modules/referrals/list-commissions.ts'
import { createDatabase, dropDatabases, migrateDatabase } from './databases.ts'
import { median } from './workload.ts'

/**
 * What the reading endpoints of referral take as the history behind them grows: `node --import tsx
 * bench/commissions.ts`, on the server that DATABASE_URL names. The database is dropped again.
 */
const SIZES = [10_000, 1_000_000]
const DAYS = 365
const CALLS = 200
const SERVER = process.env.DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres'

try {
  const { url, client } = await createDatabase(SERVER, 'commissions')
  await migrateDatabase(url)
  for (const size of SIZES) {
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
  }
  await client.query('analyze')

  const server = connectPostgres(url, 4)
  const house = { db: kyselyOver(server), clock: systemClock } as House
  const reads: [title: string, operation: PartnerRead, input: Record<string, unknown>][] = [
    ['GET /me/commissions, newest 50', listCommissions, { currency: 'USD', limit: 50 }],
    [
      'GET /analytics, one month',
      getAnalytics,
      { from: new Date('2026-06-01'), to: new Date('2026-07-01') },
    ],
    ['GET /analytics, all the year', getAnalytics, {}],
  ]
  for (const [title, operation, input] of reads) {
    for (const size of SIZES) {
      const context = {
        db: house.db,
        house,
        now: house.clock.now(),
        partner: { partnerId: `prt_bench_${size}`, environment: 'live' as const },
      }
      const milliseconds: number[] = []
      for (let call = 0; call < CALLS + 20; call++) {
        const before = performance.now()
        await operation.handler(context, input)
        if (call >= 20) milliseconds.push(performance.now() - before)
      }
      console.log(
        `${title.padEnd(32)} ${String(size).padStart(9)} entries  ${median(milliseconds).toFixed(2)} ms`,
      )
    }
  }
  await client.end()
  await server.close()
} finally {
  await dropDatabases()
}

import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openEmbedded } from '../../src/db/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { MARKETPLACE_PARTNER } from '../../src/domain/partners/partner.ts'

const MIGRATIONS = new URL('../../migrations/', import.meta.url)
const OURS = '0037-sandbox-per-partner.sql'

/** What a version that shared its sandbox's listings has of sales, quotes and payments. */
const SHARED = `
  insert into partners select (jsonb_populate_record(p, jsonb_build_object('id', own, 'email', own || '@example.com'))).*
  from partners p, unnest(array['prt_one', 'prt_two']) as own where p.id = '${MARKETPLACE_PARTNER}';
  insert into listings (environment, domain, label, tld, price_cents, floor_price_cents, currency, status, reserved_by,
    reserved_until, metadata, listed_at, updated_at)
  select environment::environment, domain, 'x', 'test', 100, 100, 'USD', status, reserved_by,
    case when reserved_by is not null then timestamptz '2030-01-01' end, '{}', now(), now()
  from (values ('sandbox', 'sold.test', 'sold', null), ('sandbox', 'returned.test', 'listed', null),
      ('sandbox', 'quoted.test', 'listed', 'qt_1'), ('sandbox', 'paying.test', 'listed', 'pay_1'),
      ('sandbox', 'brought.test', 'listed', 'pay_2'), ('live', 'sold.test', 'sold', null),
      ('live', 'quoted.test', 'listed', 'qt_2')) as l (environment, domain, status, reserved_by);
  insert into quotes (id, partner_id, environment, domain, price_cents, currency, status, created_at, expires_at)
  values ('qt_1', 'prt_one', 'sandbox', 'quoted.test', 100, 'USD', 'active', now(), now()),
    ('qt_2', 'prt_one', 'live', 'quoted.test', 100, 'USD', 'active', now(), now());
  insert into orders (public_id, partner_id, environment, domain, status, payment_model, sale_price_cents, currency,
    commission_bps, commission_cents, held, buyer, transfer_status, timeline, created_at, updated_at)
  select id, partner, environment::environment, domain, status, 'partner_collected', 100, 'USD', 0, 0, false, '{}',
    'pending', '[]', now(), now()
  from (values ('ord_1', 'prt_one', 'sandbox', 'sold.test', 'REFUNDED'),
      ('ord_2', 'prt_two', 'sandbox', 'sold.test', 'TRANSFER_COMPLETED'),
      ('ord_3', 'prt_one', 'sandbox', 'returned.test', 'CANCELLED'),
      ('ord_4', 'prt_one', 'live', 'sold.test', 'EXTERNALLY_PAID')) as o (id, partner, environment, domain, status);
  insert into referral_links (id, partner_id, environment, code, type, destination, created_at)
  values ('lnk_1', 'prt_two', 'sandbox', 'code', 'generic', '/', now());
  insert into checkout_sessions (id, partner_id, environment, domain, price_cents, currency, status, buyer, metadata,
    link_id, clicked_at, created_at, updated_at, expires_at)
  select 'cs_' || place, partner, 'sandbox', domain, 100, 'USD', 'open', '{}', '{}', link,
    case when link is not null then now() end, now(), now(), now()
  from (values (1, 'prt_one', 'paying.test', null),
    (2, '${MARKETPLACE_PARTNER}', 'brought.test', 'lnk_1')) as s (place, partner, domain, link);
  insert into payments (id, session_id, partner_id, environment, provider, amount_cents, currency, status, attempts,
    refund_round, created_at, updated_at)
  select 'pay_' || right(id, 1), id, partner_id, environment, 'test', 100, 'USD', 'processing', 0, 1, now(), now()
  from checkout_sessions;`

test('an upgrade gives each partner what it had reserved and bought, and leaves live as it was', async () => {
  const server = await openEmbedded('memory://')
  const session = await server.acquirePatient()
  const earlier = (await readdir(MIGRATIONS)).filter((file) => /^\d{4}-.*\.sql$/.test(file))
  await session.query('create table migrations (name text primary key)', [])
  for (const file of earlier.toSorted().filter((name) => name < OURS)) {
    await session.query(await readFile(new URL(file, MIGRATIONS), 'utf8'), [])
    await session.query('insert into migrations values ($1)', [file.replace('.sql', '')])
  }
  await session.query(SHARED, [])
  session.release()

  await migrate(server)

  const after = await server.acquirePatient()
  const read = async (sql: string) => (await after.query(sql, [])).rows
  expect(
    await read(
      'select partner_id, domain, status, reserved_by from sandbox_listings order by domain',
    ),
  ).toEqual([
    { partner_id: 'prt_two', domain: 'brought.test', status: 'listed', reserved_by: 'pay_2' },
    { partner_id: 'prt_one', domain: 'paying.test', status: 'listed', reserved_by: 'pay_1' },
    { partner_id: 'prt_one', domain: 'quoted.test', status: 'listed', reserved_by: 'qt_1' },
    { partner_id: 'prt_two', domain: 'sold.test', status: 'sold', reserved_by: null },
  ])
  expect(
    await read(
      "select environment, domain from listings where status <> 'listed' or reserved_by is not null order by domain",
    ),
  ).toEqual([
    { environment: 'live', domain: 'quoted.test' },
    { environment: 'live', domain: 'sold.test' },
  ])
  after.release()
  await server.close()
})

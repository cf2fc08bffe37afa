import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { must } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const MANY = 45_000
const AT_ONCE = 20_000
const DAY = 86_400_000

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** From now on no statement may remove more of a table's rows than a few thousands. */
async function guard(table: string): Promise<void> {
  const { server } = service.app
  await server.query(
    `create or replace function few_at_once() returns trigger language plpgsql as $$ begin
      if (select count(*) from gone) > ${AT_ONCE} then raise exception 'too many at once'; end if;
      return null;
    end $$`,
    [],
  )
  await server.query(
    `create trigger few_at_once after delete on ${table} referencing old table as gone
      for each statement execute function few_at_once()`,
    [],
  )
}

async function names(table: string, column: string): Promise<unknown[]> {
  const { rows } = await service.app.server.query(`select ${column} as name from ${table}`, [])
  return rows.map(({ name }) => name)
}

async function run(job: string): Promise<void> {
  const began = service.clock.now()
  must(await service.admin('POST', `/jobs/${job}/run`), 202)
  await vi.waitFor(
    async () => {
      const { jobs } = must(await service.admin('GET', '/jobs'), 200).body
      const { finished_at, error } = jobs.find(({ name }: { name: string }) => name === job)
      expect(error).toBeNull()
      expect(new Date(finished_at).getTime()).toBeGreaterThanOrEqual(began.getTime())
    },
    { timeout: 20_000, interval: 50 },
  )
}

test.each([
  ['purge_nonces', 'nonces', 'nonce'],
  ['purge_idempotency_keys', 'idempotency_keys', 'key'],
  ['purge_rate_windows', 'rate_windows', 'subject'],
])('%s takes what is over, little by little, and nothing else', async (job, table, column) => {
  const now = service.clock.now().getTime()
  const columns = {
    nonces: '(key_id, nonce, expires_at) select $3, n, t',
    idempotency_keys:
      '(subject, method, path, key, fingerprint, status, body, created_at, expires_at) ' +
      "select $3, 'POST', '/', n, '', 200, '', t, t",
    rate_windows: '(subject, used, ends_at) select $3 || n, 1, t',
  }[table]
  const fill = (count: number, name: string, at: number) =>
    service.app.server.query(
      `insert into ${table} ${columns} from (
        select $1 || i as n, $2::timestamptz as t from generate_series(1, ${count}) i) as r`,
      [name, new Date(at), 'of-this-test-'],
    )
  await guard(table)
  await fill(MANY, 'over', now - DAY)
  await fill(2, 'kept', now + DAY)
  await run(job)
  const left = (await names(table, column)).map(String).filter((name) => /over|kept/.test(name))
  expect(left.map((name) => name.replace('of-this-test-', '')).toSorted()).toEqual([
    'kept1',
    'kept2',
  ])
})

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectPostgres } from '../../src/db/postgres.ts'
import { type DatabaseServer, DatabaseUnavailable } from '../../src/db/server.ts'
import { POSTGRES } from '../support/database.ts'

const AT_ONCE = 60

/** Three are shared, and the first one is open before transactions take what there is. */
const LIMIT = 6

describe.runIf(POSTGRES)('a role that may have fewer connections than the pool', () => {
  const role = `marketplace_test_few_${randomBytes(4).toString('hex')}`
  let admin: pg.Client
  let server: DatabaseServer
  beforeAll(async () => {
    admin = new pg.Client({ connectionString: POSTGRES })
    await admin.connect()
    await admin.query(`create role ${role} login password 'few' connection limit ${LIMIT}`)
    server = connect()
  })
  afterAll(async () => {
    await server.close()
    await admin.query(`drop role ${role}`)
    await admin.end()
  })

  function connect(): DatabaseServer {
    const url = Object.assign(new URL(POSTGRES ?? ''), { username: role, password: 'few' })
    return connectPostgres(url.href, 20)
  }

  async function transaction(): Promise<void> {
    const session = await server.acquire()
    try {
      await session.query('begin', [])
      await session.query('select pg_sleep(0.01)', [])
      await session.query('commit', [])
    } finally {
      session.release()
    }
  }

  test('makes do with those that it has: transactions wait, and statements share', async () => {
    await server.query('select 1', [])
    for (let round = 0; round < 3; round++) {
      const work = Array.from({ length: AT_ONCE }, (_, index) =>
        index % 2 === 0 ? transaction() : server.query('select pg_sleep(0.001)', []),
      )
      const failed = (await Promise.allSettled(work)).filter(({ status }) => status === 'rejected')
      expect(failed).toEqual([])
    }
    const { inUse, idle, waiting, limit, refused } = server.connections?.() ?? {}
    expect({ inUse, waiting, limit }).toEqual({ inUse: 0, waiting: 0, limit: 20 })
    expect(idle).toBeLessThan(LIMIT)
    expect(refused).toBeGreaterThan(0)
  })

  test('that has none left says so at once', async () => {
    await admin.query(`alter role ${role} connection limit 0`)
    const other = connect()
    const begun = performance.now()
    await expect(other.acquire()).rejects.toBeInstanceOf(DatabaseUnavailable)
    await expect(other.query('select 1', [])).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(performance.now() - begun).toBeLessThan(1_000)
    await other.close()
  })
})

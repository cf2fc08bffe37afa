import { afterAll, describe, expect, test } from 'vitest'
import { DatabaseUnavailable } from '../../src/db/server.ts'
import { openTestDatabase, POSTGRES, type TestDatabase } from '../support/database.ts'

const opened: TestDatabase[] = []
afterAll(() => Promise.all(opened.map((database) => database.drop())))

async function open() {
  const database = await openTestDatabase()
  opened.push(database)
  const rows = async (sql: string, parameters: unknown[] = []) =>
    (await database.server.query(sql, parameters)).rows
  return { database, rows }
}

const COUNTS = `select (select count(*) from listings) as listings,
  (select count(*) from pg_class) as relations, pg_database_size(current_database()) as size,
  pg_current_xact_id()::text as transaction`

describe.skipIf(POSTGRES)('a database that tests share, one after another', () => {
  test('is what it was at its beginning, whatever was done to it', async () => {
    const first = await open()
    const before = await first.rows(COUNTS)
    await first.rows(`create table notes (id int primary key, note text)`)
    await first.rows(
      `insert into notes select id, repeat(md5(id::text), 300) from generate_series(1, 20000) id`,
    )
    await first.rows('select count(*) from notes where note like $1', ['%a%'])
    await first.rows('delete from listings')
    await first.rows('vacuum full listings')
    await first.rows('checkpoint')
    await first.database.drop()

    const { rows } = await open()
    expect(await rows(COUNTS)).toEqual(before)
    await expect(rows('select * from notes')).rejects.toMatchObject({ code: '42P01' })
    // In the same files and under the same prepared names, with other columns.
    await rows(`create table notes (note text)`)
    await rows('insert into notes values ($1)', ['kept'])
    expect(await rows('select * from notes where note like $1', ['%k%'])).toEqual([
      { note: 'kept' },
    ])
  })

  test('is away for whoever has it still', async () => {
    const { database, rows } = await open()
    await database.drop()
    await expect(rows('select 1')).rejects.toThrow(DatabaseUnavailable)
    await expect(database.server.acquire()).rejects.toThrow(DatabaseUnavailable)
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectPostgres } from '../../src/db/postgres.ts'
import { DatabaseUnavailable } from '../../src/db/server.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const raise = (code: string) =>
  service.app.server.query(
    `do $$ begin raise exception 'on purpose' using errcode = '${code}'; end $$`,
    [],
  )

test.each(['25P03', '53100', '53200', '53300', '57P03', '58030'])(
  'what the database answers when it cannot serve (%s) is no error of ours',
  async (code) => {
    await expect(raise(code)).rejects.toBeInstanceOf(DatabaseUnavailable)
  },
)

test('what is wrong with a statement stays what it is', async () => {
  await expect(raise('22012')).rejects.toMatchObject({ code: '22012' })
})

test('a database that goes away while we connect to it does not hinder the end', async () => {
  const server = connectPostgres('postgres://nobody@127.0.0.1:1/nothing', 2)
  const statement = expect(server.query('select 1', [])).rejects.toBeInstanceOf(DatabaseUnavailable)
  await server.close()
  await statement
})

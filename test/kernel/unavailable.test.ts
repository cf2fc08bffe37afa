import { afterAll, beforeAll, expect, test } from 'vitest'
import { DatabaseUnavailable } from '../../src/kernel/database/server.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const raise = (code: string) =>
  service.house.server.query(
    `do $$ begin raise exception 'on purpose' using errcode = '${code}'; end $$`,
    [],
  )

test.each(['53100', '53200', '53300', '57P03', '58030'])(
  'what the database answers when it cannot serve (%s) is no error of ours',
  async (code) => {
    await expect(raise(code)).rejects.toBeInstanceOf(DatabaseUnavailable)
  },
)

test('what is wrong with a statement stays what it is', async () => {
  await expect(raise('22012')).rejects.toMatchObject({ code: '22012' })
})

import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { addCommand } from '../../src/cli/add-commands.ts'
import { startService, type TestService } from '../support/service.ts'

const MAILS = 230
let service: TestService
beforeAll(async () => {
  service = await startService()
  for (let n = 0; n < MAILS; n++) {
    await service.app.mail.send({ to: `${n % 2}@example.com`, subject: `${n}`, text: 'x' })
  }
})
afterAll(() => service.stop())
afterEach(() => vi.restoreAllMocks())

/** `mail list` with these options: what it prints, and what it says beside. */
async function list(...options: string[]) {
  const said = vi.spyOn(process.stderr, 'write').mockReset().mockReturnValue(true)
  const printed: unknown[] = []
  const program = new Command().exitOverride()
  addCommand(
    program,
    'list',
    { operation: 'list_mails' },
    {
      ask: async (method, path) => (await service.admin(method, path)).body,
      upload: () => Promise.reject(new Error('nothing to upload')),
      print: (value) => void printed.push(value),
    },
  )
  await program.parseAsync(['list', ...options], { from: 'user' })
  const [{ mails, next_cursor }] = printed as [
    { mails: { subject: string }[]; next_cursor: string | null },
  ]
  return {
    subjects: mails.map(({ subject }) => Number(subject)),
    next_cursor,
    said: said.mock.calls.map(([text]) => text).join(''),
  }
}

const downFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => first - index)

test('a list ends at a hundred unless it is asked for more, and says that there is', async () => {
  const first = await list()
  expect(first.subjects).toEqual(downFrom(MAILS - 1, 100))
  expect(first.said).toBe('there are more rows: use --limit or --cursor\n')
  const rest = await list('--cursor', String(first.next_cursor), '--limit', '1000')
  expect(rest).toEqual({ subjects: downFrom(MAILS - 101, 130), next_cursor: null, said: '' })
})

test('a limit is kept to, over pages and below one', async () => {
  expect((await list('--limit', '205')).subjects).toEqual(downFrom(MAILS - 1, 205))
  expect((await list('--limit', '3')).subjects).toEqual(downFrom(MAILS - 1, 3))
  expect(await list('--limit', String(MAILS))).toMatchObject({ next_cursor: null, said: '' })
})

test('a filter holds on every page', async () => {
  const { subjects } = await list('--to', '1@example.com', '--limit', '110')
  expect(subjects).toEqual(downFrom(MAILS / 2 - 1, 110).map((n) => 2 * n + 1))
})

test.each(['0', '-1', 'all', '1e3'])('--limit %s is rejected', async (limit) => {
  await expect(list('--limit', limit)).rejects.toThrow(/limit/)
})

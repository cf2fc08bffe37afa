import { type Command, InvalidArgumentError } from 'commander'
import type { Terminal } from './cli-terminal.ts'

/** The most that the admin API gives at once. */
const PAGE = 100

type Options = Record<string, string | boolean | undefined>

interface Page {
  next_cursor: string | null
  [rows: string]: unknown
}

/** What is left out is undefined. */
type Filters = (options: Options) => Options

/** Adds a command that prints a list of the admin API, newest first: one page after another, up to a limit. */
export function addList(
  parent: Command,
  name: string,
  path: string,
  { ask, print }: Pick<Terminal, 'ask' | 'print'>,
  filters: Filters = (options) => options,
): Command {
  return parent
    .command(name)
    .description('newest first')
    .option('--limit <n>', 'so many at most', atLeastOne, PAGE)
    .option('--cursor <next_cursor>', 'go on where a list ended')
    .action(async ({ limit, cursor, ...options }) => {
      const list = await walk(limit, cursor, (page) =>
        ask('GET', `${path}?${query({ ...filters(options), ...page })}`),
      )
      print(list)
      if (list.next_cursor) process.stderr.write('there are more: --limit\n')
    })
}

/** All pages as one, whose cursor is the last one's. */
async function walk(
  limit: number,
  cursor: string | undefined,
  ask: (page: { limit: string; cursor: string | undefined }) => Promise<unknown>,
): Promise<Page> {
  const rows: unknown[] = []
  for (let after = cursor; ; ) {
    const size = Math.min(PAGE, limit - rows.length)
    const page = (await ask({ limit: String(size), cursor: after })) as Page
    const [name = ''] = Object.keys(page).filter((key) => Array.isArray(page[key]))
    rows.push(...(page[name] as unknown[]))
    if (!page.next_cursor || rows.length >= limit) return { ...page, [name]: rows }
    after = page.next_cursor
  }
}

function query(options: Options): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return String(new URLSearchParams(given.map(([name, value]) => [name, String(value)])))
}

function atLeastOne(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number above 0.')
}

import { createReadStream, existsSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { Command } from 'commander'
import { request } from 'undici'
import { addBrokerageCommands } from './cli-brokerage.ts'
import { addHouseCommands } from './cli-house.ts'
import { addList } from './cli-list.ts'
import { addMoneyCommands } from './cli-money.ts'
import { addPartnerCommands } from './cli-partners.ts'
import { addPriceCommands } from './cli-prices.ts'
import { at, environment, Failed, type Method, type Terminal } from './cli-terminal.ts'
import { addUserCommands } from './cli-users.ts'
import { TOKEN_RULE, TOKEN_TEXT } from './lib/token-text.ts'

interface ImportReport {
  rows: number
  rejected_count: number
  rejected: { line: number; field: string; issue: string }[]
}

interface ImportLine {
  progress?: { rows: number }
  report?: ImportReport
  error?: object
}

/** How a connection that was there ends before its answer. */
const BROKEN_OFF = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']
const IMPORT_BROKE_OFF = 'error: the import broke off; what was loaded stays. Run it again.'

const terminal: Terminal = { ask, print, call, readText }

// Whoever reads no further has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

const program = new Command('cli')
  .description('Operates a running service through its admin API.')
  .option('--json', 'print the answer as one line of JSON')
  .configureOutput({ outputError: (text, write) => write(`${oneLine(text)}\n`) })
  .addHelpText('beforeAll', ({ error, command }) => {
    // All of the help was no refusal of one line.
    if (error) command.error('error: a command is missing; --help lists them')
    return ''
  })

addPartnerCommands(program, terminal)

program
  .command('listings')
  .description('what is for sale')
  .command('import <file>')
  .description('load a CSV file: domain,price_cents,floor_price_cents,currency')
  .addOption(environment())
  .action((file: string, { env }) => importListings(file, env))

addUserCommands(program, terminal)

const order = program.command('order').description('orders of all partners')
for (const [move, description] of [
  ['clear', 'clear the review of a held order'],
  ['start', 'start the transfer'],
  ['complete', 'confirm the delivery'],
  ['fail', 'the transfer failed'],
  ['action-required', 'the transfer waits for someone to act'],
  ['cancel', 'cancel before any transfer'],
  ['refund', 'refund before the delivery'],
] as const) {
  order
    .command(`${move} <public_id>`)
    .description(description)
    .option('--reason <text>', 'shown in the timeline')
    .action((publicId: string, { reason }) =>
      call('POST', at`/orders/${publicId}/${move}`, { reason }),
    )
}
order.command('show <public_id>').action((publicId: string) => call('GET', at`/orders/${publicId}`))
addList(order, 'list', '/orders', terminal).option('--held', 'only those that wait for review')

addBrokerageCommands(program, terminal)

program
  .command('settlement')
  .description('settlement periods')
  .command('run')
  .description('close the periods of all partners')
  .addOption(environment())
  .action(({ env }) => call('POST', '/settlement-runs', { environment: env }))

addMoneyCommands(program, terminal)
addHouseCommands(program, terminal)
addPriceCommands(program, terminal, importPrices)

try {
  await program.parseAsync()
} catch (error) {
  const text = error instanceof Failed ? error.message : `error: ${String(error)}`
  process.stderr.write(`${oneLine(text)}\n`)
  process.exit(1)
}

async function call(method: Method, path: string, body?: object): Promise<void> {
  print(await ask(method, path, body))
}

async function ask(method: Method, path: string, body?: object): Promise<unknown> {
  const { statusCode, body: answer } = await send(method, path, {
    headers: body ? { 'content-type': 'application/json' } : {},
    body: body ? JSON.stringify(body) : null,
  })
  const value = readAnswer(await answer.text())
  if (statusCode >= 400) throw refusal(value)
  return value
}

function readText(file: string): string {
  return readFileSync(open(file), 'utf8')
}

function openFile(file: string): Readable {
  return createReadStream('', { fd: open(file) })
}

/** Opens a file, or a pipe, as seen from where the command was typed, which npm leaves for the package's folder. */
function open(file: string): number {
  const { npm_lifecycle_event: script, INIT_CWD: typedIn } = process.env
  const path = script === 'cli' && typedIn ? resolve(typedIn, file) : file
  try {
    const opened = openSync(path, 'r')
    if (!fstatSync(opened).isDirectory()) return opened
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new Failed(`error: cannot read ${path}: ${code}`)
  }
  throw new Failed(`error: there is no file ${path}`)
}

async function importListings(file: string, env: string): Promise<void> {
  const { statusCode, body } = await send('POST', `/listings/import?environment=${env}`, {
    headers: { 'content-type': 'text/csv' },
    body: openFile(file),
    brokenOff: IMPORT_BROKE_OFF,
  })
  if (statusCode >= 400) throw refusal(readAnswer(await body.text()))
  const done = await lastReport(body)
  if (!done) throw new Failed(IMPORT_BROKE_OFF)
  printReport(done)
}

async function importPrices(file: string): Promise<void> {
  const { statusCode, body } = await send('POST', '/tld-prices/import', {
    headers: { 'content-type': 'text/csv' },
    body: openFile(file),
  })
  const value = readAnswer(await body.text())
  if (statusCode >= 400) throw refusal(value)
  printReport(value as ImportReport)
}

function printReport(report: ImportReport): void {
  print(report)
  if (report.rows === 0) throw new Failed('error: the file holds no rows')
  const [first] = report.rejected
  if (report.rejected_count < report.rows || !first) return
  throw new Failed(`error: no row is good: line ${first.line}: ${first.field} ${first.issue}`)
}

/** What an import says in the end; undefined when the service died before. */
async function lastReport(body: Readable): Promise<ImportReport | undefined> {
  let done: ImportReport | undefined
  try {
    for await (const line of linesOf(body)) {
      const { progress, report, error } = readAnswer(line) as ImportLine
      if (error) throw refusal({ error })
      if (report) done = report
      else if (process.stderr.isTTY) process.stderr.write(`\r${progress?.rows} rows read`)
    }
  } catch (error) {
    if (error instanceof Failed) throw error
  }
  return done
}

/** Those that are whole: one that breaks off is none. */
async function* linesOf(body: Readable): AsyncGenerator<string> {
  let text = ''
  for await (const chunk of body.setEncoding('utf8')) {
    const lines = `${text}${chunk}`.split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
  if (text !== '') yield text
}

async function send(
  method: Method,
  path: string,
  options: {
    headers: Record<string, string>
    body: string | Readable | null
    /** What is said when the service goes away in the middle. */
    brokenOff?: string
  },
) {
  const { baseUrl, token } = service()
  try {
    return await request(`${baseUrl}/api/admin/v1${path}`, {
      method,
      body: options.body,
      headers: { ...options.headers, authorization: `Bearer ${token}` },
      bodyTimeout: 0,
      headersTimeout: 0,
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (options.brokenOff && code && BROKEN_OFF.includes(code)) throw new Failed(options.brokenOff)
    throw new Failed(`error: no service answers at ${baseUrl} (${code ?? message}): is it running?`)
  }
}

/**
 * Where the service is and its admin token: from the environment, where empty counts as absent, or
 * from the data folder.
 */
function service(): { baseUrl: string; token: string } {
  const folder = process.env.DATA_DIR || './data'
  const read = (name: string) => {
    const file = join(folder, name)
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
  }
  const baseUrl = process.env.BASE_URL || read('address')
  const token = process.env.ADMIN_TOKEN?.trim() || read('admin-token')
  if (!baseUrl || !token) {
    throw new Failed(
      `error: set BASE_URL and ADMIN_TOKEN, or DATA_DIR to the service's data folder (not found in ${folder})`,
    )
  }
  if (!TOKEN_TEXT.test(token)) {
    throw new Failed(`error: ADMIN_TOKEN: ${TOKEN_RULE}`)
  }
  const address = URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl
  return { baseUrl: address.replace(/\/$/, ''), token }
}

function refusal(answer: unknown): Failed {
  const { code, message } = (answer as { error?: { code?: string; message?: string } }).error ?? {}
  return new Failed(`${code ?? 'error'}: ${message ?? 'the service refused'}`)
}

function readAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failed('error: what answers there is not this service: see BASE_URL')
  }
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

function print(value: unknown): void {
  if (program.opts().json) {
    process.stdout.write(`${JSON.stringify(value)}\n`)
    return
  }
  for (const [key, part] of Object.entries(value as object)) {
    const text =
      typeof part === 'object' && part !== null ? JSON.stringify(part, null, 2) : String(part)
    process.stdout.write(`${key}: ${text}\n`)
  }
}

import type { Readable } from 'node:stream'
import { failure, parseJson } from './service.ts'
import { Failed, openFile, type Terminal } from './terminal.ts'

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

const BROKE_OFF = 'error: the import broke off; what was loaded stays. Run it again.'

/** Listings come with their progress, a line of JSON each, and the report at the end. */
export async function importListings(
  terminal: Terminal,
  file: string,
  environment: string,
): Promise<void> {
  const path = `/listings/import?environment=${environment}`
  const report = await lastReport(await terminal.upload(path, openFile(file), BROKE_OFF))
  if (!report) throw new Failed(BROKE_OFF)
  printReport(terminal, report)
}

export async function importPrices(terminal: Terminal, file: string): Promise<void> {
  const body = await terminal.upload('/tld-prices/import', openFile(file))
  const text = (await body.setEncoding('utf8').toArray()).join('')
  printReport(terminal, parseJson(text) as ImportReport)
}

function printReport({ print }: Terminal, report: ImportReport): void {
  print(report)
  if (report.rows === 0) throw new Failed('error: the file holds no rows')
  const [first] = report.rejected
  if (report.rejected_count < report.rows || !first) return
  throw new Failed(`error: no row is good: line ${first.line}: ${first.field} ${first.issue}`)
}

/** The report at the end of an import; undefined when the service went away before. */
async function lastReport(body: Readable): Promise<ImportReport | undefined> {
  let done: ImportReport | undefined
  try {
    for await (const line of linesOf(body)) {
      const { progress, report, error } = parseJson(line) as ImportLine
      if (error) throw failure({ error })
      if (report) done = report
      else if (process.stderr.isTTY) process.stderr.write(`\r${progress?.rows} rows read`)
    }
  } catch (error) {
    if (error instanceof Failed) throw error
  }
  return done
}

/** Whole lines only: one that breaks off is left out. */
async function* linesOf(body: Readable): AsyncGenerator<string> {
  let text = ''
  for await (const chunk of body.setEncoding('utf8')) {
    const lines = `${text}${chunk}`.split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
  if (text !== '') yield text
}

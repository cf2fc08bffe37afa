import { createReadStream, fstatSync, openSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'

/** A command that failed: one line on stderr and a non-zero exit. */
export class Failed extends Error {}

export interface Table {
  /** The field of the response that holds the rows. */
  rows: string
  columns: readonly string[]
}

/** What commands do beyond reading their arguments. */
export interface Terminal {
  /** Calls the admin API; resolves to the body of its response, and rejects with `Failed`. */
  ask(method: string, path: string, body?: object): Promise<unknown>
  /** The same with a CSV file as the body; resolves to the body of the response as it comes. */
  upload(path: string, csv: Readable, brokenOff?: string): Promise<Readable>
  print(value: unknown, table?: Table): void
}

export function readText(file: string): string {
  return readFileSync(open(file), 'utf8')
}

export function openFile(file: string): Readable {
  return createReadStream('', { fd: open(file) })
}

/** A file as seen from where the command was typed, which npm leaves for the package's folder. */
export function placeOf(file: string): string {
  const { npm_lifecycle_event: script, INIT_CWD: typedIn } = process.env
  return script === 'cli' && typedIn ? resolve(typedIn, file) : file
}

/** Opens a file, or a pipe. */
function open(file: string): number {
  const path = placeOf(file)
  try {
    const opened = openSync(path, 'r')
    if (!fstatSync(opened).isDirectory()) return opened
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new Failed(`error: cannot read ${path}: ${code}`)
  }
  throw new Failed(`error: there is no file ${path}`)
}

/** One line of standard input, which a terminal asks for and does not show. */
export async function readSecret(label: string): Promise<string> {
  const { stdin } = process
  if (!stdin.isTTY) return readFileSync(stdin.fd, 'utf8').split(/\r?\n/)[0] ?? ''
  process.stderr.write(`${label}: `)
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output, terminal: true })
  const line = await lines.question('')
  lines.close()
  process.stderr.write('\n')
  return line
}

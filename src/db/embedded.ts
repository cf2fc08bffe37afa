import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { errorMessage } from '../lib/error-message.ts'
import { questionsTo, ThreadEnded } from '../lib/thread.ts'
import {
  againWhenStale,
  asUnavailable,
  type BulkLoad,
  type DatabaseServer,
  DatabaseUnavailable,
  type ExclusiveSession,
  type StatementResult,
} from './server.ts'

const runFile = promisify(execFile)
const WORKER = new URL('./embedded-worker.js', import.meta.url)
const CREATE = fileURLToPath(new URL('./create-embedded.js', import.meta.url))
const ACQUIRE_TIMEOUT_MS = 10_000
const IN_MEMORY = 'memory://'

export type EmbeddedDatabase = DatabaseServer & Required<Pick<DatabaseServer, 'dump'>>

/**
 * Opens the embedded database (PGlite, PostgreSQL in WebAssembly) in a worker thread. It has one
 * connection: whoever holds it for a transaction is alone, and the others wait in line.
 *
 * @param dataDir a folder, or `memory://`
 */
export async function openEmbedded(dataDir: string, dump?: Uint8Array): Promise<EmbeddedDatabase> {
  if (!dump && dataDir !== IN_MEMORY && !existsSync(join(dataDir, 'PG_VERSION'))) {
    await createIn(dataDir)
  }
  return await open(dataDir, dump)
}

async function createIn(dataDir: string): Promise<void> {
  await makeBeside(dataDir, async (draft) => {
    try {
      await runFile(process.execPath, [CREATE, draft])
    } catch (error) {
      const { stderr } = error as { stderr?: string }
      throw new DatabaseUnavailable(new Error(stderr || errorMessage(error), { cause: error }))
    }
  })
}

/** Makes a database from a dump in a folder that has none. */
export async function restoreEmbedded(dataDir: string, dump: Uint8Array): Promise<void> {
  await makeBeside(dataDir, async (draft) => (await open(draft, dump)).close())
}

/** Moved there once it is whole, so a process that is killed leaves no half of a database. */
async function makeBeside(dataDir: string, make: (draft: string) => Promise<void>): Promise<void> {
  const parent = dirname(dataDir)
  const drafts = `${basename(dataDir)}.new-`
  for (const name of await readdir(parent)) {
    if (name.startsWith(drafts)) await rm(join(parent, name), { recursive: true })
  }
  const draft = await mkdtemp(join(parent, drafts))
  try {
    await make(draft)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
  if (existsSync(dataDir)) await rmdir(dataDir)
  await rename(draft, dataDir)
}

async function open(dataDir: string, dump?: Uint8Array): Promise<EmbeddedDatabase> {
  return await openInThread(databaseThread(WORKER, { workerData: { dataDir, dump } }))
}

/** @param options what embedded-worker.js reads, as `workerData` */
export function databaseThread(file: URL, options: WorkerOptions): Worker {
  // Optimizing PostgreSQL's largest functions takes seconds at each start and, with Node.js 24, 600 MB for one of them
  // (decision 60). What is compiled must find the flags as they were, so they stay.
  setFlagsFromString('--no-wasm-tier-up')
  setFlagsFromString('--no-wasm-dynamic-tiering')
  return new Worker(file, { execArgv: [], ...options })
}

/** Of the database that a thread runs, once it is open. */
export async function openInThread(worker: Worker): Promise<EmbeddedDatabase> {
  const ask = questionsTo(worker, 'the embedded database')

  async function post(command: object): Promise<unknown> {
    try {
      return await ask(command)
    } catch (error) {
      if (error instanceof ThreadEnded) throw new DatabaseUnavailable(error)
      // An error's own fields came as they are; as an error it is raised here.
      throw asUnavailable(Object.assign(new Error(), error))
    }
  }

  const run = (sql: string, parameters: readonly unknown[], blob?: Blob) =>
    post({ sql, parameters: [...parameters], blob }) as Promise<StatementResult>

  await run('select 1', [])
  const line = turnstile()

  async function acquire(): Promise<ExclusiveSession> {
    const release = await line.enter()
    return { query: (sql, parameters) => run(sql, parameters), release }
  }

  async function alone<T>(work: () => Promise<T>): Promise<T> {
    const release = await line.enter()
    try {
      return await work()
    } finally {
      release()
    }
  }

  async function load({
    before,
    target,
    rows,
    after,
    finally: last,
    receive,
  }: BulkLoad): Promise<void> {
    await run('begin', [])
    try {
      await run(before, [])
      await run(`copy ${target} from '/dev/blob'`, [], new Blob([rows]))
      const result = await run(after.sql, after.parameters)
      await run(last.sql, last.parameters)
      await run('commit', [])
      receive(result.rows)
    } catch (error) {
      await run('rollback', [])
      throw error
    }
  }

  return {
    kind: 'embedded',
    query: (sql, parameters) => againWhenStale(() => alone(() => run(sql, parameters))),
    acquire,
    acquirePatient: acquire,
    copy: (bulk) => alone(() => load(bulk)),
    dump: () => alone(() => post({ action: 'dump' }) as Promise<Uint8Array>),
    async close() {
      await alone(async () => {})
      await worker.terminate()
    },
  }
}

/** Lets one through at a time, in the order they came. */
function turnstile() {
  const line: (() => void)[] = []
  let taken = false

  function leave(): void {
    const next = line.shift()
    if (next) next()
    else taken = false
  }

  function turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        line.splice(line.indexOf(go), 1)
        reject(new DatabaseUnavailable(new Error('waited too long for the connection')))
      }, ACQUIRE_TIMEOUT_MS)
      line.push(go)
    })
  }

  return {
    async enter(): Promise<() => void> {
      if (taken) await turn()
      taken = true
      let left = false
      return () => {
        if (!left) leave()
        left = true
      }
    },
  }
}

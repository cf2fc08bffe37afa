import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { questionsTo, ThreadEnded } from '../lib/thread.ts'
import {
  asUnavailable,
  type BulkLoad,
  type DatabaseServer,
  DatabaseUnavailable,
  type ExclusiveSession,
  type StatementResult,
} from './server.ts'

const ACQUIRE_TIMEOUT_MS = 10_000
const IN_MEMORY = 'memory://'

type EmbeddedDatabase = DatabaseServer & Required<Pick<DatabaseServer, 'dump'>>

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

/** Making a database takes 500 MB, which the thread that has made it does not give back. */
async function createIn(dataDir: string): Promise<void> {
  const made = await open(dataDir)
  await made.query('checkpoint', [])
  await made.close()
}

async function open(dataDir: string, dump?: Uint8Array): Promise<EmbeddedDatabase> {
  const worker = new Worker(new URL('./embedded-worker.js', import.meta.url), {
    workerData: { dataDir, dump },
    execArgv: [],
  })
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

  // Done once it is open.
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
    query: (sql, parameters) => alone(() => run(sql, parameters)),
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

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  type BenchDatabase,
  dropDatabases,
  type Field,
  filledDatabase,
  SECRETS_KEY,
} from './databases.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** A service reads all listings before it listens. */
const START_WITHIN_MS = 300_000
export const ADMIN_TOKEN = 'bench-admin-token'

/** One server that is measured, in a process of its own on a database of its own. */
export interface Contender {
  name: string
  port: number
  pid: number
  database: BenchDatabase
  /** Milliseconds of CPU that the process has used. */
  cpu(): Promise<number>
  stop(): Promise<void>
}

/** The service on a database of its own. */
export async function startService(
  name: string,
  root: string,
  field: Field,
  settings: Record<string, string> = {},
): Promise<Contender> {
  return await startInstance(name, root, await filledDatabase('service', field), settings)
}

/** The service as `npm start` runs it, with limits that the load does not reach. */
export async function startInstance(
  name: string,
  root: string,
  database: BenchDatabase,
  settings: Record<string, string> = {},
): Promise<Contender> {
  const dataDir = await mkdtemp(join(tmpdir(), 'marketplace-bench-'))
  const log = await open('/dev/null', 'w')
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    SECRETS_KEY,
    ADMIN_TOKEN,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'info',
    DEMO_PARTNER: 'off',
    RATE_LIMIT_PARTNER: '100000000',
    RATE_LIMIT_PUBLIC: '100000000',
    ...settings,
  }
  const child = startProcess(join(root, 'src/main.ts'), environment, root, log.fd)
  const removeData = () => rm(dataDir, { recursive: true })
  await log.close()
  return await started(name, child, database, removeData, () =>
    written(join(dataDir, 'address'), child),
  )
}

export async function startBare(
  name: string,
  form: 'single' | 'grouped',
  connections: number,
  field: Field,
): Promise<Contender> {
  const environment = {
    CREDENTIALS: JSON.stringify(field.credentials),
    FORM: form,
    CONNECTIONS: String(connections),
  }
  return await startBareServer(name, 'bare.ts', environment, field)
}

export async function startBareServer(
  name: string,
  file: string,
  environment: Record<string, string>,
  field: Field,
): Promise<Contender> {
  const database = await filledDatabase('bare', field)
  const child = startProcess(
    join(HERE, file),
    { ...environment, DATABASE_URL: database.url },
    ROOT,
    'inherit',
  )
  const nothing = async () => {}
  return await started(name, child, database, nothing, async () => {
    const { port } = (await answerOf(child)) as { port: number }
    return port
  })
}

function startProcess(
  file: string,
  environment: Record<string, string>,
  cwd: string,
  stdout: 'inherit' | number,
): ChildProcess {
  return spawn(
    process.execPath,
    [...process.execArgv, '--import', join(HERE, 'response-cpu.ts'), file],
    { cwd, env: { ...process.env, ...environment }, stdio: ['ignore', stdout, 'inherit', 'ipc'] },
  )
}

async function started(
  name: string,
  child: ChildProcess,
  database: BenchDatabase,
  cleanUp: () => Promise<void>,
  listen: () => Promise<number>,
): Promise<Contender> {
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill()
      await once(child, 'exit')
    }
    await cleanUp()
  }
  const cpu = async () => {
    const response = answerOf(child)
    child.send('cpu')
    const { user, system } = ((await response) as { cpu: NodeJS.CpuUsage }).cpu
    return (user + system) / 1000
  }
  try {
    return { name, port: await listen(), pid: child.pid ?? 0, database, cpu, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts all, runs the work, and stops them and drops their databases whatever happens. */
export async function withContenders<T>(
  starting: Promise<Contender>[],
  work: (contenders: Contender[]) => Promise<T>,
): Promise<T> {
  const starts = await Promise.allSettled(starting)
  const contenders = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  try {
    for (const start of starts) if (start.status === 'rejected') throw start.reason
    return await work(contenders)
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()))
    await dropDatabases()
  }
}

/** The next message of a child, or a loud failure when it ends without one. */
export async function answerOf(child: ChildProcess): Promise<unknown> {
  const answered = new AbortController()
  const ended = once(child, 'exit', { signal: answered.signal }).then(([code]) => {
    throw new Error(`a process of the bench ended with ${code}`)
  })
  const [message] = await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {})
  answered.abort()
  return message
}

/** The service writes its address once it listens. */
async function written(file: string, child: ChildProcess): Promise<number> {
  for (let waited = 0; waited < START_WITHIN_MS; waited += 50) {
    if (child.exitCode !== null) break
    const address = await readFile(file, 'utf8').catch(() => '')
    if (address) return Number(new URL(address.trim()).port)
    await sleep(50)
  }
  throw new Error('the service did not start')
}

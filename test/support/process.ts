import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { PartnerClient, send } from './client.ts'
import { migratedFolder, POSTGRES } from './database.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** As global-setup.ts compiled it. */
const DIST = join(ROOT, 'dist')
/** Long, since a first start takes seconds, and many times that on a busy machine. */
const UP_WITHIN_MS = 90_000

export type Variables = Record<string, string>

/** What a process left behind. */
export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** A process that runs, with all that it has started: they share a process group. */
export interface Running {
  /** As the welcome shows it. */
  baseUrl: string
  stdout(): string
  stderr(): string
  /** To the process started, as a terminal's user or a supervisor would: npm, if that was asked for. */
  signal(name: NodeJS.Signals): void
  /** Reads no more of what it prints, as a stuck log shipper does, and returns how it ended. */
  unread(): Promise<number | null>
  /** SIGKILL to the whole group, and gone when this resolves. */
  kill(): Promise<Ended>
  /** SIGTERM to the process started, and its end. */
  stop(): Promise<Ended>
  ended: Promise<Ended>
}

/** Node.js 20.19.0 warns once that Ed25519 is experimental, which later releases do not. */
const OLDEST_NODE: Variables = process.versions.node.startsWith('20.19.')
  ? { NODE_OPTIONS: '--disable-warning=ExperimentalWarning' }
  : {}

type Command = readonly [program: string, ...args: string[]]
const NPM_START: Command = ['npm', 'start']
/** Optimizing what ends within seconds takes longer than it saves. */
const node = (file: string): Command => ['node', '--interrupt-budget=2000000', join(DIST, file)]

const children = new Set<ChildProcess>()
const folders = new Set<string>()
const databases = new Set<() => Promise<void>>()
process.on('exit', () => {
  for (const child of children) killGroup(child)
})

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group is gone already.
  }
}

/** Ends every process that a test has left running, and removes the folders and databases. */
export async function cleanUp(): Promise<void> {
  const ends = [...children].map((child) => new Promise((resolve) => child.once('close', resolve)))
  for (const child of children) killGroup(child)
  await Promise.all(ends)
  await Promise.all([...folders].map((folder) => rm(folder, { recursive: true, force: true })))
  folders.clear()
  await Promise.all([...databases].map((drop) => drop()))
}

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-process-'))
  folders.add(folder)
  return folder
}

/** For DATA_DIR, with an embedded database that is migrated and empty: making one takes half of a first start. */
export async function preparedFolder(): Promise<string> {
  const folder = await newFolder()
  await cp(await migratedFolder(), join(folder, 'database'), { recursive: true })
  return folder
}

function launch([program, ...args]: Command, variables: Variables, cwd = ROOT) {
  const child = spawn(program, args, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing of the test's own surroundings reaches the service, nor does npm's configuration.
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      npm_config_userconfig: '/dev/null',
      npm_config_update_notifier: 'false',
      ...OLDEST_NODE,
      ...variables,
    },
  })
  children.add(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk
  })
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => {
      children.delete(child)
      resolve({ code, signal, ...output })
    })
  })
  return { child, output, ended }
}

/**
 * The service, until it has printed its welcome. PORT is a free one unless the test names one. The signal
 * kills it on the way.
 */
export async function start(variables: Variables, signal?: AbortSignal): Promise<Running> {
  return await launchService(node('main.js'), variables, signal)
}

/** The same, by `npm start`. */
export async function npmStart(variables: Variables): Promise<Running> {
  return await launchService(NPM_START, variables)
}

async function launchService(
  command: Command,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Running> {
  const { child, output, ended } = launch(command, { PORT: '0', ...variables })
  signal?.addEventListener('abort', () => killGroup(child), { once: true })
  const address = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not up: ${output.stderr}`)), UP_WITHIN_MS)
    const look = () => {
      // All of the welcome: it ends with an empty line, which log lines may follow at once.
      const [, found] = /^ {2}Address +(\S+)\n[^]*\n\n(?![^{])/m.exec(output.stdout) ?? []
      if (found) done(() => resolve(found))
    }
    const done = (settle: () => void) => {
      clearTimeout(timer)
      child.stdout.off('data', look)
      settle()
    }
    child.stdout.on('data', look)
    void ended.then(({ code, stderr }) =>
      done(() => reject(new Error(`ended with ${code} before it was up: ${stderr}`))),
    )
  })
  return {
    baseUrl: address,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    signal: (name) => void child.kill(name),
    async unread() {
      child.stdout.pause()
      const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
      child.stdout.resume()
      return code
    },
    async kill() {
      killGroup(child)
      return ended
    },
    async stop() {
      child.kill('SIGTERM')
      return ended
    },
    ended,
  }
}

/** A start that is expected to give up by itself. */
export async function startAndFail(variables: Variables): Promise<Ended> {
  return await fails(node('main.js'), variables)
}

/** The same, by `npm start`. */
export async function npmStartAndFail(variables: Variables): Promise<Ended> {
  return await fails(NPM_START, variables)
}

async function fails(command: Command, variables: Variables): Promise<Ended> {
  const { child, ended } = launch(command, { PORT: '0', ...variables })
  const timer = setTimeout(() => killGroup(child), UP_WITHIN_MS)
  return ended.finally(() => clearTimeout(timer))
}

/** A command of `npm run -s cli`, without npm. */
export async function cli(args: string[], variables: Variables): Promise<Ended> {
  return launch([...node('cli.js'), ...args], variables).ended
}

/** `npm run -s cli -- …`, typed in a folder. */
export async function typed(args: string[], variables: Variables, cwd: string): Promise<Ended> {
  return launch(['npm', '--prefix', ROOT, 'run', '-s', 'cli', '--', ...args], variables, cwd).ended
}

/** A line of a shell, in the project's folder. */
export async function shell(line: string): Promise<Ended> {
  return launch(['sh', '-c', line], {}).ended
}

/** The credential that a first start printed, or undefined. */
export function printedCredential(stdout: string) {
  const [, key_id] = /SERVICE_KEY_ID=(\S+)/.exec(stdout) ?? []
  const [, secret] = /SERVICE_SECRET=(\S+)/.exec(stdout) ?? []
  return key_id && secret ? { key_id, secret } : undefined
}

export function clientFor(
  { baseUrl }: Pick<Running, 'baseUrl'>,
  credential: { key_id: string; secret: string },
): PartnerClient {
  return new PartnerClient(baseUrl, () => new Date(), { partner_id: '', ...credential })
}

export function adminCall(
  { baseUrl }: Pick<Running, 'baseUrl'>,
  token: string,
  method: string,
  path: string,
  body?: unknown,
) {
  return send(baseUrl, {
    method,
    target: `/api/admin/v1${path}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || !address) throw new Error('no port')
  return address.port
}

/** A database with nothing in it on the PostgreSQL server of the tests. */
export async function emptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  if (!POSTGRES) throw new Error('there is no PostgreSQL server to test on')
  const name = `marketplace_test_empty_${process.pid}_${randomBytes(4).toString('hex')}`
  const admin = async (statement: string) => {
    const client = new pg.Client({ connectionString: POSTGRES })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await admin(`create database ${name} template template0`)
  const url = new URL(POSTGRES)
  url.pathname = `/${name}`
  const drop = async () => {
    databases.delete(drop)
    await admin(`drop database ${name} with (force)`)
  }
  databases.add(drop)
  return { url: url.toString(), drop }
}

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { PartnerClient } from './client.ts'

export const run = promisify(execFile)

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CLIENT = join(ROOT, 'client')
const LONGEST_BUILD_MS = 120_000

/** The client as it is published: a tarball, made once for what its sources are. */
export async function packedClient(): Promise<string> {
  const hash = createHash('sha256')
  const sources = readdirSync(CLIENT, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/client\/(?:cjs|dist|node_modules)\//.test(file))
    .concat(join(ROOT, 'packages', 'build.js'))
  for (const file of sources.toSorted()) hash.update(file).update(readFileSync(file))
  const folder = join(tmpdir(), `domain-marketplace-client-${hash.digest('hex').slice(0, 16)}`)
  const { version } = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'))
  const tarball = join(folder, `domain-marketplace-client-${version}.tgz`)
  mkdirSync(folder, { recursive: true })
  // Two builds at once would take each other's files away.
  for (const lock = join(tmpdir(), 'domain-marketplace-client-build'); !existsSync(tarball); ) {
    try {
      mkdirSync(lock)
    } catch {
      // Whoever built was killed.
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
      if (Date.now() - since > LONGEST_BUILD_MS) rmSync(lock, { recursive: true, force: true })
      await new Promise((resolve) => setTimeout(resolve, 200))
      continue
    }
    try {
      await run('npm', ['pack', '--workspace', 'client', '--pack-destination', folder], {
        cwd: ROOT,
      })
    } finally {
      rmSync(lock, { recursive: true, force: true })
    }
  }
  return tarball
}

/** Installs the client into a folder, as a user would. */
export async function installClient(folder: string): Promise<void> {
  const tarball = await packedClient()
  await run('npm', ['init', '-y'], { cwd: folder })
  const quiet = ['--offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...quiet, tarball], { cwd: folder })
}

export const commandOf = (folder: string) => join(folder, 'node_modules', '.bin', 'marketplace')

/** What the commands of an installed client read. */
export function environmentOf(folder: string, { credential }: PartnerClient, address: string) {
  return {
    ...process.env,
    SERVICE_URL: address,
    SERVICE_KEY_ID: credential.key_id,
    SERVICE_SECRET: credential.secret,
    XDG_STATE_HOME: join(folder, 'state'),
  }
}

/** Runs a command of an installed client to its end, whatever its exit code. */
export async function runMarketplace(folder: string, args: string[], env: NodeJS.ProcessEnv) {
  try {
    return { code: 0, ...(await run(commandOf(folder), args, { env, cwd: folder })) }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}
